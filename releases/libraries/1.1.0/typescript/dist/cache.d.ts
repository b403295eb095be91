import { type RequestSettings } from './requests.ts';
/** An answer as it is kept. */
export interface Kept {
    text: string;
    etag: string | undefined;
    /** When the hub last vouched for it, in milliseconds since 1970. */
    checkedAt: number;
}
/** A place for answers that outlives the process, such as a folder. When one of its functions fails, no call of the program does: the hub is asked instead. */
export interface Store {
    /** @returns what is kept under an address, or undefined */
    read(url: string): Promise<Kept | undefined>;
    write(url: string, kept: Kept): Promise<void>;
    remove(url: string): Promise<void>;
}
/** Where an answer came from; `stale` is one from before that was used because the hub was not asked first, or could not be. */
export type AnswerSource = 'memory' | 'disk' | 'network' | 'stale';
/** An answer with where it came from. */
export interface Answer<Value> {
    value: Value;
    source: AnswerSource;
    /** How long ago the hub vouched for it, in milliseconds. */
    ageMs: number;
}
/** How long answers are good, and how further ones are had. */
export interface CacheSettings {
    /** For so long an answer that may change is given without asking the hub. */
    freshMs: number;
    /** For so long after that, it is given at once while the hub is asked. A still older one is given only when the hub cannot be reached. */
    revalidateMs: number;
    store: Store | undefined;
    requests: RequestSettings;
    now: () => number;
    /** Called when an answer is given that is not fresh, with the reason why the hub could not be asked; undefined while it is being asked. */
    onStale: (url: string, ageMs: number, cause: unknown) => void;
}
/** Answers of one shape. Callers that want the same one at the same time share one request. */
export declare class AnswerCache<Value> {
    #private;
    /** @param parse reads an answer; when it throws, the caller gets its error and the answer is not kept */
    constructor(parse: (text: string, url: string) => Value | Promise<Value>, settings: CacheSettings);
    /**
     * Gets the answer of an address.
     *
     * @param changes whether it may ever change; one that may not is asked for only once
     * @throws PromptHubError what the hub answered, or `unavailable` when it cannot be reached and nothing is kept
     */
    get(url: string, changes: boolean): Promise<Answer<Value>>;
    /** What is held in memory, without asking anybody. */
    peek(url: string): Value | undefined;
}
