import { type Lock } from './lock.ts';
/** A prompt to be added. */
export interface Addition {
    /** `owner/name`, or with a range or label: `owner/name@^1.2`. */
    name: string;
    /** Where its content goes, from the lock's folder; `prompts/{owner}/{name}.md` unless given. */
    path?: string;
}
/**
 * Adds a prompt to a lock, or gives it another range, and writes its content.
 *
 * @param lockPath where `prompts.lock` lies or is to lie
 * @param url the hub, when there is no lock yet
 * @param say is told what the caller has to do himself
 * @returns the version that was chosen
 */
export declare function addToLock(lockPath: string, { name, path }: Addition, url?: string, say?: (sentence: string) => void): Promise<string>;
/**
 * Writes the vendored files of a lock. Files that have the right bytes already are left as they are.
 *
 * @returns how many files were written
 * @throws PromptHubError `integrity` when the hub has other bytes: then nothing is replaced
 */
export declare function installLock(lockPath: string): Promise<number>;
/** The prompts of a lock whose vendored file is missing or has other bytes, by full name. The hub is not asked. */
export declare function findChanged(lockPath: string, lock: Lock): Promise<string[]>;
/** The paths of changed files whose line ends alone are others than the lock says: git changes them with core.autocrlf. */
export declare function findChangedEnds(lockPath: string, lock: Lock, changed: readonly string[]): Promise<string[]>;
