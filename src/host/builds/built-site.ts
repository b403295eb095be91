// Serves the build in dist/. When a new build appears, switches to its files, search index and page code together.
import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { logProblem } from '../../ports/log.ts'
import { type BuildPlaces, indexOf, oldOf, pagesOf, readBuilt, swapIn } from '../../site/build/build-places.ts'
import { folderFiles, identifyFolder } from '../../stores/site/site-files-folder.ts'
import { openBuiltPages, type Pages } from '../pages.ts'
import { openSearchThreads } from '../search-threads.ts'
import type { Site } from './site.ts'
import { RETIRE_MS } from './site-folder.ts'

/** How often to check for a new build. */
const LOOK_MS = 100
/** Where the page code is copied to. Some of its chunks are loaded on first use, and a later build may have different chunks. */
const SERVED_PAGES_DIR = '.hub/served'

/** A build that is being served. */
interface ServedBuild {
  site: Site
  pages: Pages
  /** When it was built, as an ISO 8601 timestamp. */
  builtAt: string
}

/** The latest build in a folder, which is replaced when a new build appears. */
export interface BuiltSite {
  /** The current build. */
  current: () => ServedBuild
  close(): void
}

/**
 * Opens the build in a folder.
 *
 * @returns undefined when there is no complete build
 * @throws Error if its page code cannot be loaded
 */
export async function openBuiltSite(places: BuildPlaces): Promise<BuiltSite | undefined> {
  // If a build was killed while it was replacing the previous build, completes the replacement.
  swapIn(places)
  const first = await openBuild(places)
  if (!first) return undefined
  let current = first
  let isLooking = false
  /** Whether the last look failed; logged once, because a failure may last for hours. */
  let hasFailed = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      if (identifyFolder(places.dist) === current.identity) return
      const next = await openBuild(places)
      if (!next) return
      const before = current
      current = next
      hasFailed = false
      console.log(`Serving the build from ${next.builtAt}.`)
      setTimeout(before.close, RETIRE_MS).unref()
    } catch (cause) {
      if (!hasFailed)
        logProblem('error', 'The new build cannot be served; the previous one is still being served.', { cause })
      hasFailed = true
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
  const pages = await openBuiltPages(keepPages(places, built.made_by), places.dist, oldOf(places).dist)
  const search = openSearchThreads(indexOf(places))
  // The search threads open the file on their first query.
  await search.warm()
  const files = folderFiles(places.dist, oldOf(places).dist)
  // The build may have been replaced while it was being opened.
  if (identifyFolder(places.dist) !== identity) {
    search.close()
    return undefined
  }
  const builtAt = built.built_at
  return { identity, builtAt, pages, site: { files, search: () => search, source: built.source }, close: search.close }
}

/** Copies the page code to a folder that later builds do not replace. @param madeBy identifies the code @returns the folder */
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
