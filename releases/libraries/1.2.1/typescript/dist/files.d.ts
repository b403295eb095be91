import type { Store } from './cache.ts';
import { type Lock } from './lock.ts';
import type { LockInForce } from './prompt-hub.ts';
/**
 * Opens a store in a folder, with one file per response. Several processes may share it, because files are written atomically.
 *
 * @param dir the folder; created when missing
 */
export declare function diskStore(dir: string): Store;
/**
 * Opens a lock to pass to a `PromptHub`.
 *
 * @param path of `prompts.lock`; its vendored files are in its folder or below
 * @throws PromptHubError `integrity` when the file is not what a client would write, `invalid_request` when it does not exist
 */
export declare function openLock(path?: string): Promise<LockInForce>;
/** Reads a lock that may not exist yet. @returns undefined if it does not exist */
export declare function readLockFile(path: string): Promise<Lock | undefined>;
/**
 * Reads a file below a folder, without following symbolic links.
 *
 * @param file a path from a lock, validated when the lock was read
 * @returns undefined if there is no file
 */
export declare function readVendored(folder: string, file: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
/** Writes a file atomically. */
export declare function writeWhole(path: string, data: string | Uint8Array): Promise<void>;
/** Writes and syncs a temporary file next to a path, so that a rename puts the whole file in place at once. @returns its path */
export declare function writeTemporary(path: string, data: string | Uint8Array): Promise<string>;
/** A written temporary file, to be renamed. */
export interface Staged {
    place: string;
    temporary: string;
    /** A copy of the existing file. */
    before?: string;
}
/** Puts all files in place: if one fails, the previous ones are restored. */
export declare function putAll(staged: readonly Staged[]): Promise<void>;
/** Creates a folder and its parents. @param made collects the created ones, outermost first */
export declare function makeFolders(dir: string, made: string[]): Promise<void>;
