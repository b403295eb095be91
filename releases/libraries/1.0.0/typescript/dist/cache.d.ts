import { type RequestSettings } from './requests.ts';
/** An answer as it is kept. */
export interface Kept {
    text: string;
    etag: string | undefined;
    /** When the hub last vouched for it, in milliseconds since 1970. */
    checkedAt: number;
}
/** A place that outlives the process, such as a folder. Its trouble is never the program's: what it cannot give is asked for again. */
export interface Store {
    /** @returns what is kept under an address, or undefined */
    read(url: string): Promise<Kept | undefined>;
    write(url: string, kept: Kept): Promise<void>;
    remove(url: string): Promise<void>;
}
/** Where an answer came from. */
export type AnswerSource = 'memory' | 'disk' | 'network' | 'stale';
/** An answer with where it came from. */
export interface Answer<Value> {
    value: Value;
    source: AnswerSource;
    /** How long ago the hub vouched for it, in milliseconds. */
    ageMs: number;
}
/** How long answers count. */
export interface CacheSettings {
    /** So long an answer that may change is given without asking. */
    freshMs: number;
    /** So long after that it is given at once while it is asked for again; later it stands in for trouble alone. */
    revalidateMs: number;
    store: Store | undefined;
    requests: RequestSettings;
    now: () => number;
    /** Told when an answer was not fresh. */
    onStale: (url: string, ageMs: number, cause: unknown) => void;
}
/** Answers of one shape, each asked for once however many callers want it. */
export declare class AnswerCache<Value> {
    #private;
    /** @param parse reads an answer; what it throws is the caller's, and nothing is kept */
    constructor(parse: (text: string, url: string) => Value | Promise<Value>, settings: CacheSettings);
    /**
     * What stands at an address.
     *
     * @param changes whether it may ever change; what does not is never asked for twice
     * @throws PromptHubError what the hub answered, or `unavailable` when nothing is kept that could stand in
     */
    get(url: string, changes: boolean): Promise<Answer<Value>>;
    /** What is held in memory, without asking anybody. */
    peek(url: string): Value | undefined;
}
