import { type GetOptions } from './arguments.ts';
import type { Store } from './cache.ts';
import type { Values } from './filling.ts';
import { type LockInForce } from './locked.ts';
import { type Prompt } from './prompt.ts';
import type { VersionRow } from './records.ts';
import { type RequestOptions } from './requests.ts';
import type { HubEvent } from './standing.ts';
export type { GetOptions } from './arguments.ts';
export type { Kept, Store } from './cache.ts';
export { type AnthropicChat, type ChatMessage, type ChatPart, fillChat, forAnthropic, forGemini, type GeminiChat, splitChat, } from './chat.ts';
export { fillContent, type Values } from './filling.ts';
export { formatLock, type Lock, type LockedDetails, type LockedPrompt, parseLock } from './lock.ts';
export type { LockInForce } from './locked.ts';
export { type ChangeResult, HubManager, type ManageOptions, type RepositoryChanges } from './manage.ts';
export type { Prompt, PromptFacts, Source, Standing } from './prompt.ts';
export { highestIn, isRange, isVersion, readWish, satisfies, type Wish } from './ranges.ts';
export type { Advisory, Variable, VersionRow } from './records.ts';
export type { HubEvent } from './standing.ts';
export { PromptHubError, type TroubleCode, type ValueProblem } from './trouble.ts';
/** The types of each prompt's values, by full name. The file written by `prompt-hub types` adds the prompts of a lock to it. */
export interface PromptValues {
}
/** The values of one prompt: those in `PromptValues` if it is listed there, else any. */
export type ValuesOf<Name extends string> = Name extends keyof PromptValues ? PromptValues[Name] & object : Values;
/** Options of a hub. */
export interface HubOptions extends RequestOptions {
    /** The hub's URL. Default: the one in the lock or, without a lock, that of the hub from which this library was downloaded. */
    url?: string;
    /** A lock from `openLock` of `prompt-hub-client/files`: `get` then returns only its prompts, with exactly the locked bytes. */
    lock?: LockInForce;
    /** Stores responses beyond this process, such as `diskStore(dir)` from `prompt-hub-client/files`. By default they are only in memory. */
    store?: Store;
    /** How long a changing response is reused without a request; default 60,000 ms. */
    freshMs?: number;
    /** How long after that it is used at once and revalidated in the background; default 600,000 ms. An older one is used only when the hub cannot be reached. */
    revalidateMs?: number;
    /** Called with events that a program may want to log. Exceptions in it are ignored. */
    onEvent?: (event: HubEvent) => void;
}
/** A hub to get prompts from. */
export declare class PromptHub {
    #private;
    /** The hub's URL, without a trailing slash. */
    readonly url: string;
    /** @throws PromptHubError `invalid_request` for an invalid URL */
    constructor(options?: HubOptions);
    /**
     * Gets a prompt.
     *
     * @param name `owner/name`, optionally with a version, range or label: `owner/name@^1.2`, `owner/name@production`
     * @throws PromptHubError `invalid_request` for an invalid name or version, `not_found`, `refused` or `unavailable` according to the hub's response, `integrity` for a checksum mismatch; under a lock also `not_locked`
     */
    get<Name extends string>(name: Name, options?: GetOptions): Promise<Prompt<ValuesOf<Name>>>;
    /**
     * Lists the versions of a prompt, highest first, including yanked ones, which are marked. Not affected by a lock.
     *
     * @param name `owner/name`
     * @throws PromptHubError like `get`
     */
    listVersions(name: string): Promise<readonly VersionRow[]>;
}
