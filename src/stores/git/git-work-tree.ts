// Checks that a commit does not overwrite uncommitted work, and adds new files to the work tree and the index together.
import { copyFile, lstat, mkdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { blobId } from '../../ports/git-store.ts'
import type { Git } from './git-command.ts'
import { ownFolder } from './git-index-lock.ts'
import { listIndex, listTree } from './git-listings.ts'
import { ignoreMissing, type WorkTree } from './git-standing.ts'

/** Maximum number of a file's commits that are searched for the bytes of an uncommitted file. */
const HISTORY_DEPTH = 50

/** The state of a path in the index and the work tree: a blob ID, nothing, or something that is not a blob. */
interface SeenFile {
  path: string
  staged: string | 'in a merge' | undefined
  present: string | 'irregular' | undefined
}

/** Reads the state of paths in the index and the work tree. @param paths relative to the top of the work tree @param hexDigits length of the repository's IDs */
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
 * Returns why files may not be written: existing files that are not in git would be lost. Bytes that a path had in an earlier commit may be overwritten, because git keeps them.
 *
 * @param head the parent of the planned commit
 * @param seen the current state
 * @returns a sentence without a period, or undefined if nothing is in the way
 */
export async function findObstacle(
  { git, folder }: WorkTree,
  head: string,
  seen: readonly SeenFile[],
): Promise<string | undefined> {
  const paths = seen.map(({ path }) => path)
  const committed = await listTree(git, head, paths)
  for (const { path, staged, present } of seen) {
    const inWay = await findFolderInWay(folder, path)
    if (inWay) return `${inWay} is not a folder in the work tree`
    if (staged === 'in a merge') return `${path} is in the middle of a merge`
    if (present === 'irregular') return `${path} is not a regular file in the work tree`
    const strange = [staged, present].filter((id) => id !== undefined && id !== committed.get(path)?.id)
    if (strange.length === 0) continue
    const past = await listPastIds(git, head, path)
    if (!strange.every((id) => past.has(id!))) return `${path} holds changes that are not committed`
  }
  return undefined
}

/** A file to write. */
export interface WorkTreeFile {
  path: string
  bytes: Uint8Array
  /** Its blob, which git has. */
  id: string
  /** The state at the time of the decision to write it. */
  present: SeenFile['present']
  /** Where to write it: to the index, to the work tree, or to both. */
  into: { index: boolean; tree: boolean }
}

/** Files that have been written under temporary names, so that a full disk can no longer prevent the rest. */
interface PreparedFiles {
  /** Renames the files and the index to their final names. @returns the paths that someone changed in the meantime, which were left as they are */
  show(): Promise<string[]>
  /** Removes the temporary files. */
  undo(): Promise<void>
}

/**
 * Writes files, and an index that contains them, next to the user's; the caller holds the index lock.
 *
 * @throws Error, for example if the disk is full; nothing is left behind in that case
 */
export async function prepareFiles(tree: WorkTree, files: readonly WorkTreeFile[]): Promise<PreparedFiles> {
  const work = join(ownFolder(tree), 'work')
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
      const entries = staged.flatMap(({ id, path }) => ['--cacheinfo', `100644,${id},${path}`])
      await tree.git.run(['update-index', '--add', ...entries], { indexFile: index })
    }
    for (const [number, { path, bytes }] of written.entries()) {
      if (await mkdir(join(tree.folder, dirname(path)), { recursive: true })) folders.add(dirname(path))
      await writeFile(join(work, String(number)), bytes, { flush: true })
    }
  } catch (error) {
    await undo()
    throw error
  }
  return {
    undo,
    async show() {
      const left: string[] = []
      for (const [number, { path, id, present }] of written.entries()) {
        // Someone may have saved the file since it was read.
        const isUntouched = (await idOf(tree.folder, path, id.length)) === present
        if (isUntouched) await move(join(work, String(number)), join(tree.folder, path))
        else left.push(path)
      }
      if (staged.length > 0) await rename(index, join(tree.gitFolder, 'index'))
      await clear()
      return left
    },
  }
}

/**
 * Copies an index with the same timestamp or an older one: git compares bytes only for files saved in the same second as its index. A newer copy would hide such an edit permanently (git's Documentation/technical/racy-git.txt).
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

/** Finds a part of a path that is not a folder, because a symbolic link could lead anywhere. @returns that part */
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

/** Moves a file so that readers see the old file or the new one, never a partial one. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    // The git folder may be on another disk; only then does the file use a temporary name next to its target, which is reused after a crash.
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
