// One build of the content, as a server uses it.

import type { ServerHub } from '../../../hub/open-hub.ts'
import type { BuildSource } from '../../../state/fresh-copies.ts'
import type { ThreadedSearch } from '../search-threads.ts'

/** One build of the content: its files and its search. */
export interface Site extends Pick<ServerHub, 'checkWritable' | 'files'> {
  /** Opened on first use. */
  search: () => ThreadedSearch
  /** Problems in repositories whose last valid version of the content is shown instead, by full name; omitted if there are none. */
  broken?: ReadonlyMap<string, readonly string[]>
  /** The numbers that the history has and the build does not serve, by full name; omitted if there are none. */
  used?: ReadonlyMap<string, readonly string[]>
  /** Which publishes the build includes. A request uses this value together with the files, so that files and fresh copies always match. */
  source: BuildSource
}

/** What a server serves now. A request uses the same build from start to finish. */
export interface Served {
  /** The newest complete build. */
  readonly site: Site
}
