/** The hub's URL, without a trailing slash. Each hub inserts its own here. */
export declare const HUB_URL = "http://localhost:8888";
/** The User-Agent header of every request. */
export declare const USER_AGENT = "prompt-hub-client/1.2.1";
