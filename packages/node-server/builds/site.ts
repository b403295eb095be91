// One build of the content, as a server uses it.
import { resolve } from 'node:path'
import { type BuildSource, UNKNOWN_SOURCE } from '../../../src/ports/fresh-copies.ts'
import type { SiteFiles } from '../../../src/ports/site-files.ts'
import type { ServerHub } from '../../../src/wiring/hub.ts'
import { findBuildRecord } from '../../stores/site/build-record.ts'
import { folderFiles } from '../../stores/site/site-files-folder.ts'
import { openSearchThreads, type ThreadedSearch } from '../search-threads.ts'

/** One build of the content: its files and its search. */
export interface Site extends Pick<ServerHub, 'files'> {
  /** Opened on first use. */
  search: () => ThreadedSearch
  /** Problems in repositories whose last valid version of the content is shown instead, by full name; omitted if there are none. */
  broken?: ReadonlyMap<string, readonly string[]>
  /** Which publishes the build includes. A request uses this value together with the files, so that files and fresh copies always match. */
  source: BuildSource
}

/** A built site that stays the same until it is closed; for tests. */
interface OpenSite extends Site {
  /** Warms up the search, so that the first query is fast. */
  warm(): Promise<void>
  close(): void
}

/** Returns the path of a site's search index. The index is next to the site's folder, because everything in that folder is public. @param siteDir the site's folder */
export function searchIndexPath(siteDir: string): string {
  return resolve(siteDir, '../build/search.db')
}

/** Returns the path of the file in which a finished build records when it finished and which commits it includes. @param siteDir the site's folder */
function buildRecordPath(siteDir: string): string {
  return resolve(siteDir, '../build/complete.json')
}

/** Opens a built site. @param siteDir folder with the site's files; the search index is next to it */
export function openSite(siteDir: string): OpenSite {
  let index: ReturnType<typeof openSearchThreads> | undefined
  const search = () => (index ??= openSearchThreads(searchIndexPath(siteDir)))
  return {
    files: folderFiles(siteDir),
    search,
    source: findBuildRecord(buildRecordPath(siteDir))?.source ?? UNKNOWN_SOURCE,
    warm: () => search().warm(),
    close: () => index?.close(),
  }
}

/** Returns a site's files or, once those have been deleted, the files of the build that replaced it: a publish can wait in the queue for longer than an old build is kept. */
export function lastingFiles(site: Site, siteOf: () => Site): SiteFiles {
  return {
    ...site.files,
    async read(path) {
      try {
        return await site.files.read(path)
      } catch (error) {
        const next = siteOf()
        if (next === site) throw error
        return next.files.read(path)
      }
    },
  }
}
