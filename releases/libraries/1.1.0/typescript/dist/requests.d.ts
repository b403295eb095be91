/** How the hub is asked. */
export interface RequestSettings {
    fetch: typeof fetch;
    /** One try, in milliseconds. */
    timeoutMs: number;
    /** How often a request is tried again. */
    retries: number;
    /** All tries with their pauses, in milliseconds. */
    deadlineMs: number;
}
/** What the hub answered: a new text, or that the known one has not changed. */
export type Reply = {
    kind: 'new';
    text: string;
    etag: string | undefined;
} | {
    kind: 'unchanged';
};
/**
 * Asks the hub for an address, and again after trouble.
 *
 * @param etag of the text that is known already; the hub then sends a text only when it is another one
 * @throws PromptHubError `not_found` or `refused` for what the hub answered, `unavailable` for trouble that outlasted all tries
 */
export declare function ask(url: string, etag: string | undefined, settings: RequestSettings): Promise<Reply>;
