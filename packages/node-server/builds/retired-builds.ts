// Removes the files of builds that were replaced, once no request reads them.
import type { BuildData } from './build-data.ts'
import { RETIRE_MS, RETIRE_SEARCH_MS, removeOtherIndexes, type SiteFolder, type SiteState } from './site-folder.ts'

/** The builds that were replaced. */
interface RetiredBuilds {
  note(build: SiteState): void
  /** Returns the search indexes that requests may still read. */
  searches(): string[]
  /** Removes what only older builds use. Call it while no build is being written. */
  remove(data: Pick<BuildData, 'database' | 'state'>): void
}

/** Starts with no replaced builds. */
export function openRetired(folder: SiteFolder): RetiredBuilds {
  /** Oldest first, with the time of the replacement by the monotonic clock. */
  let retired: (Pick<SiteState, 'number' | 'search'> & { atMs: number })[] = []
  const within = (ms: number) => retired.filter(({ atMs }) => atMs > performance.now() - ms)
  const searches = () => within(RETIRE_SEARCH_MS).map(({ search }) => search)
  return {
    note({ number, search }) {
      retired.push({ number, search, atMs: performance.now() })
    },
    searches,
    remove({ database, state }) {
      if (!state) return
      retired = within(RETIRE_MS)
      database.forgetBefore((retired[0] ?? state).number)
      removeOtherIndexes(folder, [...searches(), state.search])
    },
  }
}
