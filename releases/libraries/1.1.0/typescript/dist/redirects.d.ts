/** Whether a browser runs this. It follows redirects itself, and lets no program see them. */
export declare function isBrowser(): boolean;
/** Whether an answer from one address may send a reader to another. */
export declare function mayFollow(from: string, to: string): boolean;
/**
 * Asks for an address, and for where its answers lead.
 *
 * @throws PromptHubError `unavailable` for a redirect that is not followed
 */
export declare function fetchAndFollow(url: string, options: RequestInit, ask: typeof fetch): Promise<Response>;
