import type { AnswerCache } from './cache.ts';
import type { Standing } from './prompt.ts';
import type { RepositoryRecord, VersionRow } from './records.ts';
/** Something that a program may want to log: an answer is never anything but fresh without a word. */
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
/** What is known of the standing of prompts, out of the records that were read anyway. */
export declare class StandingWatch {
    #private;
    constructor(url: string, repositories: AnswerCache<RepositoryRecord>, lists: AnswerCache<VersionRow[]>, onEvent: (event: HubEvent) => void);
    /** Asks for what the caller has not asked for, and tells what it says. Nobody waits for it, and its failure is nobody's. */
    ask(name: string, version: string, unasked: readonly ('record' | 'list')[]): void;
    /** @returns undefined while nothing is known */
    of(name: string, version: string): Standing | undefined;
}
