// Owns the thread that searches on our own host: it gives way to the thread that answers, opens the index it was started with on the first question, and answers one at a time.
import { getPriority, setPriority } from 'node:os'
import { Tinypool } from 'tinypool'
import type { Search } from '../ports/search.ts'
import { openSearchIndex } from '../stores/search-sqlite.ts'

/** What a thread is started with. */
export interface SearchThreadData {
  path: string
}

/** How nice the thread is, from 0 to 19. With 5 it gets a third of what others get when there is not enough for all. */
const NICE = 5
giveWay()

const { path }: SearchThreadData = Tinypool.workerData
let opened: Search | undefined
// The index is opened with the first question, so that a broken one is an error of that question. A thread that failed to start would tell nobody why.
const search = () => (opened ??= openSearchIndex(path))

/** The verbs of the search, each with its arguments as one list. */
export const find = (given: Parameters<Search['find']>) => search().find(...given)
/** See `find`. */
export const listMenu = (given: Parameters<Search['listMenu']>) => search().listMenu(...given)
/** See `find`. */
export const completeOwner = (given: Parameters<Search['completeOwner']>) => search().completeOwner(...given)
/** See `find`. */
export const completeName = (given: Parameters<Search['completeName']>) => search().completeName(...given)

/** Linux has a priority for each thread, https://man7.org/linux/man-pages/man2/setpriority.2.html; elsewhere it would be that of the whole process. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.max(NICE, getPriority()))
  } catch {
    // Where a thread may not lower its priority, searches are as urgent as reads.
  }
}
