/** Whether this runs in a browser, which follows redirects itself and hides them from programs. */
export declare function isBrowser(): boolean;
/** Whether a host, as normalised by `URL`, is this machine. */
export declare function isLoopback(hostname: string): boolean;
/** Whether a response from one URL may redirect to another. */
export declare function mayFollow(from: string, to: string): boolean;
/**
 * Requests a URL, following redirects.
 *
 * @throws PromptHubError `unavailable` for a forbidden redirect
 */
export declare function fetchAndFollow(url: string, options: RequestInit, ask: typeof fetch): Promise<Response>;
