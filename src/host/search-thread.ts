// The search thread: it has one index open, and handles one query at a time.
import { getPriority, setPriority } from 'node:os'
import type { Search } from '../ports/search.ts'
import { openSearchIndex } from '../stores/search/open-index.ts'

/** A query for a thread: a method of the search with its arguments, and the path of the index. */
export interface ThreadQuestion<Verb extends keyof Search> {
  path: string
  verb: Verb
  given: Parameters<Search[Verb]>
}

/** The niceness of the thread, 0 to 19. At 5 it gets a third of the serving thread's share when the processor is busy. */
const NICE = 5
// Linux has a priority per thread, https://man7.org/linux/man-pages/man2/setpriority.2.html; elsewhere it applies to the whole process.
if (process.platform === 'linux' && getPriority() < NICE) setPriority(NICE)

let opened: { path: string; index: ReturnType<typeof openSearchIndex> } | undefined

/** Handles a query. A broken index is an error of the query, because nobody would see why a thread failed to start. */
export function answer<Verb extends keyof Search>({ path, verb, given }: ThreadQuestion<Verb>): unknown {
  if (opened?.path !== path) {
    opened?.index.close()
    opened = undefined
    opened = { path, index: openSearchIndex(path) }
  }
  return Reflect.apply(opened.index[verb], undefined, given)
}
