// Verifies bytes against a digest.
import { PromptHubError } from "./trouble.js";
/**
 * Requires that bytes match a digest.
 *
 * @param sha256 in hex
 * @param what name used in the error
 * @throws PromptHubError `integrity` when the SHA-256 differs, or cannot be computed here
 */
export async function requireDigest(bytes, sha256, what) {
    if (!globalThis.crypto?.subtle)
        throw new PromptHubError('integrity', `${what} cannot be checked here: browsers compute SHA-256 only on https and localhost.`);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (hex !== sha256)
        throw new PromptHubError('integrity', `${what} has other bytes than its SHA-256 says.`);
}
