// Carries out a write, from its sender's turn until readers see it: reads git, decides, and commits only if nothing has changed. If another commit came first or the outcome is unknown, tries again.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { mapConcurrently } from '../../concurrency/promises.ts'
import type { Permission } from '../../domain/access/token.ts'
import { ownerCacheTag, repositoryCacheTag, tagCacheTag } from '../../domain/api/caching.ts'
import { HubError } from '../../domain/api/errors.ts'
import { type ChangeMark, listTrailers } from '../../domain/catalogue/change-mark.ts'
import { formatPath } from '../../domain/content/content-path.ts'
import type { OwnerFile } from '../../domain/content/prompt-file.ts'
import { readOwner } from '../../domain/publishing/repository-state.ts'
import { attestationName } from '../../domain/values/attestation-name.ts'
import { digestVersionFiles } from '../../files/measure.ts'
import { type Additions, blobId, type CallOptions, type FolderState, type GitStore } from '../../git/git-store.ts'
import type { FreshCopy, WriteOrigin } from '../../state/fresh-copies.ts'
import { respondWithRecord, respondWithText } from '../respond.ts'
import type { Bearer } from './authenticate.ts'
import type { PublishHub } from './publish-hub.ts'
import { type GitSources, joinServed, openReaders, type Readers } from './read-from-git.ts'
import { renewFreshCopy, type Written } from './renew-fresh-copy.ts'

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

/** A write by an authenticated sender. */
export interface Sending {
  owner: string
  /** Empty if the write is to the owner itself. */
  name: string
  bearer: Bearer
  /** When the request had arrived, in milliseconds since 1970. */
  arrivedMs: number
  /** Whether the sender wants a response in text, where there is one. */
  wantsText?: boolean
}

/** A body: text, or the bytes of an archive. */
export type Body = string | Uint8Array<ArrayBuffer>

/** Parses the body of a write whose URL and headers are valid: text or, for a publish, an archive. @throws HubError with all of its problems */
export type ParseWrite = (body: Body, deps: Pick<PublishHub, 'runLong' | 'parseArchive'>) => Promise<ParsedWrite>

/** A write whose body is valid. */
interface ParsedWrite {
  /** The permission that the write needs. */
  needed: Permission
  /** Carries out the write. @throws HubError for every rejection in docs/contract.md section 6 that requires git */
  carryOut(sending: Sending, deps: PublishHub, time: Clock): Promise<Response>
  /** The prompts that it changes; by default, the one of the path. */
  names?: readonly string[]
}

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

/**
 * Opens a write of one commit that needs no more than the permission to publish.
 *
 * @param read parses the body, which is no archive: only a publish may be one
 * @param decide decides an attempt
 */
export function openCommit<Change>(
  read: (body: string) => Change,
  decide: (
    sending: Sending,
    change: Change,
    folder: FolderState,
    readers: Readers,
    deps: PublishHub,
    time: Clock,
  ) => Promise<WriteDecision>,
): ParseWrite {
  return async (body) => {
    const change = read(String(body))
    return {
      needed: 'publish',
      async carryOut(sending, deps, time) {
        const write = {
          ...sending,
          needsHistory: false,
          decide: (folder: FolderState, readers: Readers) => decide(sending, change, folder, readers, deps, time),
        }
        return writeToGit(write, sending.bearer, deps, time)
      },
    }
  }
}

/** Returns the message of a commit that changes what is already published. */
export function changeMessage(
  { owner, bearer }: Sending,
  headline: string,
  mark: ChangeMark = markOf(bearer),
): Additions['message'] {
  return { headline, trailers: [['Changed-By', bearer.login ?? owner], ...listTrailers(mark)] }
}

/** Returns what a commit says of its sender and, of a label that moves, why and of which prompts it went back. */
export function markOf(
  { tokenName, provenance }: Pick<Bearer, 'tokenName' | 'provenance'>,
  { reason = null, restored = [] }: { reason?: string | null | undefined; restored?: readonly string[] } = {},
): ChangeMark {
  const by_workflow = provenance ? `${provenance.repository}/${provenance.workflow}` : null
  return { by_token: tokenName ?? null, by_workflow, reason, restored }
}

/** Carries out a write when it is its sender's turn, and makes it visible immediately. @throws HubError for every rejection in docs/contract.md section 6 that requires git */
export async function writeToGit(
  write: RepositoryWrite,
  bearer: Pick<Bearer, 'publisher' | 'login'>,
  deps: PublishHub,
  time: Clock,
): Promise<Response> {
  const { owner, name, arrivedMs } = write
  return writeInTurn({ sender: bearer.publisher, arrivedMs }, deps, time, async () => {
    const { fresh } = deps
    const copy = fresh.held?.size === 0 ? undefined : await fresh.find('repositories', owner, name)
    const { answer, toShow, published } = await writeWithRetries(write, deps, copy, time)
    if (published) await deps.rememberVersion({ owner, name }, published).catch(logFailure)
    const { data, status, headers, inText } = answer
    const response = inText ? respondWithText(inText(data), status, headers) : respondWithRecord(data, status, headers)
    if (!toShow) return { response, shown: [] }
    return { response, shown: [showingOf({ owner, name, ...toShow }, copy, bearer, deps, new Date(time.now()))] }
  })
}

/** What makes a write visible. */
interface Showing {
  origin: WriteOrigin
  /** Stores a fresh copy of what was written. */
  keepCopy: () => Promise<void>
}

/**
 * Writes when it is the sender's turn, and makes visible what was written. Where other machines serve the hub as well, the copies are stored in the turn: if they were stored
 * later, an older write's copy could replace a newer copy. Elsewhere, the catalogue advances after the turn, and a copy shows the write only if it cannot.
 *
 * @param work returns the response, and what was written
 */
export async function writeInTurn(
  { sender, arrivedMs }: { sender: string; arrivedMs: number },
  { takeTurn, isAlone, advance }: Pick<PublishHub, 'takeTurn' | 'isAlone' | 'advance'>,
  time: Clock,
  work: () => Promise<{ response: Response; shown: readonly Showing[] }>,
): Promise<Response> {
  const waitMs = arrivedMs + DEADLINE_MS - ATTEMPT_MS - time.now()
  const { response, shown } = await takeTurn({ sender, waitMs }, async () => {
    const written = await work()
    if (!isAlone) await mapConcurrently(AT_ONCE, written.shown, ({ keepCopy }) => keepCopy().catch(logFailure))
    return written
  })
  await Promise.all(
    shown.map(async ({ origin, keepCopy }) => {
      if (!(await advance(origin)) && isAlone) await keepCopy().catch(logFailure)
    }),
  )
  return response
}

/**
 * Returns what makes a written repository visible.
 *
 * @param copy the copy that existed when the write was decided
 * @param now for the activity
 */
export function showingOf(
  written: Written & { commit: string; atMs: number | undefined },
  copy: FreshCopy | undefined,
  { login }: Pick<Bearer, 'login'>,
  deps: PublishHub,
  now: Date,
): Showing {
  const { owner, name, commit, atMs, file } = written
  const keptMs = atMs ?? deps.nextOrder(`${owner}/${name}`)
  return {
    origin: { owner, name, commit, kept_at: new Date(keptMs).toISOString() },
    async keepCopy() {
      await renewFreshCopy({ ...written, keptMs, before: copy?.commit, by: login ?? owner }, deps, now)
      const tags = new Set([...(copy?.repository.tags ?? []), ...file.tags])
      await deps.purge([repositoryCacheTag(owner, name), ownerCacheTag(owner), ...[...tags].map(tagCacheTag)])
    },
  }
}

/** Logs what failed after a commit: the write itself succeeds, because its commit already exists. */
async function logFailure(cause: unknown): Promise<void> {
  const { logProblem } = await import('../../log.ts')
  logProblem('warning', 'fresh_copy_failed', 'A write will not be visible until the next build.', { cause })
}

/** Time limit for a publish, from the arrival of its request and including the time in the queue. It is well below a function's limit of 60 s, and no longer than clients wait. */
const DEADLINE_MS = 25_000
/** Time limit for one call to the git host. */
const CALL_MS = 8_000
/** How fast files reach the git host at least. */
const BYTES_PER_MS = 1_000
/** Approximate duration of a read and a commit. If less time remains, no attempt is started. */
const ATTEMPT_MS = 3_000
/** Maximum number of copies that are stored at once. */
const AT_ONCE = 4
/** Maximum number of times to reread a stale listing before using it anyway. */
const MAX_REREADS = 5

/** The final outcome: a response and, if a commit must be made visible to readers, what it changed and in which folder. */
interface FinalOutcome<Shown extends object> {
  answer: WriteAnswer
  toShow?: Shown & { folder: FolderState; commit: string; atMs: number | undefined }
  /** The version that was published. */
  published?: { version: string; digest: string } | undefined
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
  time: Clock,
): Promise<FinalOutcome<Shown>> {
  const { git } = deps
  const { owner, name } = write
  const deadline = { ...time, endsMs: write.arrivedMs + DEADLINE_MS }
  /** The same in all attempts; identifies this write's commit. */
  const operation = ['Operation-Id', time.newId()] as const
  let isInDoubt = false
  /** The attempts whose commits were sent, by commit subject. If a response was lost and a later attempt finds the commit, the subject identifies the attempt that made it. */
  const sent = new Map<string, Extract<WriteDecision<Shown>, { kind: 'commit' }>>()
  let rereads = 0
  for (let attempt = 0; ; attempt++) {
    await beginAttempt(attempt, deadline)
    let folder: FolderState
    let decided: WriteDecision<Shown>
    try {
      const question = { owner, name, withPublishes: write.needsHistory || isInDoubt }
      const listed = await git.readFolder(question, callWithin(deadline))
      folder = name === undefined ? listed : await joinServed({ owner, name }, listed, deps)
      const ours = isInDoubt && folder.publishes.find(({ trailers }) => trailers.get(operation[0]) === operation[1])
      const carriedOut = ours && sent.get(ours.headline)
      if (carriedOut) return outcomeOf(carriedOut, folder, ours)
      // The hub may serve this write's own version already, because another hub has published after it.
      const isBehind = isInDoubt && folder.versions.size > listed.versions.size
      if (((copy && isStale(copy, listed)) || isBehind) && rereads++ < MAX_REREADS) continue
      decided = await write.decide(folder, openReaders(write, folder, deps, callWithin(deadline)))
    } catch (error) {
      await waitOrThrow(deadline, error)
      continue
    }
    if (decided.kind === 'answer') {
      const { answer, shown } = decided
      return shown ? { answer, toShow: { ...shown, folder, commit: folder.head, atMs: folder.headMs } } : { answer }
    }
    const { additions } = decided
    const { headline, trailers } = additions.message
    sent.set(headline, decided)
    // The files of a skill take a while to send.
    const bytes = additions.version?.files?.reduce((sum, { bytes: { length } }) => sum + length, 0) ?? 0
    const outcome = await git.commit(
      { ...additions, message: { headline, trailers: [...trailers, operation] }, base: folder },
      callWithin(deadline, CALL_MS + Math.ceil(bytes / BYTES_PER_MS)),
    )
    if (outcome.kind === 'committed') return outcomeOf(decided, folder, outcome)
    if (outcome.kind === 'busy') await waitOrGiveUp(deadline, outcome.retryAfterSeconds)
    if (outcome.kind === 'unknown') isInDoubt = true
  }
}

/** Returns the outcome of a write whose commit exists. */
function outcomeOf<Shown extends object>(
  { shown, answer, additions }: Extract<WriteDecision<Shown>, { kind: 'commit' }>,
  folder: FolderState,
  { sha, url, atMs }: { sha: string; url: string | null; atMs: number | undefined },
): FinalOutcome<Shown> {
  return {
    answer: { ...answer, data: { ...answer.data, commit: { sha, url } } },
    toShow: { ...shown, folder, commit: sha, atMs },
    published: digestAdded(additions, sha.length),
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
  time: Clock,
): Promise<OwnerFile | undefined> {
  const deadline = { ...time, endsMs: arrivedMs + DEADLINE_MS }
  for (let attempt = 0; ; attempt++) {
    await beginAttempt(attempt, deadline)
    const folder = await git
      .readFolder({ owner, name }, callWithin(deadline))
      .catch((error: unknown) => waitOrThrow(deadline, error))
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

/** Returns whether a listing lacks a version that is known to exist, which can happen because the host's reads may lag several seconds behind its writes. */
export function isStale(copy: { versions: readonly { version: string }[] }, { versions }: FolderState): boolean {
  return copy.versions.some(({ version }) => !versions.has(version))
}

/** The deadline of a write. */
type Deadline = Pick<Clock, 'now' | 'sleep' | 'random'> & { endsMs: number }

/** Before another attempt, waits for a random time, so that processes do not collide again. @throws HubError `unavailable` if too little time is left for an attempt */
async function beginAttempt(attempt: number, { endsMs, now, sleep, random }: Deadline): Promise<void> {
  if (attempt > 0) await sleep(random() * Math.min(2_000, 100 * 2 ** attempt))
  if (endsMs - now() < ATTEMPT_MS) throw tooLate()
}

function callWithin({ endsMs, now }: Deadline, mostMs = CALL_MS): CallOptions {
  return { signal: AbortSignal.timeout(Math.max(1, Math.min(mostMs, endsMs - now()))) }
}

/** After a failure of the git host, waits as long as it requests. @throws what was thrown if it is no such failure, or if there is no time left */
async function waitOrThrow(deadline: Deadline, thrown: unknown): Promise<undefined> {
  if (!(thrown instanceof HubError) || thrown.code !== 'unavailable') throw thrown
  // If the git host did not say how long to wait, the response says that the host is busy and that a retry finds anything that was written.
  const ending = thrown.retryAfterSeconds === undefined ? tooLate(undefined, thrown.cause) : thrown
  await waitOrGiveUp(deadline, thrown.retryAfterSeconds ?? 0, ending)
}

async function waitOrGiveUp(
  { endsMs, now, sleep }: Deadline,
  retryAfterSeconds: number,
  error = tooLate(retryAfterSeconds),
): Promise<void> {
  const waitMs = retryAfterSeconds * 1000
  if (endsMs - now() - waitMs < ATTEMPT_MS) throw error
  await sleep(waitMs)
}

function tooLate(retryAfterSeconds = 5, cause?: unknown): HubError {
  const seconds = Math.max(1, retryAfterSeconds)
  return new HubError(
    'unavailable',
    `The git host is busy or does not respond. A retry finds anything that was written; try again in ${seconds} s.`,
    { retryAfterSeconds: seconds, cause },
  )
}
