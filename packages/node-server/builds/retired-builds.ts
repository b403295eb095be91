// Removes the files of builds that were replaced, once no request reads them.
import type { SiteDatabase } from '../../stores/site/site-database.ts'
import { RETIRE_MS, RETIRE_SEARCH_MS, removeOtherIndexes, type SiteFolder, type SiteState } from './site-folder.ts'

/** Starts with no replaced builds. */
export function openRetired(folder: SiteFolder) {
  /** Oldest first, with the time of the replacement by the monotonic clock. */
  let retired: (Pick<SiteState, 'number' | 'search'> & { atMs: number })[] = []
  const within = (ms: number) => retired.filter(({ atMs }) => atMs > performance.now() - ms)
  /** Returns the search indexes that requests may still read. */
  const searches = () => within(RETIRE_SEARCH_MS).map(({ search }) => search)
  return {
    note({ number, search }: SiteState): void {
      retired.push({ number, search, atMs: performance.now() })
    },
    searches,
    /** Removes what only builds older than the last one use. Call it while no build is being written. */
    remove(database: Pick<SiteDatabase<object>, 'forgetBefore'>, last: SiteState | undefined): void {
      if (!last) return
      retired = within(RETIRE_MS)
      database.forgetBefore((retired[0] ?? last).number)
      removeOtherIndexes(folder, [...searches(), last.search])
    },
  }
}
