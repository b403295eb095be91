/** The hub's own address, without a final slash; each hub puts its own here. */
export declare const HUB_URL = "http://localhost:8888";
/** Sent with every request, for whoever reads the hub's logs. */
export declare const USER_AGENT = "prompt-hub-client/1.0.0";
