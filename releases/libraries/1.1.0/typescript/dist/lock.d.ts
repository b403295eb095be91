import { type Variable } from './records.ts';
/** One prompt of a lock. */
export interface LockedPrompt {
    /** What was asked for: a range or a label's name. */
    range: string;
    /** The version in use. */
    version: string;
    /** SHA-256 of its content, in hex. */
    sha256: string;
    /** Where the content lies, relative to the lock's folder. */
    path: string;
    /** What filling needs; undefined for what a client of format 1 locked. */
    details?: LockedDetails;
}
/** What a lock keeps of a version beside its digest, so that it can be used without a hub. */
export interface LockedDetails {
    /** What the author declared of each placeholder. */
    variables: readonly Variable[];
    /** Model settings of its author, exactly as published. */
    parameters: Readonly<Record<string, unknown>>;
}
/** What `prompts.lock` holds. */
export interface Lock {
    /** The format that was read; 2 is written. */
    lockfile: 1 | 2;
    /** The hub that the prompts come from. */
    hub: string;
    /** By full name. */
    prompts: Record<string, LockedPrompt>;
}
/** A repository's full name, `owner/name`. */
export declare const FULL_NAME: RegExp;
/** An empty lock for a hub. */
export declare function emptyLock(hub: string): Lock;
/** Writes a lock in format 2. Every client writes the same bytes for the same lock. */
export declare function formatLock(lock: Lock): string;
/** Whether a value can be kept as the same bytes everywhere: no half of a character, nothing that JSON has not, not too deep. */
export declare function isKeepable(value: unknown, depth?: number): boolean;
/**
 * Reads a lock.
 *
 * @throws PromptHubError `integrity` unless it is exactly what a client would write, so that an edit by hand or a merge that went wrong is not interpreted
 */
export declare function parseLock(text: string): Lock;
/** Whether a text can be a hub's address: http or https, without a final slash, a query or a user's name, at most 2,000 characters long. */
export declare function isHubAddress(text: string): boolean;
/** What a lock keeps of a version's record. @returns undefined when it is not as a hub has it */
export declare function readDetails(variables: unknown, parameters: unknown): LockedDetails | undefined;
/** The line of a .gitattributes that keeps a file as it is. What would mean something in a pattern is left open to any character. */
export declare function attributesLine(path: string): string;
/** What to do about a file whose line ends git has changed. */
export declare function mendEnds(path: string): string;
/** Whether a path with forward slashes stays below the lock's folder and can be a file's on every system: at most 1,024 bytes, of which 255 a segment. */
export declare function isSafePath(path: string): boolean;
