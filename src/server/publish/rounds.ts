// Owns getting one decision into git: read, decide, commit on exactly what was read, and after any doubt look at git before the next step.
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
const DEADLINE_MS = 25_000
/** One call to the git host. */
const CALL_MS = 8_000
/** With less time left than a read and a commit usually take, it is kinder to say so than to begin. */
const ROUND_MS = 3_000
/** An answer that ends the request is not given on a listing that is known to lag; this often it is read again. */
const MOST_REREADS = 5
/** Clocks differ; a publish of this request cannot be older than this before it began. */
const CLOCK_LEEWAY_MS = 300_000

/** What one round comes to: a commit to make, or an answer without one. */
export type Round<Answer, Decision> =
  | { kind: 'commit'; additions: Omit<Additions, 'base'>; decision: Decision }
  | { kind: 'answer'; answer: Answer }

/** What all rounds come to: a commit of ours with the decision that it carries out, or an answer without one. */
type Ending<Answer, Decision> =
  | { kind: 'committed'; decision: Decision; state: FolderState; commit: { sha: string; url: string | null } }
  | { kind: 'answer'; answer: Answer }

/** Reads a version's file at the state that is decided on; undefined when there is none. */
export type ReadVersion = (version: string) => Promise<string | undefined>

/** The part of a publish that the loop does not know. */
interface Attempt<Answer, Decision> {
  owner: string
  name: string
  /** Random, the same in all rounds: it tells our own commit from others. */
  operationId: string
  /** Whether the last publishes are wanted with every read. */
  needsHistory: boolean
  /** When the request arrived, in milliseconds. */
  arrivedMs: number
  /** Decides on a state; called anew for each. @throws HubError to end the request */
  decide(state: FolderState, readVersion: ReadVersion): Promise<Round<Answer, Decision>>
  /** Whether a listing lacks a version that is known to exist: the host's reads may lag behind its writes by seconds. */
  isStale(state: FolderState): boolean
}

/** The clock and randomness of the loop. */
interface LoopTools {
  now: () => number
  random: () => number
  sleep: (ms: number) => Promise<unknown>
}

/** @throws HubError `unavailable` with Retry-After when the time is up: nothing was written, or a retry finds what was */
export async function publishInRounds<Answer, Decision>(
  git: GitStore,
  attempt: Attempt<Answer, Decision>,
  { now, random, sleep }: LoopTools,
): Promise<Ending<Answer, Decision>> {
  const deadlineMs = attempt.arrivedMs + DEADLINE_MS
  const leftMs = () => deadlineMs - now()
  const call = () => ({ signal: AbortSignal.timeout(Math.max(1, Math.min(CALL_MS, leftMs()))) })
  let isInDoubt = false
  /** What was sent, by headline: when an answer was lost, the commit that is found tells which of them it is. */
  const sent = new Map<string, Decision>()
  let rereads = 0
  for (let round = 0; ; round++) {
    if (round > 0) await sleep(random() * Math.min(2_000, 100 * 2 ** round))
    if (leftMs() < ROUND_MS) throw tooLate()
    const state = await orWait(() => git.readFolder(questionOf(attempt, isInDoubt), call()))
    if (state === undefined) continue
    const ours = isInDoubt ? findOperation(state, attempt.operationId) : undefined
    const carriedOut = ours && sent.get(ours.headline)
    if (carriedOut) return { kind: 'committed', decision: carriedOut, state, commit: { sha: ours.sha, url: ours.url } }
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
    if (decided.kind === 'answer') return decided
    const { additions, decision } = decided
    sent.set(additions.message.headline, decision)
    const outcome = await git.commit({ ...additions, base: state }, call())
    if (outcome.kind === 'committed')
      return { kind: 'committed', decision, state, commit: { sha: outcome.sha, url: outcome.url } }
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

function questionOf(
  { owner, name, needsHistory, arrivedMs }: Attempt<unknown, unknown>,
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
