// Manages a build's folders, and replaces the last build with a finished one, so that a build that is killed leaves the last one intact.
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

/** The record of a finished build. */
export const Built = z.object({
  /** When it finished; UTC. */
  built_at: z.string(),
  /** The content that it has read; fresh copies of that content no longer count (ports/fresh-copies.ts). */
  source: z.object({ read_until: z.string().nullable(), commits: z.array(z.string()), broken: z.array(z.string()) }),
  /** When its last file was written, in milliseconds since 1970. */
  ended_ms: z.number(),
  /** Identifies its content (content-listing.ts); omitted if unknown. */
  fingerprint: z.string().optional(),
  /** Identifies its other inputs: code and settings. */
  made_by: z.string(),
  repositories: z.int(),
  files: z.int(),
})
export type Built = z.infer<typeof Built>

/** The folders of a build. */
export interface BuildPlaces {
  /** The site. */
  dist: string
  /** The folder with files for functions: the search index, and the page code in `pages/`. It is next to the site, because everything in the site is public. */
  build: string
}

/** Returns the folders of a build. @param dist the folder of its site */
export const placesOf = (dist: string): BuildPlaces => ({ dist: resolve(dist), build: resolve(dist, '../build') })

/** Returns the folders in which the next build is written until it is finished. */
export const nextOf = ({ dist, build }: BuildPlaces): BuildPlaces => ({ dist: `${dist}.next`, build: `${build}.next` })

/** Returns the folders in which the previous build is kept briefly. */
export const oldOf = ({ dist, build }: BuildPlaces): BuildPlaces => ({ dist: `${dist}.old`, build: `${build}.old` })

/** Returns the path of a build's search index. */
export const indexOf = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'search.db')
/** Returns the folder of a build's page code. */
export const pagesOf = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'pages')
/** Returns the path of a build's record, which is written last, so that a build without it is unfinished. */
export const builtFile = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'complete.json')

/** Returns the record of a build; undefined if there is no build, or an unfinished one. */
export function readBuilt(places: BuildPlaces): Built | undefined {
  if (!existsSync(places.dist) || !existsSync(indexOf(places))) return undefined
  try {
    return Built.parse(JSON.parse(readFileSync(builtFile(places), 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * Replaces the last build with a finished one. Call it again if it was interrupted: until then, `build` is missing, so nobody mistakes a partial build for a complete one.
 *
 * @returns whether there was a finished one
 */
export function swapIn(places: BuildPlaces): boolean {
  const [next, old] = [nextOf(places), oldOf(places)]
  if (!existsSync(builtFile(next))) return false
  const move = (from: string, to: string) => {
    if (!existsSync(from)) return
    rmSync(to, { recursive: true, force: true })
    renameSync(from, to)
  }
  // If there is no next site, it is already in place.
  if (existsSync(next.dist)) {
    move(places.build, old.build)
    move(places.dist, old.dist)
    move(next.dist, places.dist)
  }
  move(next.build, places.build)
  return true
}

/** Removes the leftovers of an unfinished build; `swapIn` handles a finished one. */
export function removeUnfinished(places: BuildPlaces): void {
  if (existsSync(builtFile(nextOf(places)))) return
  for (const dir of Object.values(nextOf(places))) rmSync(dir, { recursive: true, force: true })
}

/** Removes the previous build. This happens at the end of a build, because after many deletions ext4 creates files many times more slowly (docs/scale.md section 1). */
export function removeOld(places: BuildPlaces): void {
  for (const dir of Object.values(oldOf(places))) rmSync(dir, { recursive: true, force: true })
}
