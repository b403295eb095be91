import type { Variable, VersionRecord } from './records.ts';
/**
 * @param what is named in the error
 * @throws PromptHubError `integrity` when the bytes have another SHA-256, or when this place cannot compute one
 */
export declare function requireDigest(bytes: Uint8Array<ArrayBuffer>, sha256: string, what: string): Promise<void>;
/** @returns the record, once its content is what its own SHA-256 says. @throws PromptHubError `integrity` otherwise */
export declare function requireRecord(record: VersionRecord): Promise<VersionRecord>;
/** The placeholders of a text whose record is not at hand: required texts, for nothing more is known. */
export declare function findVariables(content: string): Variable[];
