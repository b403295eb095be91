// Manages a build's folders. The next build replaces the previous build only once it is finished, so a killed build leaves the previous one intact.
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

/** The record of a finished build. */
export const Built = z.object({
  /** When the build finished, in UTC. */
  built_at: z.string(),
  /** The content that the build has read; fresh copies of that content are no longer used (ports/fresh-copies.ts). */
  source: z.object({ read_until: z.string().nullable(), commits: z.array(z.string()), broken: z.array(z.string()) }),
  /** When the last file was written, in milliseconds since the Unix epoch. */
  ended_ms: z.number(),
  /** Identifies the content that was built (content-listing.ts); omitted if unknown. */
  fingerprint: z.string().optional(),
  /** Identifies the other inputs of the build: code and settings. */
  made_by: z.string(),
  repositories: z.int(),
  files: z.int(),
})
export type Built = z.infer<typeof Built>

export interface BuildPlaces {
  /** The site folder. */
  dist: string
  /** The folder of files for the functions: the search index, and the page code in `pages/`. It is outside the site folder, because everything in that folder is public. */
  build: string
}

/** Returns the folders of a build. @param dist the site folder */
export const placesOf = (dist: string): BuildPlaces => ({ dist: resolve(dist), build: resolve(dist, '../build') })

/** Returns the folders that the next build is written to until it is finished. */
export const nextOf = ({ dist, build }: BuildPlaces): BuildPlaces => ({ dist: `${dist}.next`, build: `${build}.next` })

/** Returns the path of a build's search index. */
export const indexOf = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'search.db')
/** Returns the folder of a build's page code. */
export const pagesOf = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'pages')
/** Returns the path of a build's record. The record is written last, so a build without a record is unfinished. */
export const builtFile = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'complete.json')

/** Returns the record of a build; undefined if there is no finished build. */
export function readBuilt(places: BuildPlaces): Built | undefined {
  if (!existsSync(places.dist) || !existsSync(indexOf(places))) return undefined
  try {
    return Built.parse(JSON.parse(readFileSync(builtFile(places), 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * Replaces the previous build with the next build. If this is interrupted, the site has no record, so the next build writes everything again.
 *
 * The previous build is deleted here and not earlier, because ext4 creates files many times more slowly after many deletions (docs/scale.md section 1).
 */
export function replaceBuild(places: BuildPlaces): void {
  const next = nextOf(places)
  removeBuild(places)
  renameSync(next.dist, places.dist)
  renameSync(next.build, places.build)
}

/** Removes a build, its record first. */
export function removeBuild(places: BuildPlaces): void {
  for (const path of [builtFile(places), places.build, places.dist]) rmSync(path, { recursive: true, force: true })
}
