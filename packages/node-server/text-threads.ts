// Runs work on somebody's text in worker threads: clients take turns, and a thread that does not finish in time is ended.
import { availableParallelism } from 'node:os'
import { HubError } from '../../src/domain/api/errors.ts'
import type { TextJobs, TextWork } from '../../src/ports/text-work.ts'
import { TEXT_WORK_IN_PLACE } from '../../src/wiring/text-jobs.ts'
import { createTurns } from '../stores/turns.ts'
import type { TextOutcome, TextRefusal } from './text-thread.ts'
import { openThreadPool } from './thread-pool.ts'

/** Limits of the threads. */
const USUAL_LIMITS = {
  /** From the start of a job. Starting a thread and waiting for a turn have limits of their own. */
  deadlineMs: 1_000,
  startMs: 20_000,
  waitMs: 5_000,
  /** Each waiting job keeps its texts in memory. */
  waiting: { total: 100, perSender: 20 },
}
/** At least two, so that one client, which has one job running at a time, never occupies every thread. */
const MAX_THREADS = Math.max(2, Math.min(4, availableParallelism() - 1))
/** A job's texts and results take a few megabytes; the rest is for lists of findings and edits. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 4 }
/**
 * The jobs that run in place if all their texts together have at most this many characters: the worst text of that length takes a few milliseconds, and a thread would answer later. tests/linear/linear.test.ts checks both the time and that it grows linearly. Any other job, such as one that parses YAML, always runs in a thread.
 */
export const IN_PLACE_CHARACTERS: Readonly<Partial<Record<keyof TextJobs, number>>> = {
  exportVersion: 8_192,
  renderMarkdown: 2_048,
  renderTexts: 2_048,
  judgeForm: 8_192,
  fillPrompt: 8_192,
  findPlaceholders: 8_192,
  fillMessages: 8_192,
  parsePublish: 8_192,
  parseChange: 8_192,
  parseOwnerChange: 8_192,
  recordVersion: 8_192,
}
/** Deadlines of jobs that load code of their own when they first run in a thread. */
const DEADLINES_MS: Readonly<Partial<Record<keyof TextJobs, number>>> = { verifyAttestation: 5_000 }
const RETRY_SECONDS = 5

/** One thread, in a pool of its own, so that its deadline starts with its job. */
interface Thread {
  pool: ReturnType<typeof openThreadPool>
  /** Resolves once the thread has started, or has started again after it was ended. */
  isStarted: Promise<unknown>
}

/** Opens the threads, each of which starts when it is first needed. */
export function openTextThreads({ deadlineMs, startMs, waitMs, waiting } = USUAL_LIMITS) {
  const all: Thread[] = []
  const idle: Thread[] = []
  const takeTurn = createTurns({
    running: { total: MAX_THREADS, perSender: Math.max(1, MAX_THREADS - 1) },
    waiting,
    refuse: () => unavailable('Too much work on long texts is waiting'),
  })
  const start = (pool: Thread['pool']) => {
    const started = pool.run(undefined, { name: 'runTask', signal: AbortSignal.timeout(startMs) })
    // A failure is reported by the job that waits for the start.
    started.catch(() => {})
    return started
  }
  const open = (): Thread => {
    const pool = openThreadPool('text-thread.ts', { maxThreads: 1, memory: THREAD_MEMORY })
    const thread = { pool, isStarted: start(pool) }
    all.push(thread)
    return thread
  }
  const runIn = async (thread: Thread, name: keyof TextJobs, given: readonly unknown[]): Promise<unknown> => {
    const outcome = await thread.isStarted
      .then(() =>
        thread.pool.run(
          { name, given },
          { name: 'runTask', signal: AbortSignal.timeout(DEADLINES_MS[name] ?? deadlineMs) },
        ),
      )
      .catch((cause) => {
        // The pool replaces a thread that was ended; a job must not wait for that within its deadline.
        thread.isStarted = start(thread.pool)
        throw unavailable('Working on this text takes too long right now', `${name}: ${cause}`)
      })
    const { value, refusal } = outcome as TextOutcome & { value?: unknown; refusal?: never }
    if (refusal) throw restore(refusal)
    return value
  }
  /** Returns the driver for a client; clients take turns. @param client the client's IP address */
  const forClient = (client: string): TextWork => ({
    async run(name, ...given) {
      const most = IN_PLACE_CHARACTERS[name] ?? -1
      if (most >= 0 && countUpTo(given, most) <= most) return TEXT_WORK_IN_PLACE.run(name, ...given)
      const result = await takeTurn({ sender: client, waitMs }, async () => {
        const thread = idle.pop() ?? open()
        try {
          return await runIn(thread, name, given)
        } finally {
          idle.push(thread)
        }
      })
      return result as ReturnType<TextJobs[typeof name]>
    },
  })
  return {
    forClient,
    /** Stops the threads; running jobs fail with `unavailable`. */
    close(): void {
      for (const { pool } of all) pool.close()
    },
  }
}

function restore({ code, message, retryAfterSeconds, problems }: TextRefusal) {
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

/** Counts the characters of all strings and keys in a value, and one for every other value; stops above the limit. */
function countUpTo(value: unknown, limit: number): number {
  let count = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && count <= limit) {
    const next = waiting.pop()
    count += typeof next === 'string' ? next.length : 1
    if (typeof next !== 'object' || next === null) continue
    const entries = next instanceof Map ? [...next] : Object.entries(next)
    for (const entry of entries) waiting.push(...entry)
    // A list of a million values would take too long to push before the count is checked again.
    if (waiting.length > limit) return limit + 1
  }
  return count
}
