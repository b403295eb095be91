// Opens a finished build, as `npm run build` leaves it, so that the Node server can serve it without following the content.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFile, indexOf, pagesOf, placesOf } from '../../src/build/build-places.ts'
import { findBuildRecord } from '../../src/built/build-record.ts'
import { folderFiles } from '../../src/built/site-files-folder.ts'
import { findProfile, readConfig } from '../../src/config.ts'
import type { Site } from '../../src/hosts/node/builds/site.ts'
import { openBundle, type Pages } from '../../src/hosts/node/pages.ts'
import { openSearchThreads } from '../../src/hosts/node/search-threads.ts'
import { LOOK_FILE } from '../../src/site/rendering.ts'
import { UNKNOWN_SOURCE } from '../../src/state/fresh-copies.ts'

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
