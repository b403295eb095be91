/** Options of requests. */
export interface RequestOptions {
    /** Timeout of one attempt; default 5,000 ms. */
    timeoutMs?: number;
    /** Number of retries; default 2. */
    retries?: number;
    /** Time limit of all attempts, including the pauses between them; default 15,000 ms. */
    deadlineMs?: number;
    /** Replaces the global `fetch`. */
    fetch?: typeof fetch;
}
/** Options of requests, with defaults for omitted ones. */
export type RequestSettings = Required<RequestOptions>;
/** Adds the defaults to the options of requests. */
export declare function requestSettings(options: RequestOptions): RequestSettings;
/** A change to send, with its sender's token. Repeating a change has no further effect, so it may be retried. */
export interface Write {
    method: string;
    token: string;
    body: string | undefined;
}
/** The hub's response: a new text, or the information that the cached one is unchanged. */
export type Reply = {
    kind: 'new';
    text: string;
    etag: string | undefined;
} | {
    kind: 'unchanged';
};
/**
 * Sends a request, with retries.
 *
 * @param write the change to send; without it, the request reads
 * @param etag of the cached response; the hub then sends a new one only if it has changed
 * @throws PromptHubError `not_found` or `refused` according to the hub's response, `unavailable` if all attempts failed
 */
export declare function ask(url: string, etag: string | undefined, settings: RequestSettings, write?: Write): Promise<Reply>;
