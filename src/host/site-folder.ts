// Owns the folder in which our host keeps a built site: a base and, over it, layers of what changed since; and how that is read as one site.
import { hash } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { type ProcessLock, takeLock } from '../stores/process-lock.ts'

/** Where sites are kept. */
const SITES_DIR = '.hub/sites'
/** Where the bundles of the pages are kept, for all sites. */
export const PAGES_DIR = '.hub/pages'

/** Files that changed at once, over all that came before. */
const Layer = z.object({
  /** Its folder's name in `layers`. */
  name: z.string(),
  /** Paths that the site no longer has. */
  gone: z.array(z.string()),
})
type Layer = z.infer<typeof Layer>

/** A complete state of a site, and what can be said of it. */
export const SiteState = z.object({
  /** Oldest first. */
  layers: z.array(Layer),
  /** The search index, a file of the folder. */
  search: z.string(),
  /** Counts up with every state, so that no name is used twice. */
  number: z.int(),
  /** When its content began to be read. */
  began: z.string(),
  /** What of the content it has read, by which fresh copies stop counting. */
  source: z.object({ read_until: z.string().nullable(), commits: z.array(z.string()), broken: z.array(z.string()) }),
  /** When it was complete. */
  built_at: z.string(),
  /** The commit that was checked out where the content lies, or null. */
  commit: z.string().nullable(),
  counts: z.object({ repositories: z.int(), versions: z.int(), owners: z.int() }),
})
export type SiteState = z.infer<typeof SiteState>

/** The folder of one site. */
export interface SiteFolder {
  dir: string
  base: string
  /** A base that other code made, or that was not finished, until another stands in its place. */
  oldBase: string
  cache: string
  layer: (name: string) => string
  file: (name: string) => string
}

/** The paths of what lies in the folder of a site. Nothing is read or made. */
export function describeFolder(dir: string): SiteFolder {
  return {
    dir,
    base: join(dir, 'base'),
    oldBase: join(dir, 'base.old'),
    cache: join(dir, 'cache.db'),
    layer: (name) => join(dir, 'layers', name),
    file: (name) => join(dir, name),
  }
}

/** A folder that is this process's alone. */
export interface HeldFolder extends SiteFolder {
  /** Gives it back; what lies in it stays for the next start, unless it was only a stand-in. */
  release(): void
}

/** Takes the folder for a content folder and an address; where another running hub has it, one that is removed at the end. */
export function holdFolder(contentDir: string, baseUrl: string): HeldFolder {
  const place = { contentDir: resolve(contentDir), baseUrl }
  const name = hash('sha256', JSON.stringify(place)).slice(0, 16)
  const kept = hold(join(resolve(SITES_DIR), name), place)
  if (kept) return { ...kept.folder, release: () => kept.lock.release() }
  const standIn = hold(join(resolve(SITES_DIR), `${name}.${process.pid}`), place)
  if (!standIn) throw new Error(`${SITES_DIR} cannot be written to.`)
  return {
    ...standIn.folder,
    release: () => {
      standIn.lock.release()
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

/** What is going to be removed ends so. */
const GONE = '.gone'

/** Removes folders whose content is gone, and stand-ins of processes that were killed. */
export async function removeAbandoned(): Promise<void> {
  const gone: string[] = []
  for (const name of existsSync(SITES_DIR) ? readdirSync(SITES_DIR) : []) {
    const dir = join(SITES_DIR, name)
    if (!name.includes('.') && hasContent(dir)) continue
    // A folder that cannot be locked belongs to a hub that runs, this one included.
    const lock = takeLock(join(dir, 'host.lock'), 0)
    if (!lock) continue
    lock.release()
    // Removing takes minutes, in which a hub may begin to build into a folder of that name.
    const aside = name.endsWith(GONE) ? dir : `${dir}.${process.pid}${GONE}`
    if (aside !== dir) renameSync(dir, aside)
    gone.push(aside)
  }
  for (const dir of gone) await removeSlowly(dir)
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

/** Lists the files of a folder as paths from it, each with a leading slash. */
export function listPaths(dir: string): string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length))
}

/**
 * Removes what a process that was killed has left: layers and search indexes that are no part of the state. A base that is none is put aside: right
 * after so many files were removed, as many new ones would take several times as long (docs/scale.md section 1). `removeOldBase` removes it.
 */
export function removeLeftovers(folder: SiteFolder, state: SiteState | undefined): void {
  const isUsed = new Set([...(state?.layers.map(({ name }) => name) ?? []), state?.search])
  if (!state && existsSync(folder.base)) {
    rmSync(folder.oldBase, { recursive: true, force: true })
    renameSync(folder.base, folder.oldBase)
  }
  const layers = join(folder.dir, 'layers')
  for (const name of existsSync(layers) ? readdirSync(layers) : [])
    if (!isUsed.has(name)) rmSync(folder.layer(name), { recursive: true, force: true })
  for (const name of readdirSync(folder.dir))
    if (name.startsWith('search-') && !isUsed.has(name)) rmSync(folder.file(name), { force: true })
}

/** Removes the base that was put aside. Call it when there is another. */
export async function removeOldBase({ oldBase }: SiteFolder): Promise<void> {
  await removeSlowly(oldBase)
}

/** So many files and folders are removed at once. */
const REMOVED_AT_ONCE = 50
const REMOVING_PAUSE_MS = 30

/** Removes a folder with hundreds of thousands of files over minutes: as fast as possible, it kept changes from being shown for 26 s. @param removed counts */
async function removeSlowly(dir: string, removed = { count: 0 }): Promise<void> {
  for (const entry of existsSync(dir) ? await readdir(dir, { withFileTypes: true }) : []) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) await removeSlowly(path, removed)
    else await rm(path, { force: true })
    if (++removed.count % REMOVED_AT_ONCE === 0) await sleep(REMOVING_PAUSE_MS, undefined, { ref: false })
  }
  await rm(dir, { recursive: true, force: true })
}

/**
 * Moves the files of the oldest layer into the base. It may be cut off at any moment: as long as the layer is part of the state, it lies over
 * whatever was moved already.
 */
export function foldLayer(folder: SiteFolder, { name, gone }: Layer): void {
  const dir = folder.layer(name)
  for (const path of listPaths(dir)) {
    const target = join(folder.base, path)
    const aside = `${target}.next`
    mkdirSync(dirname(target), { recursive: true })
    rmSync(aside, { force: true })
    // Linked and then renamed, so that a reader finds the old or the new file, never half of one, and the layer keeps its file.
    linkSync(join(dir, path), aside)
    renameSync(aside, target)
  }
  for (const path of gone) rmSync(join(folder.base, path), { force: true })
}
