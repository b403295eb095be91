// The address of the hub that these files were downloaded from.
/** The hub's own address, without a final slash; each hub inserts its own here. */
export const HUB_URL = 'http://localhost:8888';
/** Sent with every request, for the hub's logs. */
export const USER_AGENT = 'prompt-hub-client/1.2.0';
