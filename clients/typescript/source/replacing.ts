// Replaces files and the folders of skills next to a lock: all of them or none. A folder is written beside the old one, which is put back if a run was killed in between. docs/lock-file.md
import { lstat, mkdir, open, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { putAll, readVendored, requireNoLink, type Staged, writeTemporary } from './files.ts'
import { PromptHubError } from './trouble.ts'

const MAX_WAIT_MS = 5_000

/** A file to write next to a lock, or all files of a folder. */
export interface NewFiles {
  /** Relative to the lock's folder. */
  path: string
  /** The path of each file in the folder, and its bytes; only one with an empty path if it is no folder. */
  files: readonly { path: string; bytes: Uint8Array<ArrayBuffer> }[]
}

/** Whether the path is that of a folder. */
export const isFolder = ({ files }: NewFiles): boolean => files[0]?.path !== ''

/** The open file that replaces the lock. */
interface Turn {
  handle: Awaited<ReturnType<typeof open>>
  path: string
  /** Whether it has replaced the lock. */
  isSpent: boolean
}

/** Waits until no other run changes the lock, and locks out other runs during the work. */
export async function takeTurn(lockPath: string, work: (turn: Turn) => Promise<void>): Promise<void> {
  const turn = await openTurn(lockPath)
  try {
    await work(turn)
  } finally {
    await turn.handle.close().catch(() => {
      // It is already closed.
    })
    if (!turn.isSpent) await rm(turn.path, { force: true })
  }
}

async function openTurn(lockPath: string): Promise<Turn> {
  const path = `${lockPath}.new`
  const endsAt = Date.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return { handle: await open(path, 'wx'), path, isSpent: false }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      if (Date.now() > endsAt)
        throw new PromptHubError(
          'invalid_request',
          `another run is active: ${basename(path)} exists; nothing was changed. If no other run is active, delete that file`,
          { cause: error },
        )
      await new Promise((done) => setTimeout(done, 50))
    }
  }
}

/**
 * Writes files, folders and the lock: all of them or none.
 *
 * @param text of the lock; undefined if it is not replaced
 */
export async function replaceFiles(
  lockPath: string,
  targets: readonly NewFiles[],
  turn: Turn,
  text: string | undefined,
): Promise<void> {
  const { handle, path } = turn
  const root = dirname(lockPath)
  const staged: Staged[] = []
  const made: string[] = []
  try {
    for (const target of targets) await stage(root, target, staged, made)
    if (text !== undefined) await handle.writeFile(text)
    await handle.sync()
    await handle.close()
    await putAll(text === undefined ? staged : [...staged, { place: lockPath, temporary: path }])
    turn.isSpent = text !== undefined
    for (const { aside } of staged) if (aside !== undefined) await rm(aside, { force: true, recursive: true })
  } catch (error) {
    for (const { temporary } of staged) await rm(temporary, { force: true, recursive: true })
    for (const dir of made.reverse())
      await rmdir(dir).catch(() => {
        // No longer empty: someone put a file into it in the meantime.
      })
    throw error
  } finally {
    for (const { before } of staged) if (before !== undefined) await rm(before, { force: true })
  }
}

/** Writes a file or folder beside its place. */
async function stage(root: string, target: NewFiles, staged: Staged[], made: string[]): Promise<void> {
  const place = join(root, target.path)
  if (!isFolder(target)) {
    const found = await readVendored(root, target.path, Number.POSITIVE_INFINITY)
    await makeFolders(dirname(place), made)
    const each: Staged = { place, temporary: await writeTemporary(place, target.files[0]!.bytes) }
    staged.push(each)
    if (found) each.before = await writeTemporary(place, found)
    return
  }
  await requireNoLink(root, target.path)
  await makeFolders(dirname(place), made)
  await restoreFolder(root, target.path)
  const { fresh, old } = beside(place)
  staged.push({ place, temporary: fresh, ...((await isThere(place)) ? { aside: old } : {}) })
  await mkdir(fresh)
  for (const { path, bytes } of target.files) {
    await mkdir(dirname(join(fresh, path)), { recursive: true })
    // What begins with #! is a script.
    const isScript = bytes[0] === 0x23 && bytes[1] === 0x21
    await writeFile(join(fresh, path), bytes, { flag: 'wx', flush: true, ...(isScript && { mode: 0o777 }) })
  }
}

/** The places of the new and the old folder beside a folder; the same for all clients. */
function beside(place: string): { fresh: string; old: string } {
  const [parent, name] = [dirname(place), basename(place)]
  return { fresh: join(parent, `.prompt-hub.new.${name}`), old: join(parent, `.prompt-hub.old.${name}`) }
}

/** Undoes what a killed run did to a folder: deletes what it wrote beside it, and puts back the old folder if no other is in its place. */
export async function restoreFolder(root: string, path: string): Promise<void> {
  const place = resolve(root, path)
  const { fresh, old } = beside(place)
  if ((await isThere(old)) && !(await isThere(place))) await rename(old, place)
  for (const left of [fresh, old]) await rm(left, { force: true, recursive: true })
}

/** Deletes a prompt's file or the folder of a skill, and the folders below the lock's that become empty. */
export async function deletePlaced(root: string, path: string): Promise<void> {
  await requireNoLink(root, path)
  const place = join(root, path)
  const { old } = beside(place)
  // A folder is renamed first, so that a killed run leaves either all of it or nothing.
  if ((await lstat(place).catch(() => undefined))?.isDirectory()) await rename(place, old)
  for (const each of [place, old]) await rm(each, { force: true, recursive: true })
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const isRemoved = await rmdir(join(root, parent)).then(
      () => true,
      // It contains other files.
      () => false,
    )
    if (!isRemoved) return
  }
}

async function isThere(place: string): Promise<boolean> {
  return (await lstat(place).catch(() => undefined)) !== undefined
}

/** Creates a folder and its parents. @param made collects the created ones, outermost first */
async function makeFolders(dir: string, made: string[]): Promise<void> {
  if (await isThere(dir)) return
  await makeFolders(dirname(dir), made)
  await mkdir(dir)
  made.push(dir)
}
