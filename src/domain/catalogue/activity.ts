// Derives a repository's activity: compares two versions of its `index.md`, and merges the result with its publishes. The read function imports this file, so it imports no schemas.
import type { Activity, Result, VersionRow } from '../api/schema.ts'
import type { RepositoryFile } from '../content/prompt-file.ts'
import { isSameJson } from '../text/json.ts'
import { describeTarget, type LabelTarget, targetOf } from '../values/label-target.ts'
import type { markFor } from './change-mark.ts'
import { describeOutcome } from './results.ts'

/** Maximum number of entries per repository. docs/contract.md section 4 */
export const MAX_ACTIVITIES = 100

/** The author, time and commit of a change to `index.md`, and what else the commit says. */
type Origin = Pick<Activity, 'at' | 'by' | 'commit'> & Partial<ReturnType<typeof markFor>>

/** The activity of a repository, except its publishes, as stored in its data file. */
interface KnownChanges {
  /** The entries, newest first. */
  changes: readonly Activity[]
  /** Activity before this time is unknown; null if the history is complete. */
  since: string | null
}

const NOTHING = {
  by_token: null,
  by_workflow: null,
  version: null,
  label: null,
  from: null,
  to: null,
  from_split: null,
  to_split: null,
  reason: null,
  suite: null,
  fields: [],
}
const OWN_TYPES = new Set(['labels', 'yanked', 'removed', 'status', 'status_message'])

/** Lists the effects of a change to `index.md`. The effects of one commit are listed in the order labels, yanks, removals, status, other fields. */
export function listChanges(
  before: RepositoryFile,
  after: RepositoryFile,
  { isRestored = false, reason: why = null, ...origin }: Origin,
): Activity[] {
  const changes: Activity[] = []
  const add = (change: Pick<Activity, 'type'> & Partial<Activity>) => changes.push({ ...NOTHING, ...origin, ...change })
  const keysOf = (key: 'labels' | 'yanked') => new Set([...Object.keys(before[key]), ...Object.keys(after[key])])
  const readKey = (values: Record<string, string>, key: string) => (Object.hasOwn(values, key) ? values[key]! : null)
  for (const label of keysOf('labels')) {
    const [was, is] = [targetOf(before.labels, label), targetOf(after.labels, label)]
    if (isSameJson(was, is)) continue
    const [from, to] = [was?.version ?? null, is?.version ?? null]
    const [from_split, to_split] = [shareOf(was), shareOf(is)]
    const moved = to === null ? 'unlabelled' : isRestored ? 'restored' : 'labelled'
    const type = from === to ? 'split' : moved
    add({
      type,
      version: type === 'split' ? (to_split ?? from_split)!.version : to,
      label,
      from,
      to,
      from_split,
      to_split,
      reason: why,
    })
  }
  for (const version of keysOf('yanked')) {
    const [from, reason] = [readKey(before.yanked, version), readKey(after.yanked, version)]
    if (from !== reason) add({ type: reason === null ? 'unyanked' : 'yanked', version, reason })
  }
  for (const version of Object.keys(after.removed))
    if (!Object.hasOwn(before.removed, version)) add({ type: 'removed', version, reason: after.removed[version]! })
  if (before.status !== after.status)
    add({ type: 'status', from: before.status, to: after.status, reason: after.status_message })
  const fields = (Object.keys(after) as (keyof RepositoryFile)[]).filter(
    (field) => !OWN_TYPES.has(field) && !isSameJson(before[field], after[field]),
  )
  if (before.status === after.status && before.status_message !== after.status_message) fields.push('status_message')
  if (fields.length > 0) add({ type: 'changed', fields })
  return changes
}

/** The salt of a split is no news for readers, and the record has it. */
function shareOf(target: LabelTarget | undefined): Activity['to_split'] {
  const { split } = target ?? {}
  return split ? { version: split.version, percent: split.percent } : null
}

/** Joins the changes since the build with those of the build, which may contain some of the same commits. */
export function joinChanges(built: readonly Activity[], fresh: readonly Activity[] = []): Activity[] {
  const commits = new Set(built.map(({ commit }) => commit))
  return [...fresh.filter(({ commit }) => !commits.has(commit)), ...built]
}

/**
 * Lists the activity of a repository, newest first.
 *
 * @param known the changes, from the build and since then
 * @param results the newest results of test suites, which are the current ones: git has those that they replaced
 */
export function listActivity(
  versions: readonly Pick<VersionRow, 'version' | 'published_at' | 'published_by'>[],
  known: KnownChanges,
  results: readonly Result[] = [],
): { activities: Activity[]; since: string | null } {
  const published = versions.map(
    ({ version, published_at, published_by }): Activity => ({
      type: 'published',
      at: published_at,
      by: published_by,
      commit: null,
      ...NOTHING,
      version,
    }),
  )
  // Results are not among the changes, so that frequent tests do not push the moves of labels out of them.
  const all = [...known.changes, ...published, ...listTests(results)]
  const first = Math.min(...published.map(({ at }) => Date.parse(at)))
  return {
    activities: all.sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, MAX_ACTIVITIES),
    since: known.since !== null && first < Date.parse(known.since) ? known.since : null,
  }
}

/** Lists the entries for results. */
export function listTests(results: readonly Result[]): Activity[] {
  return results.map(
    (result): Activity => ({
      type: 'tested',
      at: result.at,
      by: result.reported_by,
      commit: null,
      ...NOTHING,
      version: result.version,
      suite: result.suite,
      reason: describeOutcome(result),
    }),
  )
}

/** Describes an entry in words, without a period, such as `Moved label production from 1.0.0 to 1.1.0`. */
export function describeActivity(activity: Activity): string {
  const { type, version, label, from, to, from_split, to_split, reason, suite, fields } = activity
  const said = reason === null ? '' : `: ${reason}`
  const target = describeTarget({ version: to ?? '', split: to_split })
  switch (type) {
    case 'published':
      return `Published ${version}`
    case 'labelled':
      return from === null
        ? `Set label ${label} to ${target}${said}`
        : `Moved label ${label} from ${from} to ${target}${said}`
    case 'restored':
      return from === null
        ? `Set label ${label} back to ${target}${said}`
        : `Moved label ${label} back from ${from} to ${target}${said}`
    case 'split':
      return to_split === null
        ? `Ended the split of label ${label} with ${from_split?.version}${said}`
        : `Gave ${version} of label ${label} to ${to_split.percent} %${from_split?.version === version ? `, after ${from_split.percent} %` : ''}${said}`
    case 'unlabelled':
      return `Removed label ${label} from ${from}${said}`
    case 'yanked':
      return `Yanked ${version}: ${reason}`
    case 'unyanked':
      return `Restored ${version}`
    case 'removed':
      return `Removed ${version}: ${reason}`
    case 'status':
      return `Changed the status from ${from} to ${to}${said}`
    case 'changed':
      return `Changed ${fields.join(', ')}`
    case 'tested':
      return `Tested ${version} with ${suite}: ${reason}`
  }
}
