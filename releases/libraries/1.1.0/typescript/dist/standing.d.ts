import type { AnswerCache } from './cache.ts';
import type { Standing } from './prompt.ts';
import type { RepositoryRecord, VersionRow } from './records.ts';
/**
 * Something that a program may want to log:
 * - `stale`: an answer from before was used; `cause` is why the hub could not be asked, or undefined while it is being asked.
 * - `fallback`: the hub could not be reached, so the text that the caller gave was used.
 * - `deprecated`, `yanked`, `advisory`: what the prompt's owner or a maintainer says of it now; each is told once.
 * - `variables_unknown`: the record of a vendored prompt could not be had, so its variables are those that its text shows.
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
/** Knows the standing of prompts from the records that the cache holds, and tells the program what is wrong with those that it uses. */
export declare class StandingWatch {
    #private;
    constructor(url: string, repositories: AnswerCache<RepositoryRecord>, lists: AnswerCache<VersionRow[]>, onEvent: (event: HubEvent) => void);
    /** Tells what is wrong with a version, once the records that the caller has not read are there. It does not wait for them, and when they cannot be had nothing is told. */
    ask(name: string, version: string, unasked: readonly ('record' | 'list')[]): void;
    /** The standing of a version. @returns undefined while no record of its prompt is held */
    of(name: string, version: string): Standing | undefined;
}
