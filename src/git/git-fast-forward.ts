// Brings the index and the working tree from one commit to the next, as git's fast-forward merge does. Unlike git, which deletes a file before it writes its new text, every file is whole at any moment, and a full disk changes nothing.
import { copyFile, lstat, mkdir, mkdtemp, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Git } from './git-command.ts'
import { GitFailure } from './git-failure.ts'
import { WORK } from './git-index-lock.ts'
import { listRecords } from './git-objects.ts'
import { ignoreMissing, mustCommitFirst, type WorkTree } from './git-standing.ts'
import { blobId } from './git-store.ts'

/** A file that differs between two commits. */
export interface FileChange {
  /** Relative to the top of the working tree. */
  path: string
  /** Its blob in the earlier commit; undefined if there is none. */
  before: string | undefined
  /** Its blob and bytes in the later commit; undefined if there is none. */
  after: string | undefined
  bytes: Uint8Array | undefined
}

/**
 * Writes the changed files, and an index that has them, under other names, so that only folders and renames remain to be done. The caller holds the index lock.
 *
 * @param files the files that differ
 * @param hexDigits the length of the repository's object IDs
 * @throws HubError `unavailable` if a change that somebody staged would be lost; Error, for example if the disk is full. Nothing is left behind
 */
export async function prepareFastForward(tree: WorkTree, files: readonly FileChange[], hexDigits: number) {
  const { folder, ownFolder, gitFolder } = tree
  const seen = await Promise.all(
    files.map(async (file) => ({ ...file, found: await findFile(folder, file.path, hexDigits) })),
  )
  /** Git has these bytes in one of the commits, or there is nothing to lose. */
  const isClean = ({ found, before, after }: (typeof seen)[number]) =>
    found === undefined || (typeof found === 'string' && (found === before || found === after))
  const changed = seen.filter((file) => isClean(file) && file.found !== file.after)
  const folders = new Set<string>()
  // Git may still be writing to the folder of a killed hub.
  const work = await mkdtemp(join(ownFolder, WORK))
  const index = join(work, 'index')
  const clear = () => rm(work, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 })
  const undo = async () => {
    await clear()
    for (const path of folders) await removeEmptyFolders(folder, path)
  }
  try {
    await copyIndex(join(gitFolder, 'index'), index)
    if (files.length > 0) await mergeIndex(tree, index, files, hexDigits)
    for (const [number, { bytes }] of changed.entries())
      if (bytes !== undefined) await writeFile(join(work, String(number)), bytes, { flush: true })
  } catch (error) {
    await undo()
    throw error
  }
  return {
    /** The files that somebody edited, which stay as they are, with sentences without a period. */
    edited: new Map(seen.flatMap((file) => (isClean(file) ? [] : [[file.path, describe(file)] as const]))),
    /** Removes the temporary files, and the folders that were made. */
    undo,
    /** Makes the folders of the files. The publish is remembered by then, so that a killed hub leaves no empty folder. */
    async makeFolders(): Promise<void> {
      for (const { path, bytes } of changed)
        if (bytes !== undefined && (await mkdir(join(folder, dirname(path)), { recursive: true })))
          folders.add(dirname(path))
    },
    /** Renames the files and the index to their final names. @returns the paths that somebody edited in the meantime, which stay as they are */
    async show(): Promise<string[]> {
      const edited: string[] = []
      for (const [number, { path, after, found }] of changed.entries()) {
        if ((await findFile(folder, path, hexDigits)) !== found) edited.push(path)
        else if (after !== undefined) await move(join(work, String(number)), join(folder, path))
        else {
          await rm(join(folder, path), { force: true })
          await removeEmptyFolders(folder, dirname(path))
        }
      }
      await rename(index, join(gitFolder, 'index'))
      await clear()
      return edited
    },
  }
}

/**
 * Brings the changed files of an index from one commit to the other, and keeps what else is staged. Git's own merge of two trees would read both whole trees for this.
 *
 * @param files at least one
 * @throws HubError `unavailable` if what is staged would be overwritten
 */
async function mergeIndex(
  { git, gitFolder }: WorkTree,
  index: string,
  files: readonly FileChange[],
  hexDigits: number,
): Promise<void> {
  const lines = files.map(({ path, after }) =>
    after === undefined ? `0 ${'0'.repeat(hexDigits)}\t${path}\0` : `100644 ${after}\t${path}\0`,
  )
  // Each process reads the whole index, so they run at once. If something is staged, the copy is of no use.
  const [checked, updated] = await Promise.allSettled([
    refuseStaged(git, join(gitFolder, 'index'), files),
    git.tryRun(['update-index', '-z', '--index-info'], { indexFile: index, input: lines.join('') }),
  ])
  if (checked.status === 'rejected') throw checked.reason
  if (updated.status === 'rejected') throw updated.reason
  const { code, stderr } = updated.value
  if (code === 0) return
  const [, path] = /^error: '(.*)' appears as both a file and as a directory/m.exec(stderr) ?? []
  throw path === undefined ? new GitFailure(`git update-index ended with ${code}: ${stderr.trim()}`) : staging(path)
}

/** @throws HubError `unavailable` if an index has something else for one of the files than either commit, or something in its place */
async function refuseStaged(git: Git, indexFile: string, files: readonly FileChange[]): Promise<void> {
  const paths = files.map(({ path }) => path)
  const there = new Map<string, string>()
  for (const record of await listRecords(git, ['ls-files', '--stage', '-z', '--', ...paths], { indexFile })) {
    const [, id, stage, path] = /^\d+ ([0-9a-f]+) (\d)\t(.+)$/s.exec(record) ?? []
    if (id === undefined || path === undefined) throw new Error('expected an entry of the index')
    if (stage !== '0') throw mustCommitFirst(`${path} has a merge conflict`)
    if (!paths.includes(path)) throw staging(path)
    there.set(path, id)
  }
  const other = files.find(({ path, before, after }) => ![before, after].includes(there.get(path)))
  if (other) throw staging(other.path)
}

const staging = (path: string) => mustCommitFirst(`${path} has uncommitted changes`)

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

/** What is in the place of a file. */
interface Obstacle {
  sentence: string
}

/** Finds the file at a path of the working tree. Links are not followed, because a link could lead anywhere. @returns its blob ID; undefined if there is nothing */
async function findFile(folder: string, path: string, hexDigits: number): Promise<string | Obstacle | undefined> {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const stats = await lstat(join(folder, parent)).catch(ignoreMissing)
    if (stats && !stats.isDirectory()) return { sentence: `${parent} is not a folder in the working tree` }
  }
  const stats = await lstat(join(folder, path)).catch(ignoreMissing)
  if (!stats) return undefined
  if (!stats.isFile()) return { sentence: `${path} is not a regular file in the working tree` }
  return blobId(await readFile(join(folder, path)), hexDigits)
}

const describe = ({ path, found }: { path: string; found: string | Obstacle | undefined }): string =>
  typeof found === 'object' ? found.sentence : `${path} has uncommitted changes`

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
