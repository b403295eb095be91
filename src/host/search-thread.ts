// The search thread, which keeps one index open and handles one query at a time.
import { getPriority, setPriority } from 'node:os'
import type { Search } from '../ports/search.ts'
import { openSearchIndex } from '../stores/search/open-index.ts'

/** A query for a thread: a search method with its arguments, and the path of the index. */
export interface ThreadQuery<Verb extends keyof Search> {
  path: string
  verb: Verb
  given: Parameters<Search[Verb]>
}

/** The niceness of the thread, 0 to 19. At 5, it gets a third of the serving thread's share when the processor is busy. */
const NICE = 5
// On Linux, each thread has its own priority (https://man7.org/linux/man-pages/man2/setpriority.2.html); elsewhere it applies to the whole process.
if (process.platform === 'linux' && getPriority() < NICE) setPriority(NICE)

let opened: { path: string; index: ReturnType<typeof openSearchIndex> } | undefined

/** Handles a query. A corrupt index makes the query fail instead of the thread's startup, because nobody would see why a thread failed to start. */
export function runQuery<Verb extends keyof Search>({ path, verb, given }: ThreadQuery<Verb>): unknown {
  if (opened?.path !== path) {
    opened?.index.close()
    opened = undefined
    opened = { path, index: openSearchIndex(path) }
  }
  return Reflect.apply(opened.index[verb], undefined, given)
}
