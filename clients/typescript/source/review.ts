// Compares a prompt with what the hub's records say about it. Sends no request.
import { activeOf, labelled } from './hub-reader.ts'
import { findRetiring, ripeOf } from './lifetime.ts'
import type { LockedPrompt, LockedSplit } from './lock.ts'
import { highestIn, isNewer, isRange } from './ranges.ts'
import type { RepositoryRecord, VersionChange, VersionRow } from './records.ts'
import { PromptHubError } from './trouble.ts'

/** A locked prompt, compared with the hub. */
export interface Reviewed {
  name: string
  locked: LockedPrompt
  /** The highest version in the range, or of the label; the locked version if there is none. */
  wanted: string
  /** The second version of the label, if it offers one. */
  split: LockedSplit | undefined
  /** The highest active version, or undefined. */
  latest: string | undefined
  /** What the hub says about it, each a sentence. */
  problems: Problem[]
  /** The breaking changes in the versions above the locked one, lowest first; none for an audit. */
  breaking: readonly VersionChange[]
}

/** Something that the hub says about a locked prompt. */
export interface Problem {
  kind: Fault | `included_${Exclude<Fault, 'other_bytes' | 'model_retires'>}` | Notice
  message: string
}

type Fault = 'gone' | 'other_bytes' | 'yanked' | 'advisory' | 'model_retires'
/** The problems for which an audit does not fail. */
const NOTICES = ['label_removed', 'deprecated', 'moved', 'capabilities', 'permissions'] as const
type Notice = (typeof NOTICES)[number]

/** What else a review considers. */
export interface ReviewOptions {
  /** How long a version must have been out to be `wanted`; default 0. */
  minAgeDays?: number
  /** Also finds models that retire within this many days, or have retired. */
  withinDays?: number
}

/** What the hub says about the locked version, and the second one of its label. */
export function problemsOf(
  name: string,
  locked: LockedPrompt,
  record: RepositoryRecord,
  rows: readonly VersionRow[],
): Problem[] {
  return versionsOf(locked)
    .flatMap(({ version, sha256 }) => {
      const row = rows.find((each) => each.version === version)
      const problems = judge('', `${name} ${version}`, version, record, row)
      if (row && row.content_sha256 !== sha256)
        problems.push({
          kind: 'other_bytes',
          message: `${name}: the hub lists other bytes for ${version} than prompts.lock does`,
        })
      return problems
    })
    .sort((a, b) => Number(b.kind === 'other_bytes') - Number(a.kind === 'other_bytes'))
}

/** The versions that a lock has of a prompt: the locked one and, beside it, the second one of its label. */
export function versionsOf({ version, sha256, split }: LockedPrompt): { version: string; sha256: string }[] {
  return [{ version, sha256 }, ...(split ? [{ version: split.version, sha256: split.sha256 }] : [])]
}

/** What the hub says about the prompt as a whole. */
export function noticesOf(
  name: string,
  { moved_to, status, status_message, replaced_by }: RepositoryRecord,
): Problem[] {
  if (moved_to) return [{ kind: 'moved', message: `${name} has moved to ${moved_to}; add that instead` }]
  if (status !== 'deprecated') return []
  const why = status_message ? `: ${status_message}` : ''
  return [{ kind: 'deprecated', message: `${name} is deprecated${why}${replaced_by ? `; use ${replaced_by}` : ''}` }]
}

/** The problems of a version. @param prefix of their kinds */
export function judge(
  prefix: '' | 'included_',
  what: string,
  version: string,
  record: RepositoryRecord | undefined,
  row: VersionRow | undefined,
): Problem[] {
  const problems: Problem[] = []
  if (!row) problems.push({ kind: `${prefix}gone`, message: `${what} is no longer on the hub` })
  else if (row.yanked)
    problems.push({
      kind: `${prefix}yanked`,
      message: `${what} was yanked${row.yank_reason ? `: ${row.yank_reason}` : ''}`,
    })
  for (const { versions, severity, message } of record?.advisories ?? [])
    if (versions.includes(version))
      problems.push({ kind: `${prefix}advisory`, message: `${what} has an advisory (${severity}): ${message}` })
  return problems
}

/** @throws PromptHubError `integrity` if the hub has other bytes than the lock for a locked version */
export function refuseOtherBytes(problems: readonly Problem[]): void {
  const refused = problems.find(({ kind }) => kind === 'other_bytes')
  if (refused) throw new PromptHubError('integrity', `${refused.message}; nothing was changed`)
}

/** The problems for which an audit fails. */
export function auditProblems({ problems }: Reviewed): string[] {
  return problems.filter(({ kind }) => NOTICES.every((notice) => notice !== kind)).map(({ message }) => message)
}

/** Compares a locked prompt with the hub's records. */
export function review(
  name: string,
  locked: LockedPrompt,
  record: RepositoryRecord,
  rows: readonly VersionRow[],
  { minAgeDays = 0, withinDays }: ReviewOptions,
): Reviewed {
  const { range, version } = locked
  const active = activeOf(rows)
  const ripe = minAgeDays === 0 ? active : activeOf(ripeOf(rows, minAgeDays, version, Date.now()))
  const target = isRange(range) ? highestIn(ripe, range) : labelled(record.labels, range)?.version
  const problems = problemsOf(name, locked, record, rows)
  const say = (kind: Problem['kind'], message: string) => problems.push({ kind, message })
  if (!isRange(range) && target === undefined)
    say(
      'label_removed',
      `${name}: the label ${range} was removed, so ${version} stays locked; add the prompt again with another label or a range`,
    )
  problems.push(...noticesOf(name, record))
  for (const each of withinDays === undefined ? [] : versionsOf(locked)) {
    const retiring = findRetiring(name, each.version, rows, withinDays!, Date.now())
    if (retiring !== undefined) say('model_retires', retiring)
  }
  const isActive = target !== undefined && ripe.includes(target)
  const found = isActive ? target : version
  // A locked version that was yanked stays until a newer one is old enough.
  const wanted = minAgeDays > 0 && isRange(range) ? highestIn([found, version], '*')! : found
  const young = minAgeDays === 0 ? [] : active.filter((one) => !ripe.includes(one))
  const split = splitOf(record, rows, range, wanted)
  const second = split && !young.includes(split.version) ? split : undefined
  return { name, locked, wanted, split: second, latest: highestIn(active, '*'), problems, breaking: [] }
}

/** The second version of a label, as a lock has it. @param first the version that the lock has @returns undefined without one, and for one that is not among the versions */
export function splitOf(
  { labels }: RepositoryRecord,
  rows: readonly VersionRow[],
  range: string,
  first: string,
): LockedSplit | undefined {
  const split = isRange(range) ? undefined : labelled(labels, range)?.split
  const row = split && rows.find(({ version, yanked }) => version === split.version && version !== first && !yanked)
  if (!split || !row) return undefined
  return { version: row.version, percent: split.percent, salt: split.salt, sha256: row.content_sha256 }
}

/** The breaking changes in the versions above one, lowest first. @param changes newest first */
export function breakingAbove(version: string, changes: readonly VersionChange[]): VersionChange[] {
  return changes.filter((each) => each.reasons.length > 0 && isNewer(each.version, version)).toReversed()
}

/** What callers must change, a sentence for each version: up to a version, or all. */
export function describeBreaking({ name, breaking }: Reviewed, upTo?: string): string[] {
  return breaking
    .filter(({ version }) => upTo === undefined || !isNewer(version, upTo))
    .map(({ version, reasons }) => `${name} ${version} is a breaking change: ${reasons.join(', ')}`)
}
