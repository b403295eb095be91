import { type Lock } from './lock.ts';
/** A prompt to add. */
export interface Addition {
    /** `owner/name`, or with a range or label: `owner/name@^1.2`. */
    name: string;
    /** Path of its content, relative to the lock's folder; default: `prompts/{owner}/{name}.md`. */
    path?: string;
}
/**
 * Adds a prompt to a lock, or changes its range, and writes its content.
 *
 * @param lockPath path of the existing or new `prompts.lock`
 * @param url the hub, if there is no lock yet
 * @param say called with instructions for the user
 * @returns the chosen version
 */
export declare function addToLock(lockPath: string, { name, path }: Addition, url?: string, say?: (sentence: string) => void): Promise<string>;
/**
 * Writes the vendored files of a lock. Files with the right bytes are left alone.
 *
 * @returns the number of files written
 * @throws PromptHubError `integrity` when the hub has different bytes; then nothing is replaced
 */
export declare function installLock(lockPath: string): Promise<number>;
/** The prompts of a lock whose vendored file is missing or differs, by full name. Sends no request. */
export declare function findChanged(lockPath: string, lock: Lock): Promise<string[]>;
/** The paths of files that differ only in line endings, which git changes with core.autocrlf. */
export declare function findChangedEnds(lockPath: string, lock: Lock, changed: readonly string[]): Promise<string[]>;
