// Serves the build in dist/, and takes over the next one when it takes its place: whole, with its search index and the code of its pages.
import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { logTrouble } from '../../ports/log.ts'
import { type BuildPlaces, indexOf, oldOf, pagesOf, readBuilt, swapIn } from '../../site/build/build-places.ts'
import { folderFiles, identifyFolder } from '../../stores/site/site-files-folder.ts'
import { loadPages, type Pages } from '../pages.ts'
import { openSearchThreads } from '../search-threads.ts'
import type { Site } from './serve-sites.ts'

/** How often it is looked whether there is another build. */
const LOOK_MS = 100
/** How long requests that began with a build may still search in it after another took over. */
const RETIRE_MS = 10_000
/** Where the code of pages is copied to, because parts of it are loaded when a page is first asked for, and a later build may have others. */
const SERVED_PAGES_DIR = '.hub/served'

/** A build as it is served. */
interface ServedBuild {
  site: Site
  pages: Pages
  /** When it was built, as an ISO time. */
  builtAt: string
}

/** The build in a folder, and the next ones. */
export interface BuiltSite {
  /** The build of the moment. */
  current: () => ServedBuild
  close(): void
}

/**
 * Opens the build in a folder.
 *
 * @returns undefined when there is no whole build
 * @throws Error when the code of its pages cannot be loaded
 */
export async function openBuiltSite(places: BuildPlaces): Promise<BuiltSite | undefined> {
  // A build that was killed while it took the place of the last one is finished.
  swapIn(places)
  const first = await openBuild(places)
  if (!first) return undefined
  let current = first
  let isLooking = false
  const look = async () => {
    if (isLooking || identifyFolder(places.dist) === current.identity) return
    isLooking = true
    try {
      const next = await openBuild(places)
      if (!next) return
      const before = current
      current = next
      console.log(`Serving the build of ${next.builtAt}.`)
      setTimeout(before.close, RETIRE_MS).unref()
    } catch (cause) {
      logTrouble('error', 'The new build cannot be served; the last one is served on.', { cause })
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return {
    current: () => current,
    close() {
      clearInterval(timer)
      current.close()
    },
  }
}

async function openBuild(
  places: BuildPlaces,
): Promise<(ServedBuild & { identity: string; close(): void }) | undefined> {
  const identity = identifyFolder(places.dist)
  const built = readBuilt(places)
  if (!identity || !built) return undefined
  const pages = await loadPages(keepPages(places, built.made_by), places.dist, oldOf(places).dist)
  const search = openSearchThreads(indexOf(places))
  // Its threads open the file with their first question.
  await search.warm()
  const files = folderFiles(places.dist, oldOf(places).dist)
  // While it was opened, it may have been replaced.
  if (identifyFolder(places.dist) !== identity) {
    search.close()
    return undefined
  }
  const builtAt = built.built_at
  return { identity, builtAt, pages, site: { files, search: () => search, source: built.source }, close: search.close }
}

/** Copies the code of the pages to where it stays. @param madeBy stands for it @returns its folder */
function keepPages(places: BuildPlaces, madeBy: string): string {
  const dir = resolve(SERVED_PAGES_DIR, hash('sha256', madeBy).slice(0, 16))
  if (existsSync(dir)) return dir
  const part = `${dir}.${process.pid}`
  mkdirSync(resolve(SERVED_PAGES_DIR), { recursive: true })
  rmSync(part, { recursive: true, force: true })
  cpSync(pagesOf(places), part, { recursive: true })
  renameSync(part, dir)
  return dir
}
