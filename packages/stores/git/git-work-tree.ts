// Checks that a commit does not overwrite uncommitted work, and adds new files to the working tree and the index together.
import { copyFile, lstat, mkdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { blobId } from '../../../src/ports/git-store.ts'
import type { Git } from './git-command.ts'
import { listIndex } from './git-objects.ts'
import { ignoreMissing, type WorkTree } from './git-standing.ts'

/** Maximum number of commits to a path that are searched for the bytes of an uncommitted file. */
const HISTORY_DEPTH = 50

/** The state of a path in the index and the working tree: a blob ID, nothing, or something that is not a blob. */
interface SeenFile {
  path: string
  staged: string | 'in a merge' | undefined
  present: string | 'irregular' | undefined
}

/** Reads the state of paths in the index and the working tree. @param paths relative to the top of the working tree @param hexDigits length of the repository's IDs */
export async function readPathStates(
  { git, folder }: WorkTree,
  paths: readonly string[],
  hexDigits: number,
): Promise<SeenFile[]> {
  const index = await listIndex(git, paths)
  return Promise.all(
    paths.map(async (path) => {
      const staged = index.get(path)
      return {
        path,
        staged: staged?.isInMerge ? 'in a merge' : staged?.id,
        present: await idOf(folder, path, hexDigits),
      }
    }),
  )
}

/**
 * Returns why files may not be written: a write must not destroy files that are not in git. Bytes that the path had in an earlier commit may be overwritten, because git still has them.
 *
 * @param base the parent of the planned commit, and the IDs of the paths in it
 * @param seen the current state
 * @returns a message without a period, or undefined if the files may be written
 */
export async function findObstacle(
  { git, folder }: WorkTree,
  { head, committed }: { head: string; committed: ReadonlyMap<string, string> },
  seen: readonly SeenFile[],
): Promise<string | undefined> {
  for (const { path, staged, present } of seen) {
    const inWay = await findFolderInWay(folder, path)
    if (inWay) return `${inWay} is not a folder in the working tree`
    if (staged === 'in a merge') return `${path} has a merge conflict`
    if (present === 'irregular') return `${path} is not a regular file in the working tree`
    const strange = [staged, present].filter((id) => id !== undefined && id !== committed.get(path))
    if (strange.length === 0) continue
    const past = await listPastIds(git, head, path)
    if (!strange.every((id) => past.has(id!))) return `${path} has uncommitted changes`
  }
  return undefined
}

/** A file to write or, without bytes, to delete. */
export interface WorkTreeFile {
  path: string
  bytes: Uint8Array | undefined
  /** Its blob, which git already contains; undefined for a file to delete. */
  id: string | undefined
  /** The state at the time of the decision to write it. */
  present: SeenFile['present']
  /** Whether to change the index, the working tree, or both. */
  into: { index: boolean; tree: boolean }
}

/**
 * Writes files, and an index that contains them, under temporary names next to the user's files and index, so that a full disk cannot make the remaining steps fail. The caller holds the index lock.
 *
 * @throws Error, for example if the disk is full; nothing is left behind in that case
 */
export async function prepareFiles(tree: WorkTree, files: readonly WorkTreeFile[]) {
  const work = join(tree.ownFolder, 'work')
  const index = join(work, 'index')
  const staged = files.filter(({ into }) => into.index)
  const written = files.filter(({ into }) => into.tree)
  const folders = new Set<string>()
  const clear = () => rm(work, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 })
  const undo = async () => {
    await clear()
    for (const folder of folders) await removeEmptyFolders(tree.folder, folder)
  }
  try {
    await clear()
    await mkdir(work, { recursive: true })
    if (staged.length > 0) {
      await copyIndex(join(tree.gitFolder, 'index'), index)
      const added = staged.flatMap(({ id, path }) => (id ? ['--cacheinfo', `100644,${id},${path}`] : []))
      const deleted = staged.flatMap(({ id, path }) => (id ? [] : ['--force-remove', path]))
      await tree.git.run(['update-index', '--add', ...added, ...deleted], { indexFile: index })
    }
    for (const [number, { path, bytes }] of written.entries()) {
      if (bytes === undefined) continue
      if (await mkdir(join(tree.folder, dirname(path)), { recursive: true })) folders.add(dirname(path))
      await writeFile(join(work, String(number)), bytes, { flush: true })
    }
  } catch (error) {
    await undo()
    throw error
  }
  return {
    /** Removes the temporary files. */
    undo,
    /** Renames the files and the index to their final names. @returns the paths that a user changed in the meantime, which were left unchanged */
    async show(): Promise<string[]> {
      const left: string[] = []
      for (const [number, { path, id, present }] of written.entries()) {
        // A user may have saved the file since it was read.
        const hexDigits = id?.length ?? present?.length ?? 40
        const isUntouched = (await idOf(tree.folder, path, hexDigits)) === present
        if (!isUntouched) left.push(path)
        else if (id !== undefined) await move(join(work, String(number)), join(tree.folder, path))
        else if (present !== undefined) {
          await rm(join(tree.folder, path), { force: true })
          await removeEmptyFolders(tree.folder, dirname(path))
        }
      }
      if (staged.length > 0) await rename(index, join(tree.gitFolder, 'index'))
      await clear()
      return left
    },
  }
}

/**
 * Copies an index, with the same or an earlier timestamp: git compares bytes only for files saved in the same second as its index. A newer copy would hide such an edit permanently (git's Documentation/technical/racy-git.txt).
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const stats = await stat(from).catch(ignoreMissing)
  if (!stats) return
  await copyFile(from, to)
  const second = Math.floor(stats.mtimeMs / 1000)
  await utimes(to, second, second)
}

async function listPastIds(git: Git, head: string, path: string): Promise<Set<string>> {
  const args = ['log', '-m', '--no-renames', '--raw', '--no-abbrev', '--no-color', '--format=', `-n${HISTORY_DEPTH}`]
  const raw = (await git.run([...args, head, '--', path])).toString()
  return new Set(
    [...raw.matchAll(/^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) /gm)].flatMap(([, before, after]) => [before!, after!]),
  )
}

/** Finds a part of a path that is not a folder, because a symbolic link could lead anywhere. @returns the path of that part */
async function findFolderInWay(folder: string, path: string): Promise<string | undefined> {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const stats = await lstat(join(folder, parent)).catch(ignoreMissing)
    if (stats && !stats.isDirectory()) return parent
  }
  return undefined
}

async function idOf(folder: string, path: string, hexDigits: number): Promise<SeenFile['present']> {
  if (await findFolderInWay(folder, path)) return 'irregular'
  const stats = await lstat(join(folder, path)).catch(ignoreMissing)
  if (!stats) return undefined
  return stats.isFile() ? blobId(await readFile(join(folder, path)), hexDigits) : 'irregular'
}

/** Moves a file atomically, so that readers see either the old or the new file, never a partial file. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    // The git directory may be on another disk. Only in that case is a temporary name next to the target used; it is reused after a crash.
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    const beside = join(dirname(to), `.${basename(to)}.prompt-hub~`)
    await copyFile(from, beside)
    await rename(beside, to)
  }
}

/** Removes empty folders, innermost first. */
async function removeEmptyFolders(top: string, folder: string): Promise<void> {
  for (let each = folder; each !== '.'; each = dirname(each)) {
    try {
      await rmdir(join(top, each))
    } catch {
      // This folder is not empty, and neither are the folders above it.
      return
    }
  }
}
