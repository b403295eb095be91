/** The hub's own address, without a final slash; each hub inserts its own here. */
export declare const HUB_URL = "http://localhost:8888";
/** Sent with every request, for the hub's logs. */
export declare const USER_AGENT = "prompt-hub-client/1.2.0";
