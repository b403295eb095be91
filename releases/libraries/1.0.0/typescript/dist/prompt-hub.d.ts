import { type Store } from './cache.ts';
import type { Values } from './filling.ts';
import { type LockInForce } from './locked.ts';
import { type Prompt } from './prompt.ts';
import { type GetOptions } from './question.ts';
import { type VersionRow } from './records.ts';
import { type HubEvent } from './standing.ts';
export type { Kept, Store } from './cache.ts';
export { fillContent, type Values } from './filling.ts';
export { formatLock, type Lock, type LockedPrompt, parseLock } from './lock.ts';
export type { LockInForce } from './locked.ts';
export type { Prompt, PromptFacts, Source, Standing } from './prompt.ts';
export type { GetOptions } from './question.ts';
export { highestIn, isRange, isVersion, readWish, satisfies, type Wish } from './ranges.ts';
export type { Advisory, Variable, VersionRow } from './records.ts';
export type { HubEvent } from './standing.ts';
export { PromptHubError, type TroubleCode, type ValueProblem } from './trouble.ts';
/** The values of each prompt by its full name; `prompt-hub types` adds the prompts of a lock to it. */
export interface PromptValues {
}
/** What a prompt of some name is filled with. */
export type ValuesOf<Name extends string> = Name extends keyof PromptValues ? PromptValues[Name] & object : Values;
/** How a hub is used. */
export interface HubOptions {
    /** Its address; the hub that this library came from unless given, or that of the lock. */
    url?: string;
    /** Nothing is got that this lock does not name. */
    lock?: LockInForce;
    /** Keeps answers beyond this process, such as `diskStore(dir)` from `prompt-hub-client/files`. */
    store?: Store;
    /** One try, 5,000 ms unless given. */
    timeoutMs?: number;
    /** Tries after the first, 2 unless given. */
    retries?: number;
    /** All tries with their pauses, 15,000 ms unless given. */
    deadlineMs?: number;
    /** So long an answer that may change counts as fresh, 60,000 ms unless given. */
    freshMs?: number;
    /** So long after that it is given at once while it is asked for again, 600,000 ms unless given. */
    revalidateMs?: number;
    /** Told of everything that a program may want to log. */
    onEvent?: (event: HubEvent) => void;
    /** Another fetch. */
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
     * @throws PromptHubError
     */
    get<Name extends string>(name: Name, options?: GetOptions): Promise<Prompt<ValuesOf<Name>>>;
    /**
     * The versions of a prompt, highest first, yanked ones included and marked.
     *
     * @param name `owner/name`
     */
    listVersions(name: string): Promise<readonly VersionRow[]>;
}
