// Owns getting one decision into git: read, decide, commit on exactly what was read, and after any doubt look at git before the next step.
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../../domain/api/errors.ts'
import {
  type Additions,
  decodeText,
  type FolderQuestion,
  type FolderState,
  type GitStore,
  type PublishMark,
} from '../../ports/git-store.ts'

/** Well under the 60 s of a function, and what a client still waits for. Counted from the request's arrival, the queue included. */
export const DEADLINE_MS = 25_000
/** One call to the git host. */
const CALL_MS = 8_000
/** With less time left than a read and a commit usually take, it is kinder to say so than to begin. */
const ROUND_MS = 3_000
/** An answer that ends the request is not given on a listing that is known to lag; this often it is read again. */
const MOST_REREADS = 5
/** Clocks differ; a publish of this request cannot be older than this before it began. */
const CLOCK_LEEWAY_MS = 300_000

/** What one round comes to: a commit to make, or an answer without one. */
export type Round<Answer> = { kind: 'commit'; additions: Omit<Additions, 'base'> } | { kind: 'answer'; answer: Answer }

/** The part of a publish that the loop does not know. */
export interface Attempt<Answer> {
  owner: string
  name: string
  /** Random, the same in all rounds: it tells our own commit from others. */
  operationId: string
  /** Whether the last publishes are wanted with every read. */
  needsHistory: boolean
  /** When the request arrived, in milliseconds. */
  arrivedMs: number
  /** Decides on a state; called anew for each. @throws HubError to end the request */
  decide(state: FolderState, readVersion: (version: string) => Promise<string | undefined>): Promise<Round<Answer>>
  /** The answer after a commit of ours; `headline` tells which, when it was only found afterwards. */
  committed(state: FolderState, commit: { sha: string; url: string | null; headline: string | undefined }): Answer
  /** Whether a listing lacks a version that is known to exist: the host's reads may lag behind its writes by seconds. */
  isStale(state: FolderState): boolean
}

/** The clock and randomness of the loop. */
export interface LoopTools {
  now: () => number
  random: () => number
}

/** @throws HubError `unavailable` with Retry-After when the time is up: nothing was written, or a retry finds what was */
export async function publishInRounds<Answer>(
  git: GitStore,
  attempt: Attempt<Answer>,
  { now, random }: LoopTools,
): Promise<Answer> {
  const deadlineMs = attempt.arrivedMs + DEADLINE_MS
  const leftMs = () => deadlineMs - now()
  const call = () => ({ signal: AbortSignal.timeout(Math.max(1, Math.min(CALL_MS, leftMs()))) })
  let isInDoubt = false
  let rereads = 0
  for (let round = 0; ; round++) {
    if (round > 0) await sleep(random() * Math.min(2_000, 100 * 2 ** round))
    if (leftMs() < ROUND_MS) throw tooLate()
    const state = await orWait(() => git.readFolder(questionOf(attempt, isInDoubt), call()))
    if (state === undefined) continue
    const ours = isInDoubt ? findOperation(state, attempt.operationId) : undefined
    if (ours) return attempt.committed(state, ours)
    if (attempt.isStale(state) && rereads++ < MOST_REREADS) continue
    const decided = await orWait(() =>
      attempt.decide(state, async (version) => {
        const id = state.versions.get(version)
        return id === undefined
          ? undefined
          : decodeText(`${attempt.owner}/${attempt.name}@${version}`, await git.readBlob(id, call()))
      }),
    )
    if (decided === undefined) continue
    if (decided.kind === 'answer') return decided.answer
    const outcome = await git.commit({ ...decided.additions, base: state }, call())
    if (outcome.kind === 'committed') return attempt.committed(state, { ...outcome, headline: undefined })
    if (outcome.kind === 'busy') await waitOrGiveUp(outcome.retryAfterSeconds)
    if (outcome.kind === 'unknown') isInDoubt = true
  }

  /** Reading is tried again as long as another try makes sense; only then is its error the answer. */
  async function orWait<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== 'unavailable') throw error
      // Without a time of the host's own, what counts for the caller is that the time is up, and that a write may have been lost.
      const ending = error.retryAfterSeconds === undefined ? tooLate(undefined, error.cause) : error
      await waitOrGiveUp(error.retryAfterSeconds ?? 0, ending)
      return undefined
    }
  }

  async function waitOrGiveUp(retryAfterSeconds: number, error = tooLate(retryAfterSeconds)): Promise<void> {
    const waitMs = retryAfterSeconds * 1000
    if (leftMs() - waitMs < ROUND_MS) throw error
    await sleep(waitMs)
  }
}

function questionOf<Answer>(
  { owner, name, needsHistory, arrivedMs }: Attempt<Answer>,
  isInDoubt: boolean,
): FolderQuestion {
  if (needsHistory) return { owner, name, publishes: {} }
  return isInDoubt ? { owner, name, publishes: { since: new Date(arrivedMs - CLOCK_LEEWAY_MS) } } : { owner, name }
}

function findOperation({ publishes }: FolderState, operationId: string): PublishMark | undefined {
  return publishes.find(({ trailers }) => trailers.get('Operation-Id') === operationId)
}

function tooLate(retryAfterSeconds = 5, cause?: unknown): HubError {
  const seconds = Math.max(1, retryAfterSeconds)
  return new HubError(
    'unavailable',
    `The git host is busy or does not answer. Nothing was written, or a retry finds what was; try again in ${seconds} s.`,
    { retryAfterSeconds: seconds, cause },
  )
}
