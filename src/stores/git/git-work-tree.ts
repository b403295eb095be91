// Checks that a commit does not overwrite uncommitted work, and adds new files to work tree and index together.
import { copyFile, lstat, mkdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { blobId } from '../../ports/git-store.ts'
import type { Git } from './git-command.ts'
import { ownFolder } from './git-index-lock.ts'
import { ignoreMissing, type WorkTree } from './git-standing.ts'

/** How many commits of one file are looked through for the bytes that lie in the way. */
const HISTORY_DEPTH = 50

/** What index and work tree have at a path: the id of a blob, nothing, or what no blob is. */
interface SeenFile {
  path: string
  staged: string | 'in a merge' | undefined
  present: string | 'irregular' | undefined
}

/** Looks at what index and work tree have. @param paths from the top of the work tree @param hexDigits how long the repository's ids are */
export async function lookAt(
  { git, folder }: WorkTree,
  paths: readonly string[],
  hexDigits: number,
): Promise<SeenFile[]> {
  const staged = await readEntries(git, ['ls-files', '-s', '-z', '--', ...paths], /^\d+ ([0-9a-f]+) (\d)$/)
  return Promise.all(
    paths.map(async (path) => {
      const entries = staged.filter((entry) => entry.path === path)
      const isInMerge = entries.some(({ detail }) => detail !== '0')
      return { path, staged: isInMerge ? 'in a merge' : entries[0]?.id, present: await idOf(folder, path, hexDigits) }
    }),
  )
}

/**
 * Why files may not be written: what lies there is not in git, and would be lost. Bytes that this path had in an earlier commit are no
 * obstacle, for git keeps them.
 *
 * @param head the commit that the files will be committed on
 * @param seen what lies there
 * @returns a sentence without an end mark, or undefined when nothing is in the way
 */
export async function findObstacle(
  { git, folder }: WorkTree,
  head: string,
  seen: readonly SeenFile[],
): Promise<string | undefined> {
  const paths = seen.map(({ path }) => path)
  const committed = await listBlobs(git, head, paths)
  for (const { path, staged, present } of seen) {
    const inWay = await findFolderInWay(folder, path)
    if (inWay) return `${inWay} is not a folder in the work tree`
    if (staged === 'in a merge') return `${path} is in the middle of a merge`
    if (present === 'irregular') return `${path} is not a regular file in the work tree`
    const strange = [staged, present].filter((id) => id !== undefined && id !== committed.get(path))
    if (strange.length === 0) continue
    const past = await listPastIds(git, head, path)
    if (!strange.every((id) => past.has(id!))) return `${path} holds changes that are not committed`
  }
  return undefined
}

/** A file to show. */
export interface ShownFile {
  path: string
  bytes: Uint8Array
  /** Its blob, which git has. */
  id: string
  /** What lay there when it was decided to show it. */
  present: SeenFile['present']
  /** Where it is brought. */
  into: { index: boolean; tree: boolean }
}

/** Files that are written and only wait for their names: whatever can fail because the disk is full is done. */
interface Showing {
  /** Moves files and index into place. @returns paths that somebody changed meanwhile, which were left as they are */
  show(): Promise<string[]>
  /** Removes what was prepared. */
  undo(): Promise<void>
}

/**
 * Prepares files, and an index that has them, beside what the user has; the caller holds the lock on the index.
 *
 * @throws Error when the disk is full, say; then nothing is left behind
 */
export async function prepareShowing(tree: WorkTree, files: readonly ShownFile[]): Promise<Showing> {
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
        // Somebody may have saved the file since we looked at it.
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

/** The blobs that a commit has at paths: path → id. */
export async function listBlobs(git: Git, commit: string, paths: readonly string[]): Promise<Map<string, string>> {
  const args = ['ls-tree', '-z', '--full-tree', commit, '--', ...paths]
  const entries = await readEntries(git, args, /^\d+ blob ([0-9a-f]+)$/)
  return new Map(entries.map(({ path, id }) => [path, id]))
}

/**
 * Copies an index as old as it is, or older: a file that was saved in the second in which its index was written looks unchanged to git, which
 * compares the bytes of just these. A younger copy would hide such an edit for good (git's Documentation/technical/racy-git.txt).
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const stats = await stat(from).catch(ignoreMissing)
  if (!stats) return
  await copyFile(from, to)
  const second = Math.floor(stats.mtimeMs / 1000)
  await utimes(to, second, second)
}

interface Entry {
  id: string
  detail: string
  path: string
}

/** Reads NUL-separated lines of `{what} TAB {path}`; what the pattern does not know is left out. */
async function readEntries(git: Git, args: readonly string[], pattern: RegExp): Promise<Entry[]> {
  const lines = (await git.run(args)).toString().split('\0')
  return lines.flatMap((line) => {
    const tab = line.indexOf('\t')
    const [, id, detail] = pattern.exec(line.slice(0, Math.max(tab, 0))) ?? []
    return id === undefined ? [] : [{ id, detail: detail ?? '', path: line.slice(tab + 1) }]
  })
}

async function listPastIds(git: Git, head: string, path: string): Promise<Set<string>> {
  const args = ['log', '-m', '--no-renames', '--raw', '--no-abbrev', '--no-color', '--format=', `-n${HISTORY_DEPTH}`]
  const raw = (await git.run([...args, head, '--', path])).toString()
  return new Set(
    [...raw.matchAll(/^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) /gm)].flatMap(([, before, after]) => [before!, after!]),
  )
}

/** A symbolic link on the way could lead anywhere, so no folder of the path may be one. @returns what is not a folder */
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

/** Readers see the old file or the new one, never half of one. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    // The git folder may lie on another disk; only then does the file go by another name beside its target, one that is used again after a crash.
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    const beside = join(dirname(to), `.${basename(to)}.prompt-hub~`)
    await copyFile(from, beside)
    await rename(beside, to)
  }
}

/** Removes folders from the innermost one up, as long as they are empty. */
async function removeEmptyFolders(top: string, folder: string): Promise<void> {
  for (let each = folder; each !== '.'; each = dirname(each)) {
    try {
      await rmdir(join(top, each))
    } catch {
      // This folder is not empty, and therefore none above it is.
      return
    }
  }
}
