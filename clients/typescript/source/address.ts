// The URL of the hub that this library was downloaded from.

/** The hub's URL, without a trailing slash. Each hub inserts its own here. */
export const HUB_URL = 'http://localhost:8888'

/** The User-Agent header of every request. */
export const USER_AGENT = 'prompt-hub-client/1.0.0'
