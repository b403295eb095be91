import type { Variable, VersionRecord } from './records.ts';
/**
 * Requires that bytes match a digest.
 *
 * @param sha256 in hex
 * @param what name used in the error
 * @throws PromptHubError `integrity` when the SHA-256 differs, or cannot be computed here
 */
export declare function requireDigest(bytes: Uint8Array<ArrayBuffer>, sha256: string, what: string): Promise<void>;
/** Requires that a record's content matches the SHA-256 in the record. @returns the record @throws PromptHubError `integrity` */
export declare function requireRecord(record: VersionRecord): Promise<VersionRecord>;
/** The variables of a text without a record: each placeholder as a required string, because nothing more is known. */
export declare function findVariables(content: string): Variable[];
