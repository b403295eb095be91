import type { Standing } from './prompt.ts';
import type { RepositoryRecord, VersionRow } from './records.ts';
/**
 * Something that a program may want to log:
 *
 * - `stale`: an older response was used; `cause` is why the hub could not be reached, or undefined while it is being asked.
 * - `fallback`: the hub could not be reached, so the caller's fallback text was used.
 * - `deprecated`, `yanked`, `advisory`: a current notice; each is reported once.
 * - `variables_unknown`: the record of a vendored prompt was unavailable, so its variables are the placeholders in its text.
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
/** The notices about a version. @returns undefined without any record of its prompt */
export declare function standingOf(version: string, record: RepositoryRecord | undefined, rows: readonly VersionRow[] | undefined): Standing | undefined;
/** The events for a version's notices. */
export declare function eventsOf(name: string, version: string, standing: Standing | undefined): HubEvent[];
