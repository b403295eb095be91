// Searches beside the thread that answers: a few threads, a bounded queue in front of them, and a deadline after which a thread that still works is ended.
import { availableParallelism } from 'node:os'
import { Tinypool } from 'tinypool'
import { HubError } from '../domain/api/errors.ts'
import { logTrouble } from '../ports/log.ts'
import type { Search } from '../ports/search.ts'
import type { ThreadQuestion } from './search-thread.ts'

/** The deadline runs from the question to the answer, waiting included; of questions that wait, one more than `queue` is refused at once. */
const USUAL_LIMITS = { deadlineMs: 2_000, queue: 100 }
/** More would take memory, and the cores that answering needs. */
const MAX_THREADS = 4
/** A thread holds few objects at a time (what it reads and counts lies outside the heap), and a small heap is cleaned up more often. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 }
/** Asked before anybody asks: mistyped, so that the words to compare with are read too. */
const WARM_UP = { text: 'promtp reveiw', tags: [], sort: undefined, offset: 0, limit: 20 }

/** The search in one index, in threads. Each verb throws HubError `unavailable` when the index cannot be read, when too many questions wait, and after the deadline. */
export interface ThreadedSearch extends Search {
  /** Asks a first question, so that nobody waits for code to be compiled and for the file to be read. Never rejected. */
  warm(): Promise<void>
}

/** Threads that search. */
export interface SearchThreads {
  /** Opens an index. Threads have one open at a time: what is still asked of the one before is answered, at the cost of opening it again. */
  open(path: string): ThreadedSearch
  /** Ends the threads; questions under way are unavailable. */
  close(): void
}

/** Starts threads that search; before they are told in what, they load their code. */
export function startSearchThreads(limits = USUAL_LIMITS): SearchThreads {
  const maxThreads = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1))
  const pool = new Tinypool({
    filename: new URL('search-thread.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads,
    // No limits of the pool's own: a task that it refuses leaves a listener behind that throws when the deadline passes, and a thread
    // that does not end within a limit is a rejection that nobody catches.
    maxQueue: Number.POSITIVE_INFINITY,
    terminateTimeout: 0,
    resourceLimits: THREAD_MEMORY,
  })
  // A thread that fails without a task, or that answers after it was ended.
  pool.on('error', (cause) => logTrouble('warning', 'A search thread failed without a question.', { cause }))
  /** Questions that wait or are being answered. */
  let pending = 0
  const open = (path: string): ThreadedSearch => {
    const ask =
      <Verb extends keyof Search>(verb: Verb) =>
      async (...given: Parameters<Search[Verb]>): Promise<Awaited<ReturnType<Search[Verb]>>> => {
        if (pending >= maxThreads + limits.queue) throw unavailable(true, 'too many questions wait')
        const signal = AbortSignal.timeout(limits.deadlineMs)
        pending += 1
        try {
          const question: ThreadQuestion<Verb> = { path, verb, given }
          return await pool.run(question, { name: 'answer', signal })
        } catch (cause) {
          throw unavailable(signal.aborted, cause)
        } finally {
          pending -= 1
        }
      }
    const search = {
      find: ask('find'),
      listMenu: ask('listMenu'),
      completeOwner: ask('completeOwner'),
      completeName: ask('completeName'),
    }
    // An error here is not told, because every question gets the same one.
    return {
      ...search,
      warm: () =>
        search.find(WARM_UP).then(
          () => {},
          () => {},
        ),
    }
  }
  // Nobody waits for the end: a thread that cannot be ended now ends with the process.
  return { open, close: () => pool.destroy().catch(() => {}) }
}

function unavailable(isTooSlow: boolean, cause: unknown): HubError {
  const message = isTooSlow
    ? 'The search takes too long just now. Try again in a few seconds, or with fewer words.'
    : 'Search is not available right now. Try again in a few seconds.'
  return new HubError('unavailable', message, { cause, retryAfterSeconds: 5 })
}

/** Opens one index in threads of its own. */
export function openSearchThreads(path: string, limits = USUAL_LIMITS): ThreadedSearch & Pick<SearchThreads, 'close'> {
  const threads = startSearchThreads(limits)
  return { ...threads.open(path), close: threads.close }
}
