// Notices about a prompt (deprecated, yanked, advisories): derives them from the hub's records, and lists the events for them.
import type { Standing } from './prompt.ts'
import type { RepositoryRecord, VersionRow } from './records.ts'

/**
 * Something that a program may want to log:
 *
 * - `stale`: an older response was used; `cause` is why the hub could not be reached, or undefined while it is being asked.
 * - `unreachable`: the hub did not respond; for `forMs`, cached responses and fallbacks are used without asking it.
 * - `fallback`: the hub could not be reached, so the caller's fallback text was used.
 * - `unused_values`: names of values that were left out, because the fallback text has no place for them.
 * - `deprecated`, `yanked`, `advisory`: a current notice; each is reported once.
 */
export type HubEvent =
  | { type: 'stale'; url: string; ageMs: number; cause: unknown }
  | { type: 'unreachable'; url: string; forMs: number; cause: unknown }
  | { type: 'fallback'; name: string; cause: unknown }
  | { type: 'unused_values'; name: string; values: readonly string[] }
  | { type: 'deprecated'; name: string; message: string }
  | { type: 'yanked'; name: string; version: string; reason: string }
  | { type: 'advisory'; name: string; version: string; severity: string; message: string }

/** The notices about a version. @returns undefined without any record of its prompt */
export function standingOf(
  version: string,
  record: RepositoryRecord | undefined,
  rows: readonly VersionRow[] | undefined,
): Standing | undefined {
  if (!record && !rows) return undefined
  const row = rows?.find((each) => each.version === version)
  return {
    deprecated: record ? outdated(record) : null,
    yanked: row?.yanked ? (row.yank_reason ?? 'yanked') : null,
    advisories: record?.advisories?.filter(({ versions }) => versions.includes(version)) ?? [],
  }
}

/** Why nobody should begin to use a prompt. */
function outdated({ moved_to, status, status_message }: RepositoryRecord): string | null {
  if (moved_to) return `moved to ${moved_to}`
  return status === 'active' ? null : (status_message ?? status)
}

/** The events for a version's notices. */
export function eventsOf(name: string, version: string, standing: Standing | undefined): HubEvent[] {
  if (!standing) return []
  const { deprecated, yanked, advisories } = standing
  return [
    ...(deprecated === null ? [] : [{ type: 'deprecated', name, message: deprecated } as const]),
    ...(yanked === null ? [] : [{ type: 'yanked', name, version, reason: yanked } as const]),
    ...advisories.map(({ severity, message }) => ({ type: 'advisory', name, version, severity, message }) as const),
  ]
}
