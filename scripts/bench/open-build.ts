// Opens a finished build, as `npm run build` leaves it, so that the Node server can serve it without following the content.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFile, indexOf, pagesOf, placesOf } from '../../packages/build/build-places.ts'
import type { Site } from '../../packages/node-server/builds/site.ts'
import { openBundle, type Pages } from '../../packages/node-server/pages.ts'
import { openSearchThreads } from '../../packages/node-server/search-threads.ts'
import { findBuildRecord } from '../../packages/stores/site/build-record.ts'
import { folderFiles } from '../../packages/stores/site/site-files-folder.ts'
import { findProfile, readConfig } from '../../src/config.ts'
import { UNKNOWN_SOURCE } from '../../src/ports/fresh-copies.ts'
import { LOOK_FILE } from '../../src/ports/pages.ts'

/** The data of a build, which stays the same until it is closed. */
interface OpenSite extends Site {
  close(): void
}

/** Opens the data of a build. @param dist the site's folder */
export function openSite(dist: string): OpenSite {
  const places = placesOf(dist)
  let index: ReturnType<typeof openSearchThreads> | undefined
  const search = () => (index ??= openSearchThreads(indexOf(places)))
  return {
    files: folderFiles(dist),
    search,
    source: findBuildRecord(builtFile(places))?.source ?? UNKNOWN_SOURCE,
    close: () => index?.close(),
  }
}

/** Opens the pages of a build, with the settings of this process. @param dist the site's folder */
export function openBuiltPages(dist: string): Promise<Pages> {
  const server = pagesOf(placesOf(dist))
  const look = JSON.parse(readFileSync(join(server, LOOK_FILE), 'utf8'))
  return openBundle({ server, client: dist }, findProfile(readConfig(process.env), look), new Map())
}
