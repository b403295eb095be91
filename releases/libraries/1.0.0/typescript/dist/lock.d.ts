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
}
/** What `prompts.lock` holds. */
export interface Lock {
    lockfile: 1;
    /** The hub that the prompts come from. */
    hub: string;
    /** By full name. */
    prompts: Record<string, LockedPrompt>;
}
/** A repository's full name, `owner/name`. */
export declare const FULL_NAME: RegExp;
/** An empty lock for a hub. */
export declare function emptyLock(hub: string): Lock;
/** Writes a lock: the same lock is the same bytes whichever client writes it. */
export declare function formatLock({ hub, prompts }: Lock): string;
/**
 * Reads a lock.
 *
 * @throws PromptHubError `integrity` unless it is exactly what a client would write: an edit by hand or a merge that went wrong is seen, not guessed at
 */
export declare function parseLock(text: string): Lock;
/** Whether a text can be a lock's hub. */
export declare function isHubAddress(text: string): boolean;
/** Whether a path stays below the lock's folder on every system. */
export declare function isSafePath(path: string): boolean;
