import { type LockedPrompt } from './lock.ts';
import { type Wish } from './ranges.ts';
/** Which version is wanted; the latest when nothing is said. */
export interface GetOptions {
    /** Exactly this one. */
    version?: string;
    /** The highest active one in this range: `^1.2`, `~1.2.3`, `1.x`, `*`. */
    range?: string;
    /** The one with this label. */
    label?: string;
    /** The text to use when the hub cannot be reached and nothing is kept; never in place of a prompt that does not exist. */
    fallback?: string;
}
/** Reads a call of `get`. @throws PromptHubError `invalid_request` when the call is wrong */
export declare function readQuestion(name: string, { version, range, label }: GetOptions): {
    fullName: string;
    wish: Wish | undefined;
};
/** Requires that a wish is what the lock has. Only the lock chooses versions, so a wish for another one is refused and not ignored. @throws PromptHubError `not_locked` */
export declare function requireLocked(name: string, wish: Wish | undefined, { range, version }: LockedPrompt): void;
