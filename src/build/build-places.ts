// Manages a build's folders. The next build replaces the previous build only once it is finished, so a killed build leaves the previous one intact.
import { renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

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
/** Returns the path of a build's record, which is written last. */
export const builtFile = ({ build }: Pick<BuildPlaces, 'build'>) => join(build, 'complete.json')

/**
 * Replaces the previous build with the next build. The previous build is deleted here and not earlier, because ext4 creates files many times more slowly after many deletions (docs/scale.md section 1).
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
