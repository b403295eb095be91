// One build of the content, as a server uses it.
import type { BuildSource } from '../../../src/ports/fresh-copies.ts'
import type { SiteFiles } from '../../../src/ports/site-files.ts'
import type { ServerHub } from '../../../src/wiring/hub.ts'
import type { ThreadedSearch } from '../search-threads.ts'

/** One build of the content: its files and its search. */
export interface Site extends Pick<ServerHub, 'files'> {
  /** Opened on first use. */
  search: () => ThreadedSearch
  /** Problems in repositories whose last valid version of the content is shown instead, by full name; omitted if there are none. */
  broken?: ReadonlyMap<string, readonly string[]>
  /** Which publishes the build includes. A request uses this value together with the files, so that files and fresh copies always match. */
  source: BuildSource
}

/** Returns a site's files or, once those have been deleted, the files of the build that replaced it: a publish can wait in the queue for longer than an old build is kept. */
export function lastingFiles(site: Site, siteOf: () => Site): SiteFiles {
  return {
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
