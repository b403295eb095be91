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
/** What came back: new text, or word that what is known still holds. */
export type Reply = {
    kind: 'new';
    text: string;
    etag: string | undefined;
} | {
    kind: 'unchanged';
};
/**
 * Asks for an address.
 *
 * @param etag what is known already, for a conditional request
 * @throws PromptHubError `not_found` or `refused` for what the hub answered, `unavailable` for trouble that outlasted all tries
 */
export declare function ask(url: string, etag: string | undefined, settings: RequestSettings): Promise<Reply>;
