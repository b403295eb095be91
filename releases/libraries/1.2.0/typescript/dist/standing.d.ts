import type { AnswerCache } from './cache.ts';
import type { Standing } from './prompt.ts';
import type { RepositoryRecord, VersionRow } from './records.ts';
/**
 * Something that a program may want to log: - `stale`: an older response was used; `cause` is why the hub could not be reached, or undefined while it is being asked. - `fallback`: the hub could not be reached, so the caller's fallback text was used. - `deprecated`, `yanked`, `advisory`: a current notice; each is reported once. - `variables_unknown`: the record of a vendored prompt was unavailable, so its variables are the placeholders in its text.
 */
export type HubEvent = {
    type: 'stale';
    url: string;
    ageMs: number;
    cause: unknown;
} | {
    type: 'fallback';
    name: string;
    cause: unknown;
} | {
    type: 'deprecated';
    name: string;
    message: string;
} | {
    type: 'yanked';
    name: string;
    version: string;
    reason: string;
} | {
    type: 'advisory';
    name: string;
    version: string;
    severity: string;
    message: string;
} | {
    type: 'variables_unknown';
    name: string;
    cause: unknown;
};
/** Derives notices from the cached records, and reports those about the prompts in use. */
export declare class StandingWatch {
    #private;
    constructor(url: string, repositories: AnswerCache<RepositoryRecord>, lists: AnswerCache<VersionRow[]>, onEvent: (event: HubEvent) => void);
    /** Reports notices about a version once the unread records have arrived. Does not wait for them, and reports nothing if they are unavailable. */
    ask(name: string, version: string, unasked: readonly ('record' | 'list')[]): void;
    /** The notices about a version. @returns undefined while no record of its prompt is cached */
    of(name: string, version: string): Standing | undefined;
}
