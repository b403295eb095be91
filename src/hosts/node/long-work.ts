// Decides where long work runs: on short texts, in place; on others, in worker threads, where clients take turns.
import { availableParallelism } from 'node:os'
import { placeOf, type RunLong } from '../../concurrency/long-work.ts'
import { createTurns } from '../../concurrency/turn-queue.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { Outcome, Refusal } from './long-work-thread.ts'
import { openThreadPool } from './thread-pool.ts'

/** Limits of the threads. */
const USUAL_LIMITS = {
  /** From the start of the work, which includes the start of a thread. The longest work takes a second. */
  deadlineMs: 10_000,
  waitMs: 5_000,
  /** Each waiting piece of work keeps its texts in memory. */
  waiting: { total: 100, perSender: 20 },
}
/** At least two, so that one client never occupies every thread. */
const MAX_THREADS = Math.max(2, Math.min(4, availableParallelism() - 1))
/** The texts and results of a piece of work take a few megabytes; the rest is for lists of findings and edits. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 6 }
/** Texts of at most this many characters together are short: the worst, which are YAML, take 40 ms, and a thread would answer later. */
const MAX_SHORT_CHARACTERS = 4_096
const RETRY_SECONDS = 5

/** Opens the threads, which start when they are first needed. */
export function openLongWork({ deadlineMs, waitMs, waiting } = USUAL_LIMITS) {
  let pool: ReturnType<typeof openThreadPool> | undefined
  const takeTurn = createTurns({
    running: { total: MAX_THREADS, perSender: MAX_THREADS - 1 },
    waiting,
    refuse: () => unavailable('Too much work on long texts is waiting'),
  })
  /** Returns what runs the work of a client. @param client the client's IP address */
  const forClient =
    (client: string): RunLong =>
    async (work, ...given) => {
      if (isShort(given)) return work(...given)
      const place = placeOf(work)
      const run = async () => {
        pool ??= openThreadPool('long-work-thread.ts', { maxThreads: MAX_THREADS, memory: THREAD_MEMORY })
        const signal = AbortSignal.timeout(deadlineMs)
        return (await pool.run({ ...place, given }, { name: 'runTask', signal }).catch((cause) => {
          throw unavailable('Working on this text takes too long right now', `${place.name}: ${cause}`)
        })) as Outcome
      }
      const { value, refusal } = await takeTurn({ sender: client, waitMs }, run)
      if (refusal) throw restore(refusal)
      return value as Awaited<ReturnType<typeof work>>
    }
  return {
    forClient,
    /** Stops the threads; running work fails with `unavailable`. */
    close: (): void => pool?.close(),
  }
}

function restore({ code, message, retryAfterSeconds, problems }: Refusal) {
  return new HubError(code, message, {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(problems && { problems }),
  })
}

function unavailable(problem: string, cause?: unknown): HubError {
  return new HubError('unavailable', `${problem}. Try again in a few seconds.`, {
    cause,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

/** Returns whether all strings, keys and bytes in a value, with one for every other value, are short. */
function isShort(value: unknown): boolean {
  let count = 0
  const waiting: unknown[] = [value]
  // A list of a million values would take too long to walk through.
  while (waiting.length > 0 && count + waiting.length <= MAX_SHORT_CHARACTERS) {
    const next = waiting.pop()
    if (ArrayBuffer.isView(next)) count += next.byteLength
    else if (typeof next === 'string') count += next.length
    else {
      count += 1
      if (typeof next !== 'object' || next === null) continue
      const entries = next instanceof Map ? next.entries() : Object.entries(next)
      for (const entry of entries) waiting.push(...entry)
    }
  }
  return count + waiting.length <= MAX_SHORT_CHARACTERS
}
