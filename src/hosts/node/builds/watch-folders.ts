// Watches a folder and its subfolders, but no individual files, because the operating system reports changes to files through their folder. With 10,000 prompts of 5 versions each, this needs 20,000 watches instead of 80,000.
import { type Dirent, type FSWatcher, lstatSync, readdirSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'

/** How long setting up holds up the thread at the start, which is enough for a thousand folders. */
const FIRST_SLICE_MS = 100
/** How long it holds up other work after that, and how long it then pauses. */
const SLICE_MS = 5
const PAUSE_MS = 10

/** How often to check whether the top folder was replaced, because the operating system reports only changes inside it. */
const LOOK_AT_TOP_MS = 1_000

/** Callbacks for changes. */
interface FolderEvents {
  /** A file was added, changed or removed. @param path relative to the top folder; a path that ends with a slash is a deleted folder */
  onChange: (path: string) => void
  /** The top folder was replaced, removed or restored. */
  onReplaced: () => void
  /** All folders are watched only now, after other work went on: what changed in the meantime may have been missed. */
  onLate: () => void
  /** A folder cannot be watched. Called for each such folder. */
  onError: (error: unknown) => void
}

interface Folder {
  watcher: FSWatcher
  /** Watched subfolders, by name. */
  below: Map<string, Folder>
  isClosed: boolean
}

/**
 * Watches a folder and all its subfolders. Many thousands take seconds, during which other work goes on. Symbolic links below the top folder are not followed.
 *
 * @param isIgnored returns whether to skip files and folders with this name
 */
export function watchFolders(
  top: string,
  isIgnored: (name: string) => boolean,
  { onChange, onReplaced, onLate, onError }: FolderEvents,
) {
  let root: Folder | undefined
  let identity: string | undefined

  /** Watches the folders in a watched one, one at each step. @param found called for each file in them */
  function* fill(folder: Folder, path: string, found: (path: string) => void): Generator<void, void> {
    // The folder is read after the watch starts, so that no change is missed in between.
    for (const entry of readFolder(join(top, path))) {
      if (folder.isClosed) return
      const { name } = entry
      if (isIgnored(name)) continue
      if (!entry.isDirectory()) {
        found(path + name)
        continue
      }
      // An event may have been first.
      if (folder.below.has(name)) continue
      const below = open(`${path}${name}/`)
      if (!below) continue
      folder.below.set(name, below)
      yield
      yield* fill(below, `${path}${name}/`, found)
    }
  }

  /** Watches a folder and its subfolders at once. @param found called for each file in them */
  const add = (path: string, found: (path: string) => void): Folder | undefined => {
    const folder = open(path)
    if (folder) runFor(fill(folder, path, found), Number.POSITIVE_INFINITY)
    return folder
  }

  const open = (path: string): Folder | undefined => {
    try {
      const below = new Map<string, Folder>()
      const watcher = watch(join(top, path))
      watcher.on('error', onError)
      watcher.on('change', (event, name) => {
        // An event without a name concerns the folder itself, which its parent also reports.
        if (typeof name === 'string' && name !== '' && !isIgnored(name)) hear(event, path, below, name)
      })
      return { watcher, below, isClosed: false }
    } catch (error) {
      if (!isGone(error)) onError(error)
      return undefined
    }
  }

  const hear = (event: string, path: string, below: Folder['below'], name: string) => {
    if (event !== 'rename') {
      onChange(path + name)
      return
    }
    const before = below.get(name)
    if (before) {
      below.delete(name)
      close(before)
      onChange(`${path}${name}/`)
    }
    if (isFolder(join(top, path, name))) {
      const folder = add(`${path}${name}/`, onChange)
      if (folder) below.set(name, folder)
    } else if (!before) onChange(path + name)
  }

  const openTop = () => {
    if (root) close(root)
    identity = identifyFolder(top)
    const mine = identity === undefined ? undefined : open('')
    root = mine
    if (!mine) return
    const steps = fill(mine, '', () => {})
    const goOn = (ms: number) => {
      if (mine.isClosed) return
      if (!runFor(steps, ms)) setTimeout(goOn, PAUSE_MS, SLICE_MS)
      else if (ms === SLICE_MS) onLate()
    }
    goOn(FIRST_SLICE_MS)
  }
  openTop()
  const looking = setInterval(() => {
    if (identifyFolder(top) === identity) return
    openTop()
    onReplaced()
  }, LOOK_AT_TOP_MS)
  return {
    /** Watches all folders again, because the operating system drops events when too many are queued: a folder may be new, or another one at the same path. */
    catchUp: openTop,
    close(): void {
      clearInterval(looking)
      if (root) close(root)
    },
  }
}

/** @returns whether all steps are done */
function runFor(steps: Generator<void, void>, ms: number): boolean {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt) if (steps.next().done) return true
  return false
}

function close(folder: Folder): void {
  folder.isClosed = true
  folder.watcher.close()
  for (const one of folder.below.values()) close(one)
}

/** Returns no entries for a folder that has since been deleted. A folder that cannot be read is reported as a content problem. */
function readFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Returns a string that distinguishes a folder from any other at the same path; undefined if there is no folder, or none that the system can open now, such as a mount without its server. */
function identifyFolder(dir: string): string | undefined {
  try {
    const { dev, ino, birthtimeNs } = statSync(dir, { bigint: true })
    // Inode numbers are reused, also by another file system at the same path, so all three are compared.
    return `${dev} ${ino} ${birthtimeNs}`
  } catch {
    return undefined
  }
}
