/**
 * Requires that bytes match a digest.
 *
 * @param sha256 in hex
 * @param what name used in the error
 * @throws PromptHubError `integrity` when the SHA-256 differs, or cannot be computed here
 */
export declare function requireDigest(bytes: Uint8Array<ArrayBuffer>, sha256: string, what: string): Promise<void>;
