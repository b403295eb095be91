// Searches beside the thread that answers: a few threads, a bounded queue in front of them, and a deadline after which a thread that still works is ended.
import { availableParallelism } from 'node:os'
import { Tinypool } from 'tinypool'
import { HubError } from '../domain/api/errors.ts'
import { logTrouble } from '../ports/log.ts'
import type { Search } from '../ports/search.ts'
import type { ThreadQuestion } from './search-thread.ts'

/** How much searching may cost at most. */
interface SearchThreadLimits {
  /** From the question to the answer, waiting included. */
  deadlineMs: number
  /** Questions that wait while every thread works; one more is refused at once. */
  queue: number
}

/** Questions take milliseconds; the deadline ends one that takes unforeseen time, long before clients give up. */
const USUAL_LIMITS: SearchThreadLimits = { deadlineMs: 2_000, queue: 100 }
/** So many threads search at most: more would take memory, and the cores that answering needs. */
const MOST_THREADS = 4
/** So many titles are asked for before anybody asks: whole, begun and mistyped. */
const WARM_UP = { prompts: 30, letters: 5 }
/** The heap of a thread. It holds few objects at a time (what it reads and counts lies outside the heap), and a small heap is cleaned up more often. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 }

/** The search in one index, in threads. Each verb throws HubError `unavailable` when the index cannot be read, when too many questions wait, and after the deadline. */
export interface ThreadedSearch extends Search {
  /**
   * Asks what somebody might, so that the first who asks does not wait for code to be compiled and for the file to be read; questions that come
   * meanwhile go between, and it ends when another index was opened. Never rejected.
   */
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
  const maxThreads = Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1))
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
  let last: string | undefined
  /** Questions that wait or are being answered. */
  let asked = 0
  const open = (path: string): ThreadedSearch => {
    last = path
    const run = async <Verb extends keyof Search>(
      verb: Verb,
      ...given: Parameters<Search[Verb]>
    ): Promise<Awaited<ReturnType<Search[Verb]>>> => {
      if (asked >= maxThreads + limits.queue) throw unavailable(TOO_SLOW, 'too many questions wait')
      const question: ThreadQuestion<Verb> = { path, given }
      const deadline = new AbortController()
      const timer = setTimeout(() => deadline.abort(), limits.deadlineMs)
      asked += 1
      try {
        return await pool.run(question, { name: verb, signal: deadline.signal })
      } catch (cause) {
        throw unavailable(deadline.signal.aborted ? TOO_SLOW : UNREADABLE, cause)
      } finally {
        clearTimeout(timer)
        asked -= 1
      }
    }
    const find: Search['find'] = (question) => run('find', question)
    const warm = async () => {
      const titles = (await run('listMenu')).slice(0, WARM_UP.prompts).map(({ title }) => title)
      const texts = titles.flatMap((title) => [
        title,
        title.slice(0, WARM_UP.letters),
        title.replace(/(\S)(\S)/u, '$2$1'),
      ])
      for (const text of texts) if (last === path) await find({ text, tags: [], sort: undefined, offset: 0, limit: 20 })
    }
    return {
      // An error here is not told, because every question gets the same one.
      warm: () => warm().catch(() => {}),
      find,
      listMenu: () => run('listMenu'),
      completeOwner: (prefix, limit) => run('completeOwner', prefix, limit),
      completeName: (prefix, owner, limit) => run('completeName', prefix, owner, limit),
    }
  }
  return {
    open,
    close: () => {
      last = undefined
      // Nobody waits for this: a thread that cannot be ended now ends with the process.
      pool.destroy().catch(() => {})
    },
  }
}

const TOO_SLOW = 'The search takes too long just now. Try again in a few seconds, or with fewer words.'
const UNREADABLE = 'The search cannot be read just now. Try again in a few seconds.'

function unavailable(message: string, cause: unknown): HubError {
  return new HubError('unavailable', message, { cause, retryAfterSeconds: 5 })
}

/** Opens one index in threads of its own. */
export function openSearchThreads(
  path: string,
  limits?: SearchThreadLimits,
): ThreadedSearch & Pick<SearchThreads, 'close'> {
  const threads = startSearchThreads(limits)
  return { ...threads.open(path), close: threads.close }
}
