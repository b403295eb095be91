import { type RequestSettings } from './requests.ts';
/** A cached response. */
export interface Kept {
    text: string;
    etag: string | undefined;
    /** When the hub last confirmed it, in milliseconds since 1970. */
    checkedAt: number;
}
/** A store for responses that outlives the process, such as a folder. If one of its functions fails, the response is requested from the hub instead. */
export interface Store {
    /** @returns the response stored for a URL, or undefined */
    read(url: string): Promise<Kept | undefined>;
    write(url: string, kept: Kept): Promise<void>;
    remove(url: string): Promise<void>;
}
/** Where a response came from; `stale` is an older one, used while it is revalidated or because the hub could not be reached. */
export type AnswerSource = 'memory' | 'disk' | 'network' | 'stale';
/** A response and its source. */
export interface Answer<Value> {
    value: Value;
    source: AnswerSource;
    /** Time since the hub confirmed it, in milliseconds. */
    ageMs: number;
}
/** Cache lifetimes, and how to fetch responses. */
export interface CacheSettings {
    /** How long a changing response is used without asking the hub. */
    freshMs: number;
    /** How long after that it is used at once and revalidated in the background. An older one is used only when the hub cannot be reached. */
    revalidateMs: number;
    store: Store | undefined;
    requests: RequestSettings;
    now: () => number;
    /** Called when a response that is not fresh is used. `cause` is why the hub could not be reached, or undefined while the response is being revalidated. */
    onStale: (url: string, ageMs: number, cause: unknown) => void;
}
/** Responses of one type. Concurrent callers share one request. */
export declare class AnswerCache<Value> {
    #private;
    /** @param parse parses a response; when it throws, the caller gets its error and the response is not cached */
    constructor(parse: (text: string, url: string) => Value | Promise<Value>, settings: CacheSettings);
    /**
     * Gets the response for a URL.
     *
     * @param changes whether the response can change; one that cannot is requested only once
     * @throws PromptHubError the hub's error, or `unavailable` when it cannot be reached and nothing is cached
     */
    get(url: string, changes: boolean): Promise<Answer<Value>>;
    /** Responses in memory, without a request. */
    peek(url: string): Value | undefined;
}
