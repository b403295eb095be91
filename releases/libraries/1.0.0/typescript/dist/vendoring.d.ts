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
 * @returns the version that was chosen
 */
export declare function addToLock(lockPath: string, { name, path }: Addition, url?: string): Promise<string>;
/**
 * Writes exactly what a lock says; what is there already is checked and left.
 *
 * @returns how many files were written
 * @throws PromptHubError `integrity` when the hub has other bytes: then nothing is replaced
 */
export declare function installLock(lockPath: string): Promise<number>;
/** The prompts of a lock whose vendored file is missing or has other bytes, by full name. Asks nobody. */
export declare function findChanged(lockPath: string, lock: Lock): Promise<string[]>;
