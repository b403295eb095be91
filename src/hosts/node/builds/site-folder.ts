// The folder in which the server keeps the data for a site: a database of its builds, and the search index of the latest build.
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { type ProcessLock, takeLock } from '../../../git/git-ready.ts'

/** The folder that contains all site folders. */
const SITES_DIR = '.hub/data'
/** How long the files of a replaced build remain readable for requests that started before it was replaced. */
export const OLD_BUILD_MS = 10_000
/** A complete build of a site, with its metadata. */
export const SiteBuild = z.object({
  /** The build's number, which increases with every build; used to read its files. */
  number: z.int(),
  /** The search index: its file in the folder, and the number of the build that last changed it. */
  search: z.object({ name: z.string(), number: z.int() }),
  /** When reading of its content began. */
  began: z.string(),
  /** Which publishes the build includes; their fresh copies are no longer used. */
  source: z.object({ read_until: z.string().nullable(), commits: z.array(z.string()), broken: z.array(z.string()) }),
  /** When it was completed. */
  built_at: z.string(),
  /** The checked-out commit of the content folder, or null. */
  commit: z.string().nullable(),
  /** The tree of the content folder, and the day whose order it has: a process that finds both again has nothing to build. */
  tree: z.string().optional(),
  day: z.string(),
  counts: z.object({ repositories: z.int(), versions: z.int(), owners: z.int() }),
  /** Problems in repositories and owners that are served from their last valid content, as sentences by full name or handle. */
  broken: z.record(z.string(), z.array(z.string())),
  /** The numbers that the history of the content has, or that this hub published, and that the build does not serve, by full name. */
  used: z.record(z.string(), z.array(z.string())),
})
export type SiteBuild = z.infer<typeof SiteBuild>

/** The folder that holds one site's data. */
interface SiteFolder {
  dir: string
  /** The database of the site's builds (site-database.ts). */
  database: string
  file: (name: string) => string
}

/** Returns the paths in a site's folder, without reading or creating anything. */
export function describeFolder(dir: string): SiteFolder {
  return { dir, database: join(dir, 'site.db'), file: (name) => join(dir, name) }
}

/** A folder locked by this process. */
export interface LockedFolder extends SiteFolder {
  /** Releases the folder. Its contents are kept for the next start, unless it is a temporary folder. */
  release(): void
}

/** Locks the site folder for a content folder and a base URL. If another running hub has locked it, locks a temporary folder, which is removed on release. */
export function lockFolder(contentDir: string, baseUrl: string): LockedFolder {
  const place = { contentDir: resolve(contentDir), baseUrl }
  const name = hash('sha256', JSON.stringify(place)).slice(0, 16)
  const kept = hold(join(resolve(SITES_DIR), name), place)
  if (kept) return { ...kept.folder, release: () => kept.lock.close() }
  const standIn = hold(join(resolve(SITES_DIR), `${name}.${process.pid}`), place)
  if (!standIn) throw new Error(`${SITES_DIR} is not writable.`)
  return {
    ...standIn.folder,
    release: () => {
      standIn.lock.close()
      rmSync(standIn.folder.dir, { recursive: true, force: true })
    },
  }
}

function hold(dir: string, place: object): { folder: SiteFolder; lock: ProcessLock } | undefined {
  mkdirSync(dir, { recursive: true })
  const lock = takeLock(join(dir, 'host.lock'), 0)
  if (!lock) return undefined
  writeFileSync(join(dir, 'place.json'), JSON.stringify(place))
  return { folder: describeFolder(dir), lock }
}

/** Removes folders whose content folder no longer exists, and temporary folders of killed processes. */
export async function removeAbandoned(): Promise<void> {
  for (const name of existsSync(SITES_DIR) ? readdirSync(SITES_DIR) : []) {
    const dir = join(SITES_DIR, name)
    if (!name.includes('.') && hasContent(dir)) continue
    // A folder that cannot be locked belongs to a running hub, possibly this one.
    const lock = takeLock(join(dir, 'host.lock'), 0)
    if (!lock) continue
    lock.close()
    await rm(dir, { recursive: true, force: true })
  }
}

function hasContent(dir: string): boolean {
  try {
    const { contentDir } = z
      .object({ contentDir: z.string() })
      .parse(JSON.parse(readFileSync(join(dir, 'place.json'), 'utf8')))
    return existsSync(contentDir)
  } catch {
    return false
  }
}

/** Returns a name for a new search index that no file has: readers keep the file that they have open, so another one in its place would never be read. @param number the first number to try */
export function nameNewIndex(folder: SiteFolder, number: number): string {
  const name = `search-${number}.db`
  return existsSync(folder.file(name)) ? nameNewIndex(folder, number + 1) : name
}

/** Removes all search indexes except the one in use: those that could not be edited, and those left behind by killed processes. */
export function removeOtherIndexes(folder: SiteFolder, used: string): void {
  for (const name of readdirSync(folder.dir))
    if (name.startsWith('search-') && !name.startsWith(used)) rmSync(folder.file(name), { force: true })
}
