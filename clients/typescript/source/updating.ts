// Compares a lock with the hub, updates it, and removes prompts from it. docs/lock-file.md.
import { dirname, resolve } from 'node:path'
import { openSignatures, type SignatureOptions, type Signatures } from './attested.ts'
import { Breaker } from './breaker.ts'
import { type DenyOptions, reviewGained } from './capabilities.ts'
import { type ChangedPrompt, changedPrompt, changeLock, type NewPrompt, placesIn, requireUnedited } from './changing.ts'
import { targetsOf } from './choosing.ts'
import { openLock } from './files.ts'
import { HubReader } from './hub-reader.ts'
import type { Lock, LockedPrompt, LockedSplit, Place } from './lock.ts'
import { findDifferences } from './placed.ts'
import { PromptHub } from './prompt-hub.ts'
import { refusePublisher } from './publisher.ts'
import { isNewer } from './ranges.ts'
import { lockedHub, readTokenFor } from './read-token.ts'
import { mapRequests, requestSettings } from './requests.ts'
import { breakingAbove, judge, type Problem, type Reviewed, type ReviewOptions, review, versionsOf } from './review.ts'
import { isNotFound, PromptHubError } from './trouble.ts'
import { fetchPrompt, requirePinned } from './vendoring.ts'

/** What an update takes. */
export interface UpdateOptions extends Pick<ReviewOptions, 'minAgeDays'>, DenyOptions, SignatureOptions {
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
  requireNames(lock, names)
  const reviewOne = openReviewer(lock, options)
  const wanted = Object.keys(lock.prompts).filter((name) => names.length === 0 || names.includes(name))
  return mapRequests(wanted, reviewOne)
}

/** Opens the hub of a lock. @returns compares a prompt with it */
function openReviewer(lock: Lock, options: ReviewOptions): (name: string) => Promise<Reviewed> {
  const requests = requestSettings({}, readTokenFor(lock.hub, {}))
  const settings = { store: undefined, requests, breaker: new Breaker(Date.now, () => {}), now: Date.now, onStale() {} }
  const limits = { endsAt: Number.POSITIVE_INFINITY, hasFallback: false, waitUntil: undefined }
  const reader = new HubReader(lock.hub, settings, { freshMs: 0, revalidateMs: 0, ...limits }, () => {})
  return async (name) => {
    const locked = lock.prompts[name]!
    const { record, rows } = await reader.readState(name, locked.version)
    const reviewed = review(name, locked, record, rows, options)
    // Only an audit asks about models, and about what a version includes. It is about the locked version alone.
    if (options.withinDays !== undefined) {
      for (const each of versionsOf(locked))
        reviewed.problems.push(...(await reviewIncluded(name, each.version, reader)))
    } else if ([reviewed.wanted, reviewed.latest].some((each) => each !== undefined && isNewer(each, locked.version)))
      reviewed.breaking = breakingAbove(locked.version, await reader.readChanges(name))
    return reviewed
  }
}

/** Returns what the hub says about the versions that a version includes. */
async function reviewIncluded(name: string, version: string, reader: HubReader): Promise<Problem[]> {
  const problems: Problem[] = []
  // A version that is gone is a problem of its own.
  const included = await reader.readIncluded(name, version).catch((error: unknown): string[] => {
    if (!isNotFound(error)) throw error
    return []
  })
  for (const address of included) {
    const [part = '', number = ''] = address.split('@')
    const state = await reader.readState(part, number).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
    const what = `${name} ${version} includes ${part} ${number}, which`
    const row = state?.rows.find((each) => each.version === number)
    problems.push(...judge('included_', what, number, state?.record, row))
  }
  return problems
}

/** What an update did. */
interface Updated {
  /** The prompts as they were before, with what was found; those with another `wanted` version were updated. */
  reviewed: Reviewed[]
  /** Those whose files were written. */
  changed: ChangedPrompt[]
  /** Why prompts were not updated. */
  blocked: PromptHubError[]
  /** Why signatures were not verified; undefined if they were, or if there are none. */
  unverified: string | undefined
}

/** A prompt to update. */
interface Update {
  name: string
  before: LockedPrompt
  now: LockedPrompt
  prompts: NewPrompt[]
  unverified: string | undefined
}

/**
 * Updates prompts to the newest version in their range or of their label, and restores missing files. A prompt that cannot be updated stays as it is, and the others are updated.
 *
 * @param names full names; default: all
 */
export async function updateLock(
  lockPath: string,
  names: readonly string[] = [],
  options: UpdateOptions = {},
): Promise<Updated> {
  const { lock } = await openLock(lockPath)
  requireNames(lock, names)
  const hub = new PromptHub(lockedHub(lock.hub))
  const reviewOne = openReviewer(lock, options)
  const signatures = openSignatures(hub, options)
  const folder = dirname(resolve(lockPath))
  const wanted = Object.keys(lock.prompts).filter((name) => names.length === 0 || names.includes(name))
  const tried = await mapRequests(wanted, async (name) => {
    try {
      const reviewed = await reviewOne(name)
      return { reviewed, update: await prepareUpdate({ hub, folder, lock, signatures }, reviewed, options) }
    } catch (error) {
      // Any other trouble would meet the other prompts, too.
      if (error instanceof PromptHubError && ['integrity', 'not_found'].includes(error.code)) return { name, error }
      throw error
    }
  })
  const found = tried.flatMap(({ update }) => update ?? [])
  const change = ({ prompts }: Lock) =>
    found.flatMap(({ name, before, now, prompts: files }) => {
      const { sha256, places = [], range = now.range } = prompts[name] ?? {}
      if (pathsOf(places) !== pathsOf(before.places) || sha256 !== before.sha256)
        throw new PromptHubError('integrity', 'prompts.lock was changed in the meantime; run this again')
      prompts[name] = { ...now, range }
      return files
    })
  if (found.length > 0) await changeLock(lockPath, { hub: lock.hub, change })
  const blocked = tried.flatMap(({ name, error }) =>
    error ? [explainBlocked(error, name, lock.prompts[name]!.version, found.length > 0)] : [],
  )
  const changed = found.map(({ name, before, now }) => changedPrompt(name, now, before.version))
  const unverified = found.find((each) => each.unverified !== undefined)?.unverified
  return { reviewed: tried.flatMap(({ reviewed }) => reviewed ?? []), changed, blocked, unverified }
}

/** Fetches what a prompt is updated to. @returns undefined if it is up to date @throws PromptHubError if it must stay as it is */
async function prepareUpdate(
  { hub, folder, lock, signatures }: { hub: PromptHub; folder: string; lock: Lock; signatures: Signatures },
  { name, locked, wanted, split, problems }: Reviewed,
  { acceptPublisher = false, ...denying }: UpdateOptions,
): Promise<Update | undefined> {
  const other = problems.find(({ kind }) => kind === 'other_bytes')
  if (other)
    throw new PromptHubError(
      'integrity',
      `${other.message}; nothing was changed. To take those of the hub: prompt-hub remove ${name}, and add it again`,
    )
  const isSame = wanted === locked.version && JSON.stringify(split) === JSON.stringify(locked.split)
  if (isSame && (await findDifferences(folder, locked)).length === 0) return undefined
  const {
    prompts,
    locked: now,
    granted,
  } = await fetchPrompt(hub, folder, await hub.get(name, { version: wanted }), {
    range: locked.range,
    targets: targetsOf(locked),
    split,
    keepsPermissions: locked.keepsPermissions,
  })
  if (wanted === locked.version) requirePinned(name, now, locked)
  const refused = acceptPublisher
    ? undefined
    : (refusePublisher(`${name} ${now.version}`, locked.publisher, now.publisher) ??
      (await refuseSecond(hub, name, locked, split)))
  if (refused !== undefined) throw new PromptHubError('integrity', `${refused}; nothing was changed`)
  const unverified = await signatures.check(name, now)
  await requireUnedited(folder, placesIn(lock), prompts)
  problems.push(...granted, ...(await reviewGained(hub, name, { locked, gained: now }, lock.deny ?? [], denying)))
  return { name, before: locked, now, prompts, unverified }
}

/** Refuses the second version of a label by the same rule as the first. @returns why, or undefined */
async function refuseSecond(
  hub: PromptHub,
  name: string,
  { publisher }: LockedPrompt,
  split: LockedSplit | undefined,
): Promise<string | undefined> {
  if (!split || !publisher) return undefined
  const { version } = split
  return refusePublisher(`${name} ${version}`, publisher, (await hub.get(name, { version })).publisher)
}

/** Says that a prompt stays as it is, and the way out. */
function explainBlocked(error: PromptHubError, name: string, version: string, hasOthers: boolean): PromptHubError {
  let { message } = error
  if (error.code === 'not_found') {
    if (!message.includes('nothing was changed')) message += '; nothing was changed'
    message += `. To go on without it: prompt-hub remove ${name}`
  }
  if (hasOthers) message = message.replace(/nothing was (?:changed|replaced)/i, `${name} stays at ${version}`)
  return new PromptHubError(error.code, message, { cause: error })
}

function pathsOf(places: readonly Place[]): string {
  return JSON.stringify(places.map(({ path }) => path))
}

/**
 * Removes prompts from a lock, or the place with a path, and deletes their files unless they were changed by hand.
 *
 * @param say called with what is deleted and with instructions for the user
 * @returns what was removed
 */
export async function removeFromLock(
  lockPath: string,
  names: readonly string[],
  say: (sentence: string) => void = () => {},
  path?: string,
): Promise<ChangedPrompt[]> {
  const { lock } = await openLock(lockPath)
  const removed: ChangedPrompt[] = []
  const change = ({ prompts }: Lock) => {
    for (const name of new Set(names)) {
      const locked = Object.hasOwn(prompts, name) ? prompts[name] : undefined
      if (!locked) throw notLocked(name)
      const wanted = path?.replace(/\/+$/, '')
      const kept = wanted === undefined ? [] : locked.places.filter((place) => place.path !== wanted)
      const gone = locked.places.filter((place) => !kept.includes(place))
      if (gone.length === 0) {
        const there = locked.places.map((place) => place.path).join(', ')
        throw new PromptHubError('invalid_request', `${name} is not at ${wanted}; it is at ${there}`)
      }
      removed.push(changedPrompt(name, { ...locked, places: gone }))
      if (kept.length > 0) prompts[name] = { ...locked, places: kept }
      else delete prompts[name]
    }
    return []
  }
  await changeLock(lockPath, { hub: lock.hub, change, say })
  return removed
}

/** @throws PromptHubError `invalid_request` for a name that is not in the lock */
function requireNames({ prompts }: Lock, names: readonly string[]): void {
  const strange = names.find((name) => !Object.hasOwn(prompts, name))
  if (strange !== undefined) throw notLocked(strange)
}

function notLocked(name: string): PromptHubError {
  return new PromptHubError('invalid_request', `${name} is not in prompts.lock`)
}
