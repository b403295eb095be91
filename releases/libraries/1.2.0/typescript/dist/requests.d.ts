/** Options of requests. */
export interface RequestSettings {
    fetch: typeof fetch;
    /** One attempt, in milliseconds. */
    timeoutMs: number;
    /** Number of retries. */
    retries: number;
    /** All attempts including pauses, in milliseconds. */
    deadlineMs: number;
}
/** A change to send, with its sender's token. Repeating a change has no further effect, so it may be retried. */
export interface Write {
    method: string;
    token: string;
    body: string | undefined;
}
/** The hub's response: a new text, or the known one is unchanged. */
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
 * @param write what to send, instead of reading
 * @param etag of the known text; the hub then sends a text only if it has changed
 * @throws PromptHubError `not_found` or `refused` according to the hub's response, `unavailable` if all attempts failed
 */
export declare function ask(url: string, etag: string | undefined, settings: RequestSettings, write?: Write): Promise<Reply>;
