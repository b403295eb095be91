// Opens what the build process keeps between its rounds: the database of complete builds, and what is known about the content.

import type { StoredPart } from '../../build/data-sink.ts'
import { type BuildState, openSiteData } from '../../build/site-data.ts'
import type { ContentListing } from '../../stores/content/content-listing.ts'
import { openSiteDatabase, type SiteDatabase } from '../../stores/site/site-database.ts'
import { removeOtherIndexes, type SiteFolder, SiteState } from './site-folder.ts'

/** The database of complete builds. */
export interface BuildData {
  database: SiteDatabase
  makeState: BuildState
  /** The last complete build. */
  state: SiteState | undefined
  /** The result of the last scan of the content; undefined if a full scan is needed. */
  listing: ContentListing | undefined
}

interface BuildDataOptions {
  folder: SiteFolder
  /** Search indexes that must be kept, besides that of the last complete build. */
  used: readonly string[]
  /** Identifies the code: data written by other code is removed. */
  code: string
  /** Whether the database is damaged, so that everything must be built again. */
  isDamaged: boolean
  contentDir: string
  baseUrl: string
  /** Whether only readers may read the hub. */
  isForReaders: boolean
  onProgress: (done: number, total: number) => void
}

/** Opens the data as the last complete build left it. @throws Error if a file cannot be read or written; nothing stays open */
export function openBuildData({
  folder,
  used,
  code,
  isDamaged,
  contentDir,
  baseUrl,
  isForReaders,
  onProgress,
}: BuildDataOptions): BuildData {
  const database = openSiteDatabase(folder.database, code, isDamaged)
  try {
    const state = database.state === undefined ? undefined : SiteState.parse(JSON.parse(database.state))
    removeOtherIndexes(folder, [...used, ...(state ? [state.search] : [])])
    const { read, write, remove } = database
    const makeState = openSiteData({
      contentDir,
      baseUrl,
      isForReaders,
      sink: { read, write, remove, keep: (name, part) => database.keep(name, part && JSON.stringify(part)) },
      sharedPaths: database.listPathsOutside('/data/v1/repos/'),
      kept: listKept(database),
      onProgress,
    })
    return { database, makeState, state, listing: undefined }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Not validated, because the same version of the code wrote it; files written by other versions were removed. */
function* listKept(database: SiteDatabase): Generator<[string, StoredPart]> {
  for (const [name, part] of database.listKept()) yield [name, JSON.parse(part)]
}
