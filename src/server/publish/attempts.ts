// Writes with retries: reads git, decides, and commits only if nothing has changed. If another commit came first or the outcome is unknown, tries again.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../../domain/api/errors.ts'
import { formatPath } from '../../domain/content/content-path.ts'
import type { OwnerFile } from '../../domain/content/prompt-file.ts'
import { readOwner } from '../../domain/publishing/repository-state.ts'
import { attestationName } from '../../domain/values/attestation-name.ts'
import { digestVersionFiles } from '../../files/measure.ts'
import { type Additions, blobId, type CallOptions, type FolderState, type GitStore } from '../../git/git-store.ts'
import type { FreshCopy } from '../../state/fresh-copies.ts'
import { type GitSources, joinServed, openReaders, type Readers } from './read-from-git.ts'
import type { Written } from './renew-fresh-copy.ts'

/** The source of time and randomness for a publish, passed in so that tests can control both. */
export interface Clock {
  /** Returns the milliseconds since 1970. */
  now: () => number
  /** Returns a random number of at least 0 and less than 1. */
  random: () => number
  /** Returns a unique ID. */
  newId: () => string
  sleep: (ms: number) => Promise<unknown>
}

/** Opens a clock for one write, with real randomness. It reads the time once: a machine whose clock is set meanwhile neither ends the write nor extends it. */
export function openClock(): Clock {
  const offsetMs = Date.now() - performance.now()
  return { now: () => Math.round(offsetMs + performance.now()), random: Math.random, newId: randomUUID, sleep }
}

/** Time limit for a publish, from the arrival of its request and including the time in the queue. It is well below a function's limit of 60 s, and no longer than clients wait. */
const DEADLINE_MS = 25_000
/** Time limit for one call to the git host. */
const CALL_MS = 8_000
/** How fast files reach the git host at least. */
const BYTES_PER_MS = 1_000
/** Approximate duration of a read and a commit. If less time remains, no attempt is started. */
const ATTEMPT_MS = 3_000
/** How long after the arrival of its request a publish can still start. */
export const LATEST_START_MS = DEADLINE_MS - ATTEMPT_MS
/** Maximum number of times to reread a stale listing before using it anyway. */
const MAX_REREADS = 5

/** The response to a write. */
export interface WriteAnswer {
  /** The record, whether nothing changed, and the commit; null until it is made. */
  data: { unchanged: boolean; commit: { sha: string; url: string | null } | null }
  status?: 200 | 201
  headers?: Readonly<Record<string, string>>
  /** Says the same in text; only for a sender that wants that. */
  inText?: (data: WriteAnswer['data']) => string
}

/** The decision of one attempt: either a commit to make or a response without a commit. `Shown` is what the fresh copy needs to know. */
export type WriteDecision<Shown extends object = ShownRepository> =
  | {
      kind: 'commit'
      additions: Omit<Additions, 'base'>
      /** The data about the commit that the fresh copy needs. */
      shown: Shown
      answer: WriteAnswer
    }
  | {
      kind: 'answer'
      answer: WriteAnswer
      /** Set if an earlier attempt made the commit, but it is not visible to readers yet. */
      shown?: Shown
    }

type ShownRepository = Pick<Written, 'file' | 'entry' | 'added' | 'files' | 'tested' | 'attestations' | 'mark'>

/** A write to one repository or, without a name, to one owner. */
export interface GitWrite<Shown extends object = ShownRepository> {
  owner: string
  name: string | undefined
  /** The time when the request had arrived, in milliseconds. */
  arrivedMs: number
  /** Whether the decision needs the last 100 commits. */
  needsHistory: boolean
  /** Decides based on what is in git. Different decisions for the same write have different commit subjects. @throws HubError for every rejection */
  decide: (folder: FolderState, readers: Readers) => Promise<WriteDecision<Shown>>
}

/** A write to one repository: a publish, or a change to what is already published. */
export type RepositoryWrite = GitWrite & { name: string }

/** The final outcome: a response and, if a commit must be made visible to readers, what it changed and in which folder. */
interface FinalOutcome<Shown extends object> {
  answer: WriteAnswer
  toShow?: Shown & { folder: FolderState; commit: string; atMs: number | undefined }
  /** The version that was published. */
  published?: { version: string; digest: string } | undefined
}

/** The deadline of a publish. */
interface Deadline extends Pick<Clock, 'now' | 'sleep'> {
  endsMs: number
}

/**
 * Carries out a write in as many attempts as needed within the time limit.
 *
 * @param copy the fresh copy of the repository, whose versions exist even if they are missing from a git listing
 * @throws HubError from an attempt; `unavailable` with Retry-After when the time limit is reached: either nothing was written, or a retry will find what was written
 */
export async function writeWithRetries<Shown extends object = ShownRepository>(
  write: GitWrite<Shown>,
  deps: GitSources,
  copy: Pick<FreshCopy, 'versions'> | undefined,
  { now, random, newId, sleep }: Clock,
): Promise<FinalOutcome<Shown>> {
  const { git } = deps
  const deadline: Deadline = { endsMs: write.arrivedMs + DEADLINE_MS, now, sleep }
  /** The same in all attempts; identifies this write's commit. */
  const operation = ['Operation-Id', newId()] as const
  let isInDoubt = false
  /** The attempts whose commits were sent, by commit subject. If a response was lost and a later attempt finds the commit, the subject identifies the attempt that made it. */
  const sent = new Map<string, Extract<WriteDecision<Shown>, { kind: 'commit' }>>()
  const finish = (
    { shown, answer, additions }: Extract<WriteDecision<Shown>, { kind: 'commit' }>,
    folder: FolderState,
    { sha, url, atMs }: { sha: string; url: string | null; atMs: number | undefined },
  ) => ({
    answer: { ...answer, data: { ...answer.data, commit: { sha, url } } },
    toShow: { ...shown, folder, commit: sha, atMs },
    published: digestAdded(additions, sha.length),
  })
  let rereads = 0
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await waitBefore(attempt, { random, sleep })
    if (leftMs(deadline) < ATTEMPT_MS) throw tooLate()
    const { owner, name, needsHistory } = write
    const question = { owner, name, withPublishes: needsHistory || isInDoubt }
    const listed = await readOrWait(deadline, (call) => git.readFolder(question, call))
    if (listed === undefined) continue
    const folder = name === undefined ? listed : await joinServed({ owner, name }, listed, deps)
    const ours = isInDoubt && folder.publishes.find(({ trailers }) => trailers.get(operation[0]) === operation[1])
    const carriedOut = ours && sent.get(ours.headline)
    if (carriedOut) return finish(carriedOut, folder, ours)
    if (isStale(copy, listed) && rereads++ < MAX_REREADS) continue
    // The hub may serve this write's own version already, because another hub has published after it.
    if (isInDoubt && folder.versions.size > listed.versions.size && rereads++ < MAX_REREADS) continue
    const decided = await readOrWait(deadline, (call) => write.decide(folder, openReaders(write, folder, deps, call)))
    if (decided === undefined) continue
    if (decided.kind === 'answer') {
      const { answer, shown } = decided
      return shown ? { answer, toShow: { ...shown, folder, commit: folder.head, atMs: folder.headMs } } : { answer }
    }
    const { headline, trailers } = decided.additions.message
    sent.set(headline, decided)
    const message = { headline, trailers: [...trailers, operation] }
    const outcome = await git.commit(
      { ...decided.additions, message, base: folder },
      callWithin(deadline, commitMs(decided.additions)),
    )
    if (outcome.kind === 'committed') return finish(decided, folder, outcome)
    if (outcome.kind === 'busy') await waitOrGiveUp(deadline, outcome.retryAfterSeconds)
    if (outcome.kind === 'unknown') isInDoubt = true
  }
}

/**
 * Reads the owner's file, which determines access, before a publish waits for its turn. Retries temporary failures while time remains.
 *
 * @throws HubError like `writeWithRetries`, and `upstream_error` for an invalid file
 */
export async function readOwnerFile(
  git: GitStore,
  { owner, name, arrivedMs }: { owner: string; name: string | undefined; arrivedMs: number },
  { now, random, sleep }: Clock,
): Promise<OwnerFile | undefined> {
  const deadline: Deadline = { endsMs: arrivedMs + DEADLINE_MS, now, sleep }
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await waitBefore(attempt, { random, sleep })
    if (leftMs(deadline) < ATTEMPT_MS) throw tooLate()
    const folder = await readOrWait(deadline, (call) => git.readFolder({ owner, name }, call))
    if (folder) return readOwner(owner, folder.ownerIndex)
  }
}

/** Returns the number and the digest of the version that a commit adds; undefined if it adds none. @param hexDigits the length of git's IDs */
function digestAdded({ owner, name, version: added }: Omit<Additions, 'base'>, hexDigits: number) {
  if (!added || name === undefined) return undefined
  const { version, text, files = [], attestations = [] } = added
  const place = { owner, name, version }
  const idOf = (bytes: Uint8Array | string) => blobId(Buffer.from(bytes), hexDigits)
  const digest = digestVersionFiles(
    new Map([
      [formatPath({ kind: 'version', ...place }), idOf(text)],
      ...files.map(({ path, bytes }) => [formatPath({ kind: 'file', ...place, path }), idOf(bytes)] as const),
      ...attestations.map(
        (one, index) =>
          [formatPath({ kind: 'attestation', ...place, file: attestationName(index) }), idOf(one)] as const,
      ),
    ]),
  )
  return { version, digest }
}

/** Waits for a random time before another attempt, so that processes do not collide again. */
async function waitBefore(attempt: number, { random, sleep }: Pick<Clock, 'random' | 'sleep'>): Promise<void> {
  await sleep(random() * Math.min(2_000, 100 * 2 ** attempt))
}

/** Returns whether a listing lacks a version that is known to exist, which can happen because the host's reads may lag several seconds behind its writes. */
export function isStale(
  copy: { versions: readonly { version: string }[] } | undefined,
  { versions }: FolderState,
): boolean {
  return copy?.versions.some(({ version }) => !versions.has(version)) ?? false
}

function leftMs({ endsMs, now }: Deadline): number {
  return endsMs - now()
}

function callWithin(deadline: Deadline, mostMs = CALL_MS): CallOptions {
  return { signal: AbortSignal.timeout(Math.max(1, Math.min(mostMs, leftMs(deadline)))) }
}

/** Returns the time limit for a commit: the files of a skill take a while to send. */
function commitMs({ version }: Pick<Additions, 'version'>): number {
  const bytes = version?.files?.reduce((sum, { bytes: { length } }) => sum + length, 0) ?? 0
  return CALL_MS + Math.ceil(bytes / BYTES_PER_MS)
}

/** Runs a read. If the git host fails, waits as long as it requests. @returns undefined if there is time to read again @throws the failure if there is no time left */
async function readOrWait<Value>(
  deadline: Deadline,
  read: (call: CallOptions) => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await read(callWithin(deadline))
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'unavailable') throw error
    // If the git host did not say how long to wait, the response says that the host is busy and that a retry finds anything that was written.
    const ending = error.retryAfterSeconds === undefined ? tooLate(undefined, error.cause) : error
    await waitOrGiveUp(deadline, error.retryAfterSeconds ?? 0, ending)
    return undefined
  }
}

async function waitOrGiveUp(
  deadline: Deadline,
  retryAfterSeconds: number,
  error = tooLate(retryAfterSeconds),
): Promise<void> {
  const waitMs = retryAfterSeconds * 1000
  if (leftMs(deadline) - waitMs < ATTEMPT_MS) throw error
  await deadline.sleep(waitMs)
}

function tooLate(retryAfterSeconds = 5, cause?: unknown): HubError {
  const seconds = Math.max(1, retryAfterSeconds)
  return new HubError(
    'unavailable',
    `The git host is busy or does not respond. A retry finds anything that was written; try again in ${seconds} s.`,
    { retryAfterSeconds: seconds, cause },
  )
}
