// Owns the thread that searches on our own host: it gives way to the thread that answers, opens the index it was started with on the first question, and answers one at a time.
import { getPriority, setPriority } from 'node:os'
import { Tinypool } from 'tinypool'
import type { Search } from '../ports/search.ts'
import { openSearchIndex } from '../stores/search-sqlite.ts'

/** What a thread is started with. */
export interface SearchThreadData {
  path: string
}

/** Of a nice value, from 0 to 19: a third of what the others get, when there is not enough for all. */
const NICE = 5
giveWay()

const { path }: SearchThreadData = Tinypool.workerData
let opened: Search | undefined
// Opened with the first question, so that a broken index becomes an error of that question; in a thread that fails to start it would become none.
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
    // Where that is forbidden, a search counts as much as a read.
  }
}
