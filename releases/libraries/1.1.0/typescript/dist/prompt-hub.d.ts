import type { Store } from './cache.ts';
import type { Values } from './filling.ts';
import { type LockInForce } from './locked.ts';
import { type Prompt } from './prompt.ts';
import { type GetOptions } from './question.ts';
import { type VersionRow } from './records.ts';
import type { HubEvent } from './standing.ts';
export type { Kept, Store } from './cache.ts';
export { fillContent, type Values } from './filling.ts';
export { formatLock, type Lock, type LockedDetails, type LockedPrompt, parseLock } from './lock.ts';
export type { LockInForce } from './locked.ts';
export type { Prompt, PromptFacts, Source, Standing } from './prompt.ts';
export type { GetOptions } from './question.ts';
export { highestIn, isRange, isVersion, readWish, satisfies, type Wish } from './ranges.ts';
export type { Advisory, Variable, VersionRow } from './records.ts';
export type { HubEvent } from './standing.ts';
export { PromptHubError, type TroubleCode, type ValueProblem } from './trouble.ts';
/** The values that each prompt is filled with, by its full name. The file that `prompt-hub types` writes adds the prompts of a lock to it. */
export interface PromptValues {
}
/** The values of one prompt: those of `PromptValues` where it is named there, else any. */
export type ValuesOf<Name extends string> = Name extends keyof PromptValues ? PromptValues[Name] & object : Values;
/** How a hub is used. */
export interface HubOptions {
    /** The hub's address. Unless given: that of the lock, or without a lock that of the hub which this library was downloaded from. */
    url?: string;
    /** A lock to read prompts under, from `openLock` of `prompt-hub-client/files`: `get` then answers only what it names, with exactly the bytes that it names. */
    lock?: LockInForce;
    /** Keeps answers beyond this process, such as `diskStore(dir)` from `prompt-hub-client/files`. Unless given they are kept in memory alone. */
    store?: Store;
    /** How long one try of a request may take; 5,000 ms unless given. */
    timeoutMs?: number;
    /** How often a request that failed is tried again; 2 unless given. */
    retries?: number;
    /** How long all tries of a request may take, with the pauses between them; 15,000 ms unless given. */
    deadlineMs?: number;
    /** For so long an answer that may change is used again without asking the hub; 60,000 ms unless given. */
    freshMs?: number;
    /** For so long after that, it is used at once while the hub is asked in the background; 600,000 ms unless given. A still older one is used only when the hub cannot be reached. */
    revalidateMs?: number;
    /** Called with everything that a program may want to log. What it throws is ignored. */
    onEvent?: (event: HubEvent) => void;
    /** Used in the place of the global `fetch`. */
    fetch?: typeof fetch;
}
/** A hub that prompts come from. */
export declare class PromptHub {
    #private;
    /** The hub's address, without a final slash. */
    readonly url: string;
    /** @throws PromptHubError `invalid_request` when the address cannot be one */
    constructor(options?: HubOptions);
    /**
     * Gets a prompt.
     *
     * @param name `owner/name`, or with a wish behind it: `owner/name@^1.2`, `owner/name@production`
     * @throws PromptHubError `invalid_request` when name or wish cannot be one, `not_found`, `refused` or `unavailable` as the hub answered, `integrity` when
     * bytes are not what they should be; under a lock also `not_locked`
     */
    get<Name extends string>(name: Name, options?: GetOptions): Promise<Prompt<ValuesOf<Name>>>;
    /**
     * Lists the versions of a prompt, highest first, yanked ones included and marked. A lock changes nothing about it.
     *
     * @param name `owner/name`
     * @throws PromptHubError as `get`
     */
    listVersions(name: string): Promise<readonly VersionRow[]>;
}
