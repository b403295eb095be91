// Compares a lock with the hub, updates it, and removes prompts from it. docs/lock-file.md.
import { dirname, resolve } from 'node:path'
import { changeLock } from './changing.ts'
import { openLock } from './files.ts'
import { activeOf, HubReader, labelled } from './hub-reader.ts'
import { findRetiring, ripeOf } from './lifetime.ts'
import { FULL_NAME, type Lock, type LockedPrompt } from './lock.ts'
import { findDifference } from './placed.ts'
import { PromptHub } from './prompt-hub.ts'
import { refusePublisher } from './publisher.ts'
import { highestIn, isRange, isVersion } from './ranges.ts'
import { lockedHub, readTokenFor } from './read-token.ts'
import type { RepositoryRecord, VersionRow } from './records.ts'
import { requestSettings } from './requests.ts'
import { isNotFound, PromptHubError } from './trouble.ts'
import { fetchPrompt, requirePinned } from './vendoring.ts'

/** A locked prompt, compared with the hub. */
export interface Reviewed {
  name: string
  locked: LockedPrompt
  /** The highest version in the range, or of the label; the locked version if there is none. */
  wanted: string
  /** The highest active version, or undefined. */
  latest: string | undefined
  /** What the hub says about it, each a sentence. */
  problems: Problem[]
}

/** Something that the hub says about a locked prompt. */
interface Problem {
  kind: Fault | `included_${Exclude<Fault, 'other_bytes' | 'model_retires'>}` | Notice
  message: string
}

type Fault = 'gone' | 'other_bytes' | 'yanked' | 'advisory' | 'model_retires'
/** The problems for which an audit does not fail. */
const NOTICES = ['label_removed', 'deprecated', 'moved'] as const
type Notice = (typeof NOTICES)[number]

/** What else a review considers. */
export interface ReviewOptions {
  /** How long a version must have been out to be `wanted`; default 0. */
  minAgeDays?: number
  /** Also finds models that retire within this many days, or have retired. */
  withinDays?: number
}

/** What an update takes. */
export interface UpdateOptions extends Pick<ReviewOptions, 'minAgeDays'> {
  /** Also takes versions of another workflow than that of the locked version, or without its attestation. */
  acceptPublisher?: boolean
}

/**
 * Compares the prompts of a lock with the hub.
 *
 * @param names full names; default: all
 * @throws PromptHubError `invalid_request` for a name that is not in the lock, and the errors of the requests
 */
export async function reviewLock(
  lockPath: string,
  names: readonly string[] = [],
  options: ReviewOptions = {},
): Promise<Reviewed[]> {
  const { lock } = await openLock(lockPath)
  const strange = names.find((name) => !Object.hasOwn(lock.prompts, name))
  if (strange !== undefined) throw notLocked(strange)
  const never = { freshMs: 0, revalidateMs: 0, store: undefined, now: Date.now, onStale() {} }
  const reader = new HubReader(
    lock.hub,
    { ...never, requests: requestSettings({}, readTokenFor(lock.hub, {})) },
    () => {},
  )
  const wanted = Object.entries(lock.prompts).filter(([name]) => names.length === 0 || names.includes(name))
  return Promise.all(
    wanted.map(async ([name, locked]) => {
      const { record, rows } = await reader.readState(name, locked.version)
      const reviewed = review(name, locked, record, rows, options)
      // Only an audit asks about models, and about what a version includes.
      if (options.withinDays !== undefined)
        reviewed.problems.push(...(await reviewIncluded(name, locked.version, rows, reader)))
      return reviewed
    }),
  )
}

/** Returns what the hub says about the versions that a version includes. @param listed the versions of its prompt */
async function reviewIncluded(
  name: string,
  version: string,
  listed: readonly VersionRow[],
  reader: HubReader,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const address of listed.find((row) => row.version === version)?.included ?? []) {
    const [part = '', number = ''] = address.split('@')
    if (!FULL_NAME.test(part) || !isVersion(number))
      throw new PromptHubError('unavailable', `${name}: the hub did not return a list of versions.`)
    const state = await reader.readState(part, number).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
    const what = `${name} ${version} includes ${part} ${number}, which`
    const row = state?.rows.find((each) => each.version === number)
    problems.push(...judge('included_', what, number, state?.record, row))
  }
  return problems
}

/** The problems of a version. @param prefix of their kinds */
function judge(
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

/** The problems for which an audit fails. */
export function auditProblems({ problems }: Reviewed): string[] {
  return problems.filter(({ kind }) => NOTICES.every((notice) => notice !== kind)).map(({ message }) => message)
}

function review(
  name: string,
  locked: LockedPrompt,
  record: RepositoryRecord,
  rows: readonly VersionRow[],
  { minAgeDays = 0, withinDays }: ReviewOptions,
): Reviewed {
  const { range, version } = locked
  const active = activeOf(rows)
  const ripe = minAgeDays === 0 ? active : activeOf(ripeOf(rows, minAgeDays, version, Date.now()))
  const target = isRange(range) ? highestIn(ripe, range) : labelled(record.labels, range)
  const problems: Problem[] = []
  const say = (kind: Problem['kind'], message: string) => problems.push({ kind, message })
  const row = rows.find((each) => each.version === version)
  if (row && row.content_sha256 !== locked.sha256)
    say('other_bytes', `${name}: the hub lists other bytes for ${version} than prompts.lock does`)
  problems.push(...judge('', `${name} ${version}`, version, record, row))
  if (!isRange(range) && target === undefined)
    say(
      'label_removed',
      `${name}: the label ${range} was removed, so ${version} stays locked; add the prompt again with another label or a range`,
    )
  if (record.moved_to) say('moved', `${name} has moved to ${record.moved_to}; add that instead`)
  else if (record.status === 'deprecated')
    say(
      'deprecated',
      `${name} is deprecated${record.status_message ? `: ${record.status_message}` : ''}${record.replaced_by ? `; use ${record.replaced_by}` : ''}`,
    )
  const retiring = withinDays === undefined ? undefined : findRetiring(name, version, rows, withinDays, Date.now())
  if (retiring !== undefined) say('model_retires', retiring)
  const isActive = target !== undefined && ripe.includes(target)
  return { name, locked, wanted: isActive ? target : version, latest: highestIn(active, '*'), problems }
}

/**
 * Updates prompts to the newest version in their range or of their label, and restores missing files: all of them or none.
 *
 * @param names full names; default: all
 * @returns the prompts as they were before, with what was found; those with another `wanted` version were updated
 */
export async function updateLock(
  lockPath: string,
  names: readonly string[] = [],
  options: UpdateOptions = {},
): Promise<Reviewed[]> {
  const { lock } = await openLock(lockPath)
  const reviewed = await reviewLock(lockPath, names, options)
  const refused = reviewed.flatMap(({ problems }) => problems).find(({ kind }) => kind === 'other_bytes')
  if (refused) throw new PromptHubError('integrity', `${refused.message}; nothing was changed`)
  const hub = new PromptHub(lockedHub(lock.hub))
  const folder = dirname(resolve(lockPath))
  const fetched = await Promise.all(
    reviewed.map(async ({ name, locked, wanted }) => {
      if (wanted === locked.version && !(await findDifference(folder, locked))) return []
      const { prompt, locked: now } = await fetchPrompt(hub, await hub.get(name, { version: wanted }), locked)
      if (wanted === locked.version) requirePinned(name, now, locked)
      return [{ name, before: locked, now, prompt }]
    }),
  )
  const found = fetched.flat()
  if (found.length === 0) return reviewed
  for (const { name, before, now } of options.acceptPublisher ? [] : found) {
    const refused = refusePublisher(`${name} ${now.version}`, before.publisher, now.publisher)
    if (refused !== undefined) throw new PromptHubError('integrity', `${refused}; nothing was changed`)
  }
  const change = ({ prompts }: Lock) =>
    found.map(({ name, before, now, prompt }) => {
      const { path, sha256, range = now.range } = prompts[name] ?? {}
      if (path !== before.path || sha256 !== before.sha256)
        throw new PromptHubError('integrity', 'prompts.lock was changed in the meantime; run this again')
      prompts[name] = { ...now, range }
      return prompt
    })
  await changeLock(lockPath, { hub: lock.hub, change })
  return reviewed
}

/**
 * Removes prompts from a lock, and deletes their files unless they were changed by hand.
 *
 * @param say called with instructions for the user
 * @returns the removed entries, by full name
 */
export async function removeFromLock(
  lockPath: string,
  names: readonly string[],
  say: (sentence: string) => void = () => {},
): Promise<[name: string, locked: LockedPrompt][]> {
  const { lock } = await openLock(lockPath)
  const removed: [string, LockedPrompt][] = []
  const change = ({ prompts }: Lock) => {
    for (const name of names) {
      const locked = Object.hasOwn(prompts, name) ? prompts[name] : undefined
      if (!locked) throw notLocked(name)
      removed.push([name, locked])
      delete prompts[name]
    }
    return []
  }
  await changeLock(lockPath, { hub: lock.hub, change, say })
  return removed
}

function notLocked(name: string): PromptHubError {
  return new PromptHubError('invalid_request', `${name} is not in prompts.lock`)
}
