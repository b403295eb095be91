import { PromptHubError } from "./trouble.js";
/**
 * @param what is named in the error
 * @throws PromptHubError `integrity` when the bytes have another SHA-256, or when this place cannot compute one
 */
export async function requireDigest(bytes, sha256, what) {
    if (!globalThis.crypto?.subtle)
        throw new PromptHubError('integrity', `${what} cannot be checked here: browsers compute SHA-256 on https and localhost alone.`);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (hex !== sha256)
        throw new PromptHubError('integrity', `${what} has other bytes than its SHA-256 says.`);
}
/** @returns the record, once its content is what its own SHA-256 says. @throws PromptHubError `integrity` otherwise */
export async function requireRecord(record) {
    const { content, content_sha256, full_name, version } = record;
    await requireDigest(new TextEncoder().encode(content), content_sha256, `${full_name}@${version}`);
    return record;
}
/** The placeholders of a text whose record is not at hand: required texts, for nothing more is known. */
export function findVariables(content) {
    const names = new Set(Array.from(content.matchAll(/\{\{( ?)([A-Za-z_][A-Za-z0-9_]{0,63})\1\}\}/g), (match) => match[2]));
    return [...names].map((name) => ({
        name,
        description: '',
        type: 'string',
        required: true,
        default: null,
        options: [],
        example: null,
    }));
}
