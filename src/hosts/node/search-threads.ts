// Runs searches in a few worker threads, with a bounded queue and a deadline after which a busy thread is terminated.
import { availableParallelism } from 'node:os'
import { shareRunning } from '../../concurrency/promises.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { Search } from '../../search/search.ts'
import type { ThreadQuery } from './search-thread.ts'
import { openThreadPool } from './thread-pool.ts'

/** The deadline includes the time in the queue. If the queue is full, further queries are rejected immediately. */
const USUAL_LIMITS = { deadlineMs: 2_000, queue: 100 }
/** More threads would use too much memory, and processor cores that serving needs. */
const MAX_THREADS = 4
/** A thread holds few objects at a time (its data is outside the heap), and a small heap is collected more often. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 6 }
/** The warm-up query. It is misspelled, so that the vocabulary for corrections is also read. */
const WARM_UP = { text: 'promtp reveiw', tags: [], sort: undefined, offset: 0, limit: 20 }

/** A search in one index, run in worker threads. Each method throws HubError `unavailable` if the index cannot be read, if the queue is full, or after the deadline. */
export interface ThreadedSearch extends Search {
  /** Runs a first query, so that no user has to wait for compilation or for reading the file. Never rejects. */
  warm(): Promise<void>
  /** Checks that the threads respond, with a query only if none has succeeded since the last failure: a flood of searches must not make a hub look broken. @throws HubError `unavailable` */
  check(): Promise<void>
}

/** A pool of search threads. */
export type SearchThreads = ReturnType<typeof startSearchThreads>

/** Starts search threads, which load their code before they get an index. */
export function startSearchThreads(limits = USUAL_LIMITS) {
  const maxThreads = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1))
  const pool = openThreadPool('search-thread.ts', { maxThreads, memory: THREAD_MEMORY })
  /** The number of queries that are waiting or running. */
  let pending = 0
  /** Whether the last query that did not run out of time succeeded. */
  let isWell = false
  /** Opens an index. Each thread has one open at a time; pending queries on the previous one still succeed, at the cost of reopening it. @param isEdited whether it is edited meanwhile */
  const open = (path: string, { isEdited } = { isEdited: false }): ThreadedSearch => {
    // Simultaneous equal queries share a result, so that a popular query does not fill the queue.
    const share = shareRunning<unknown>()
    const run = async (question: ThreadQuery<keyof Search>): Promise<unknown> => {
      if (pending >= maxThreads + limits.queue) throw unavailable(true, 'too many queries are waiting')
      const signal = AbortSignal.timeout(limits.deadlineMs)
      pending += 1
      try {
        const found = await pool.run(question, { name: 'runQuery', signal })
        isWell = true
        return found
      } catch (cause) {
        isWell &&= signal.aborted
        throw unavailable(signal.aborted, cause)
      } finally {
        pending -= 1
      }
    }
    const ask =
      <Verb extends keyof Search>(verb: Verb) =>
      (...given: Parameters<Search[Verb]>): Promise<Awaited<ReturnType<Search[Verb]>>> => {
        const question = { path, isEdited, verb, given }
        return share(JSON.stringify(question), () => run(question)) as Promise<Awaited<ReturnType<Search[Verb]>>>
      }
    const search = {
      find: ask('find'),
      listMenu: ask('listMenu'),
      completeOwner: ask('completeOwner'),
      completeName: ask('completeName'),
      findNear: ask('findNear'),
    }
    // An error here is not reported, because every query fails with the same error.
    return {
      ...search,
      warm: () =>
        search.find(WARM_UP).then(
          () => {},
          () => {},
        ),
      check: async () => {
        if (!isWell) await search.find(WARM_UP)
      },
    }
  }
  // Closing stops the threads; queries in progress fail with `unavailable`.
  return { open, close: pool.close }
}

function unavailable(isTooSlow: boolean, cause: unknown): HubError {
  const message = isTooSlow
    ? 'Search is taking too long right now. Try again in a few seconds, or use fewer words.'
    : 'Search is not available right now. Try again in a few seconds.'
  return new HubError('unavailable', message, { cause, retryAfterSeconds: 5 })
}

/** Opens one index in its own threads. */
export function openSearchThreads(path: string, limits = USUAL_LIMITS): ThreadedSearch & Pick<SearchThreads, 'close'> {
  const threads = startSearchThreads(limits)
  return { ...threads.open(path), close: threads.close }
}
