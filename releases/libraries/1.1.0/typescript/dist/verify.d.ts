import type { Variable, VersionRecord } from './records.ts';
/**
 * Requires that bytes have a digest.
 *
 * @param sha256 in hex
 * @param what is named in the error
 * @throws PromptHubError `integrity` when the bytes have another SHA-256, or when this place cannot compute one
 */
export declare function requireDigest(bytes: Uint8Array<ArrayBuffer>, sha256: string, what: string): Promise<void>;
/** Requires that a record's content has the SHA-256 that stands in the record. @returns the record @throws PromptHubError `integrity` */
export declare function requireRecord(record: VersionRecord): Promise<VersionRecord>;
/** The variables of a text whose record is not at hand: each placeholder as a required string, because nothing more is known of it. */
export declare function findVariables(content: string): Variable[];
