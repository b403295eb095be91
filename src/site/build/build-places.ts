// Knows where a build is written and where it ends, and puts a finished one in the place of the last: a build that is killed leaves the last one whole.
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

/** What is remembered of a finished build. */
export const Built = z.object({
  /** When it was finished: a moment in UTC. */
  built_at: z.string(),
  /** What of the content it has read, by which fresh copies stop counting (ports/fresh-copies.ts). */
  source: z.object({ read_until: z.string().nullable(), commits: z.array(z.string()), broken: z.array(z.string()) }),
  /** When the last of its files was written, in milliseconds since 1970. */
  ended_ms: z.number(),
  /** Of the content that it was made of (content-listing.ts); left out when it could not be told. */
  fingerprint: z.string().optional(),
  /** All else that it was made of: the code and the settings. */
  made_by: z.string(),
  repositories: z.int(),
  files: z.int(),
})
export type Built = z.infer<typeof Built>

/** The folders of a build. */
export interface BuildPlaces {
  /** The site. */
  dist: string
  /** What functions need beside it: the search index, and the code of the pages in `pages/`. Never in the site, or it would be public. */
  build: string
}

/** The folders of the build whose site lies in a folder. */
export const placesOf = (dist: string): BuildPlaces => ({ dist: resolve(dist), build: resolve(dist, '../build') })

/** Where the next build is written until it is finished. */
export const nextOf = ({ dist, build }: BuildPlaces): BuildPlaces => ({ dist: `${dist}.next`, build: `${build}.next` })

/** Where the build before the last one lies for a moment. */
export const oldOf = ({ dist, build }: BuildPlaces): BuildPlaces => ({ dist: `${dist}.old`, build: `${build}.old` })

/** The search index of a build. */
export const indexOf = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'search.db')
/** The folder of the code of its pages. */
export const pagesOf = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'pages')
/** What is remembered of it; written last, so that a build without it is not finished. */
export const builtFile = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'complete.json')

/** What is remembered of the build that lies somewhere; undefined when none does, or not a whole one. */
export function readBuilt(places: BuildPlaces): Built | undefined {
  if (!existsSync(places.dist) || !existsSync(indexOf(places))) return undefined
  try {
    return Built.parse(JSON.parse(readFileSync(builtFile(places), 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * Puts a finished build in the place of the last one. Whoever finds that a swap was interrupted calls it again: `build` is missing meanwhile, so nobody takes a half for a whole.
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
  // Without the next site, it is in its place already.
  if (existsSync(next.dist)) {
    move(places.build, old.build)
    move(places.dist, old.dist)
    move(next.dist, places.dist)
  }
  move(next.build, places.build)
  return true
}

/** Removes what an unfinished build left behind; a finished one is left to `swapIn`. */
export function removeUnfinished(places: BuildPlaces): void {
  if (existsSync(builtFile(nextOf(places)))) return
  for (const dir of Object.values(nextOf(places))) rmSync(dir, { recursive: true, force: true })
}

/** Removes the build before the last one. At the end of a build, because right after so many removals ext4 makes new files many times slower (docs/scale.md section 1). */
export function removeOld(places: BuildPlaces): void {
  for (const dir of Object.values(oldOf(places))) rmSync(dir, { recursive: true, force: true })
}
