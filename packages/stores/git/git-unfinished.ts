// Completes a publish that was killed between moving the branch and writing the files, from a record in the git directory.
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import type { Git } from './git-command.ts'
import { isIndexLockOurs, lockIndex, releaseIndex } from './git-index-lock.ts'
import { listTree, removeWritten } from './git-objects.ts'
import { branchNameOf, gitNotReady, ignoreMissing, type WorkTree } from './git-standing.ts'
import { prepareFiles, readPathStates, type WorkTreeFile } from './git-work-tree.ts'

/** A pending publish, recorded before its branch moves. */
const Unfinished = z.object({
  /** `refs/heads/…`. */
  branch: z.string(),
  files: z.array(
    z.object({
      path: z.string(),
      /** The new blob; null if the file is deleted. */
      id: z.string().nullable(),
      /** The earlier contents of the index and the working tree; null if there were none. Any other contents that are found later are a user's edit. */
      staged: z.string().nullable(),
      present: z.string().nullable(),
    }),
  ),
})
type Unfinished = z.infer<typeof Unfinished>

const notePath = (tree: WorkTree): string => join(tree.ownFolder, 'unfinished.json')

/** Writes the record atomically. */
export async function writeUnfinished(tree: WorkTree, unfinished: Unfinished): Promise<void> {
  await writeFile(`${notePath(tree)}.new`, JSON.stringify(unfinished), { flush: true })
  await rename(`${notePath(tree)}.new`, notePath(tree))
}

/** Removes the record. */
export async function deleteUnfinished(tree: WorkTree): Promise<void> {
  await rm(notePath(tree), { force: true })
}

/** Returns whether a publish is pending or was interrupted. */
export async function hasUnfinished(tree: WorkTree): Promise<boolean> {
  return (await readNote(tree)) !== undefined
}

/**
 * Completes an interrupted publish: writes the branch's files to the index and the working tree. Files that a user has changed since are left unchanged and reported. Called only while this process holds the write lock of all hubs.
 *
 * @throws HubError `unavailable` while another process has locked the index or the branch; Error if the disk is full. The record is kept for a retry
 */
export async function finishPublish(tree: WorkTree, warn: (message: string) => void): Promise<void> {
  const note = await readNote(tree)
  if (note === undefined) {
    // The process was killed before it changed anything, or after it had finished.
    if (await isIndexLockOurs(tree)) {
      await removeWritten(tree)
      await releaseIndex(tree)
    }
    return
  }
  await lockIndex(tree)
  await settleBranch(tree, note.branch)
  const paths = note.files.map(({ path }) => path)
  // What is missing depends on the checked-out commit, not on the recorded branch: the user may have switched to another branch, or to none, with an index that lacks files of its HEAD. If HEAD lacks them too, git restores them when the user switches back.
  const head = await readCommit(tree.git, 'HEAD')
  const committed = head === undefined ? undefined : await listTree(tree.git, head, paths)
  const seen = await readPathStates(tree, paths, head?.length ?? 40)
  const files: WorkTreeFile[] = []
  const left: string[] = []
  for (const [number, { path, id: noted, staged, present }] of note.files.entries()) {
    const id = noted ?? undefined
    // The branch did not move, has moved further, or another branch without the commit is checked out, so no files of this publish are missing here.
    if (committed?.get(path)?.id !== id) continue
    const now = seen[number]!
    const into = { index: now.staged === (staged ?? undefined), tree: now.present === (present ?? undefined) }
    if ((!into.index && now.staged !== id) || (!into.tree && now.present !== id)) left.push(path)
    if (into.index || into.tree) {
      const bytes = id === undefined ? undefined : await tree.git.run(['cat-file', 'blob', id])
      files.push({ path, id, into, present: now.present, bytes })
    }
  }
  left.push(...(await (await prepareFiles(tree, files)).show()))
  await removeWritten(tree)
  await releaseIndex(tree)
  await deleteUnfinished(tree)
  reportChangedFiles(left, warn)
}

/** Reports which files of a publish a user has changed since. */
export function reportChangedFiles(left: readonly string[], warn: (message: string) => void): void {
  if (left.length > 0)
    warn(
      `${left.join(', ')}: published, but your local changes were kept. To restore the published file, run git checkout HEAD -- <path>.`,
    )
}

/**
 * Waits until no git process is still updating the branch: the child of a killed process keeps running, and holds the branch lock until it exits.
 */
async function settleBranch({ git }: WorkTree, branch: string): Promise<void> {
  for (let tries = 1; tries <= 50; tries++) {
    const head = await readCommit(git, branch)
    if (head === undefined) return
    // Setting the branch to its current value acquires the lock and changes nothing.
    if ((await git.tryRun(['update-ref', branch, head, head])).code === 0) return
    await pause(20 + Math.random() * 80)
  }
  throw gitNotReady(`The branch ${branchNameOf(branch)} is locked by another git command`)
}

/** Resolves a name to a commit; undefined if there is none. */
function readCommit(git: Git, name: string): Promise<string | undefined> {
  return git.find(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
}

async function readNote(tree: WorkTree): Promise<Unfinished | undefined> {
  const text = await readFile(notePath(tree), 'utf8').catch(ignoreMissing)
  if (text === undefined) return undefined
  try {
    return Unfinished.parse(JSON.parse(text))
  } catch {
    // Records are written atomically, so something other than a hub changed this record. The only way to recover is to compare the files with the branch.
    throw gitNotReady(
      `${notePath(tree)} cannot be read. Run git status in the content's repository, restore missing files with git checkout HEAD -- <path>, then remove the file`,
    )
  }
}
