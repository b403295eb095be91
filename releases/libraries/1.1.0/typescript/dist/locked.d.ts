import { type CacheSettings } from './cache.ts';
import type { Lock } from './lock.ts';
import { type PromptFacts } from './prompt.ts';
import type { Wish } from './ranges.ts';
import type { VersionRecord } from './records.ts';
import type { HubEvent } from './standing.ts';
/** A lock that is in force, with a way to its vendored files. */
export interface LockInForce {
    lock: Lock;
    /** @returns the bytes at a path of the lock, or undefined when there is no file */
    readFile(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}
/** Prompts as a lock names them. */
export declare class LockReader {
    #private;
    /** @param readVersion reads and checks a version's record */
    constructor(url: string, given: LockInForce, readVersion: (text: string, url: string) => Promise<VersionRecord>, settings: CacheSettings, onEvent: (event: HubEvent) => void);
    /**
     * Gets the version that the lock names.
     *
     * @param wish has to be what the lock has
     * @throws PromptHubError `not_locked` or `integrity`, and without a vendored file what asking the hub throws
     */
    get(name: string, wish: Wish | undefined): Promise<PromptFacts>;
}
