// Owns the thread that searches on our own host: it gives way to the thread that answers, opens an index with the first question about it, and answers one at a time.
import { getPriority, setPriority } from 'node:os'
import type { Search } from '../ports/search.ts'
import { openSearchIndex } from '../stores/search-sqlite.ts'

/** A question to a thread. */
export interface ThreadQuestion<Verb extends keyof Search> {
  /** The index. */
  path: string
  /** The arguments of the verb. */
  given: Parameters<Search[Verb]>
}

/** How nice the thread is, from 0 to 19. With 5 it gets a third of what others get when there is not enough for all. */
const NICE = 5
giveWay()

let opened: { path: string; index: ReturnType<typeof openSearchIndex> } | undefined
/** Has one index open at a time. A broken one is an error of the question, because a thread that failed to start would tell nobody why. */
function openAt(path: string): Search {
  if (opened?.path === path) return opened.index
  opened?.index.close()
  opened = undefined
  opened = { path, index: openSearchIndex(path) }
  return opened.index
}

/** The verbs of the search. */
export const find = ({ path, given }: ThreadQuestion<'find'>) => openAt(path).find(...given)
/** See `find`. */
export const listMenu = ({ path }: ThreadQuestion<'listMenu'>) => openAt(path).listMenu()
/** See `find`. */
export const completeOwner = ({ path, given }: ThreadQuestion<'completeOwner'>) => openAt(path).completeOwner(...given)
/** See `find`. */
export const completeName = ({ path, given }: ThreadQuestion<'completeName'>) => openAt(path).completeName(...given)

/** Linux has a priority for each thread, https://man7.org/linux/man-pages/man2/setpriority.2.html; elsewhere it would be that of the whole process. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.max(NICE, getPriority()))
  } catch {
    // Where a thread may not lower its priority, searches are as urgent as reads.
  }
}
