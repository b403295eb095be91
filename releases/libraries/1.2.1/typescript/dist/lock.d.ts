import { type Variable } from './records.ts';
/** One prompt of a lock. */
export interface LockedPrompt {
    /** The requested range, or the name of a label. */
    range: string;
    /** The locked version. */
    version: string;
    /** SHA-256 of its content, in hex. */
    sha256: string;
    /** Path of the content, relative to the lock's folder. */
    path: string;
    /** The inputs of filling; undefined in entries written by a client of format 1. */
    details?: LockedDetails;
}
/** The parts of a version in a lock besides its digest, so that it can be used without a hub. */
export interface LockedDetails {
    /** The declared variables. */
    variables: readonly Variable[];
    /** Model settings of its author, exactly as published. */
    parameters: Readonly<Record<string, unknown>>;
}
/** The contents of `prompts.lock`. */
export interface Lock {
    /** The format that was read; 2 is written. */
    lockfile: 1 | 2;
    /** The hub of the prompts. */
    hub: string;
    /** By full name. */
    prompts: Record<string, LockedPrompt>;
}
/** A repository's full name, `owner/name`. */
export declare const FULL_NAME: RegExp;
/** Formats a lock in format 2. Every client writes the same bytes for the same lock. */
export declare function formatLock(lock: Lock): string;
/**
 * Reads a lock.
 *
 * @throws PromptHubError `integrity` unless it is exactly what a client would write, so that manual edits and bad merges are rejected
 */
export declare function parseLock(text: string): Lock;
/** Whether a string is a valid URL of a hub: http or https, without a trailing slash, query or user name, at most 2,000 characters long. */
export declare function isHubUrl(text: string): boolean;
/** The parts of a version's record that a lock stores. @returns undefined for a record that no hub would send */
export declare function readDetails(variables: unknown, parameters: unknown): LockedDetails | undefined;
/** The line of a .gitattributes that protects a file. Characters with a meaning in patterns are replaced by a wildcard. */
export declare function attributesLine(path: string): string;
/** What to do about a file whose line endings git has changed. */
export declare function mendEnds(path: string): string;
/** Whether a path with forward slashes stays below the lock's folder and is valid on every system: at most 1,024 bytes, 255 per segment. */
export declare function isSafePath(path: string): boolean;
