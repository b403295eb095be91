// Owns the thread that searches on our own host: it opens the index it was started with on the first question, and answers one at a time.
import { Tinypool } from 'tinypool'
import type { Search } from '../ports/search.ts'
import { openSearchIndex } from '../stores/search-sqlite.ts'

/** What a thread is started with. */
export interface SearchThreadData {
  path: string
}

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
