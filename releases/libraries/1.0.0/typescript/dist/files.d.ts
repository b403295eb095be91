import type { Store } from './cache.ts';
import { type Lock } from './lock.ts';
import type { LockInForce } from './prompt-hub.ts';
/**
 * A store in a folder, one file an answer; several processes may share it, for a file appears whole or not at all.
 *
 * @param dir the folder; made when it is missing
 */
export declare function diskStore(dir: string): Store;
/**
 * Opens a lock, to be handed to a `PromptHub`.
 *
 * @param path where `prompts.lock` lies; its vendored files lie beside and below it
 * @throws PromptHubError `integrity` when the file is not what a client would write, `invalid_request` when there is none
 */
export declare function openLock(path?: string): Promise<LockInForce>;
/** Reads a lock that may not be there yet. @returns undefined when there is none */
export declare function readLockFile(path: string): Promise<Lock | undefined>;
/**
 * Reads a file below a folder, through no symbolic link.
 *
 * @param file a path of a lock, checked when the lock was read
 * @returns undefined when there is no file
 */
export declare function readVendored(folder: string, file: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
/** @throws PromptHubError `integrity` when a part of the path is a symbolic link, which could lead anywhere */
export declare function requireNoLink(folder: string, file: string): Promise<void>;
/** Writes a file that is there whole or not at all. */
export declare function writeWhole(path: string, data: string | Uint8Array): Promise<void>;
/** Writes a new, flushed file beside a path; renaming it makes it appear whole. @returns where it is */
export declare function writeTemporary(path: string, data: string | Uint8Array): Promise<string>;
/** A file that is written and waits for its place. */
export interface Staged {
    place: string;
    temporary: string;
    /** A copy of what stands there now. */
    before?: string;
}
/** Puts files in their places, all of them: when one cannot be put, those before it get back what stood there. */
export declare function putAll(staged: readonly Staged[]): Promise<void>;
/** Makes a folder and those above it. @param made gets those that were not there, the outermost first */
export declare function makeFolders(dir: string, made: string[]): Promise<void>;
