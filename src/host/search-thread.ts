// The thread that searches on our own host: it has one index open at a time, and answers one question at a time.
import { getPriority, setPriority } from 'node:os'
import type { Search } from '../ports/search.ts'
import { openSearchIndex } from '../stores/search/open-index.ts'

/** A question to a thread: a verb of the search with its arguments, and the path of the index. */
export interface ThreadQuestion<Verb extends keyof Search> {
  path: string
  verb: Verb
  given: Parameters<Search[Verb]>
}

/** How nice the thread is, from 0 to 19. With 5 it gets a third of what the answering thread gets when there is not enough for both. */
const NICE = 5
// Linux has a priority for each thread, https://man7.org/linux/man-pages/man2/setpriority.2.html; elsewhere it would be that of the whole process.
if (process.platform === 'linux' && getPriority() < NICE) setPriority(NICE)

let opened: { path: string; index: ReturnType<typeof openSearchIndex> } | undefined

/** Answers a question. A broken index is an error of the question, because a thread that failed to start would tell nobody why. */
export function answer<Verb extends keyof Search>({ path, verb, given }: ThreadQuestion<Verb>): unknown {
  if (opened?.path !== path) {
    opened?.index.close()
    opened = undefined
    opened = { path, index: openSearchIndex(path) }
  }
  return Reflect.apply(opened.index[verb], undefined, given)
}
