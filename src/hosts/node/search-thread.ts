// The search thread, which keeps one index open and handles one query at a time.

import { openSearchIndex } from '../../search/open-index.ts'
import type { Search } from '../../search/search.ts'
import { lowerPriority } from './thread-priority.ts'

/** A query for a thread: a search method with its arguments, and the path of the index. */
export interface ThreadQuery<Verb extends keyof Search> {
  path: string
  /** Whether the index is edited meanwhile. */
  isEdited: boolean
  verb: Verb
  given: Parameters<Search[Verb]>
}

lowerPriority()

let opened: { path: string; index: ReturnType<typeof openSearchIndex> } | undefined

/** Handles a query. A corrupt index makes the query fail instead of the thread's startup, because nobody would see why a thread failed to start. */
export function runQuery<Verb extends keyof Search>({ path, isEdited, verb, given }: ThreadQuery<Verb>): unknown {
  if (opened?.path !== path) {
    opened?.index.close()
    opened = undefined
    opened = { path, index: openSearchIndex(path, { isEdited }) }
  }
  return Reflect.apply(opened.index[verb], undefined, given)
}
