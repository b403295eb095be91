import { type CacheSettings } from './cache.ts';
import type { Lock } from './lock.ts';
import { type PromptFacts } from './prompt.ts';
import { type Wish } from './ranges.ts';
import type { HubEvent } from './standing.ts';
/** An open lock, with access to its vendored files. */
export interface LockInForce {
    lock: Lock;
    /** @returns the bytes at a path of the lock, or undefined if there is no file */
    readFile(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}
/** Locked prompts. */
export declare class LockReader {
    #private;
    constructor(url: string, given: LockInForce, settings: CacheSettings, onEvent: (event: HubEvent) => void);
    /**
     * Gets the locked version.
     *
     * @param wish must match the lock
     * @throws PromptHubError `not_locked` or `integrity`, and without a vendored file the errors of a request
     */
    get(name: string, wish: Wish | undefined): Promise<PromptFacts>;
}
