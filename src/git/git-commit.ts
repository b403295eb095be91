// Creates a commit on the user's branch, and brings the index and the working tree along; completes what a killed process left.
import { setTimeout as pause } from 'node:timers/promises'
import { HubError } from '../domain/api/errors.ts'
import type { Git } from './git-command.ts'
import { GitFailure } from './git-failure.ts'
import { type FileChange, prepareFastForward } from './git-fast-forward.ts'
import type { ChangedFile } from './git-files.ts'
import { findPublishing, lockIndex, notePublishing, releaseIndex, removeWork, unlockIndex } from './git-index-lock.ts'
import { listTree, removeCrashReports, writeCommit } from './git-objects.ts'
import {
  branchNameOf,
  checkBranch,
  checkWorkTree,
  gitNotReady,
  mustCommitFirst,
  type WorkTree,
} from './git-standing.ts'
import { type Additions, blobId, type CommitOutcome } from './git-store.ts'

/**
 * Commits files if the head of the checked-out branch is still the given commit, and writes them to the working tree. The caller must hold the lock that allows one hub process at a time to write. The index is locked before the branch moves and until the files are written: otherwise, the user's next `git commit -a` would delete a version that is not in the index yet.
 *
 * @param files paths relative to the content folder
 * @throws HubError `unavailable` if a path is blocked or not writable, or if files were committed but could not be written to the working tree
 */
export async function commitFiles(
  tree: WorkTree,
  { base }: Additions,
  files: readonly ChangedFile[],
  { headline, body }: { headline: string; body: string },
  warn: (message: string) => void,
): Promise<CommitOutcome> {
  const { git, prefix } = tree
  const { head } = base
  const idOf = (bytes: Uint8Array) => blobId(bytes, head.length)
  const changes: FileChange[] = files.map(({ path, bytes, before }) => ({
    path: `${prefix}${path}`,
    before: typeof before === 'string' ? idOf(Buffer.from(before)) : before?.id,
    after: bytes && idOf(bytes),
    bytes,
  }))
  const message = body === '' ? `${headline}\n` : `${headline}\n\n${body}\n`
  let isMoving = false
  try {
    await lockIndex(tree)
    // Until then, the user could still switch branches.
    const branch = await checkBranch(tree)
    const [written, ready] = await Promise.allSettled([
      writeCommit(tree, { parent: head, files: changes, message }),
      prepareFastForward(tree, changes, head.length),
    ])
    if (written.status === 'rejected') {
      if (ready.status === 'fulfilled') await ready.value.undo()
      throw written.reason
    }
    if (ready.status === 'rejected') throw ready.reason
    const prepared = ready.value
    const sha = written.value
    const [edited] = prepared.edited.values()
    if (edited !== undefined) {
      await prepared.undo()
      throw mustCommitFirst(edited)
    }
    try {
      await notePublishing(tree, { branch, commit: sha })
      await prepared.makeFolders()
    } catch (error) {
      await prepared.undo()
      throw error
    }
    isMoving = true
    const outcome = await moveBranch(git, { branch, from: head, to: sha, reason: headline })
    if (outcome.kind === 'committed') reportEdited(await prepared.show(), warn)
    if (outcome.kind === 'moved' || outcome.kind === 'busy') await prepared.undo()
    isMoving = outcome.kind === 'unknown'
    return outcome
  } catch (error) {
    if (isMoving)
      throw new HubError(
        'unavailable',
        'The version was committed, but is not visible yet; see the hub’s log for the reason. Try again: a retry returns the committed version.',
        { cause: error, retryAfterSeconds: 5 },
      )
    // What is in the way may be another commit, made before the index was locked.
    if ((await checkWorkTree(tree)).head !== head) return { kind: 'moved' }
    throw error
  } finally {
    // As soon as the branch may have moved, the lock is kept until the files are written.
    if (!isMoving) await releaseIndex(tree)
  }
}

/**
 * Completes a publish that was interrupted: moves the branch, unless it has moved, and writes the files. Files that somebody has edited since stay as they are and are reported. Called only while this process holds the write lock of all hubs.
 *
 * @throws HubError `unavailable` while another process has locked the index or the branch, or if somebody staged other changes of the files; Error if the disk is full. It is retried the next time
 */
export async function finishPublish(tree: WorkTree, warn: (message: string) => void): Promise<void> {
  const { git } = tree
  await removeWork(tree)
  await removeCrashReports(tree)
  const publishing = await findPublishing(tree)
  if (publishing === undefined) return releaseIndex(tree)
  await lockIndex(tree)
  const { branch, commit } = publishing
  const idOf = (name: string) => git.find(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  const from = await idOf(`${commit}^`)
  // The git process of the killed hub may still be about to move the branch, so it is moved rather than left where it is.
  if (from !== undefined) await moveWhenFree(git, { branch, from, to: commit, reason: 'Finish a publish' })
  // What is missing depends on what is checked out: the user may have switched to another branch, or to none, with an index that lacks files of its HEAD. If HEAD lacks them too, git writes them when the user switches back.
  const head = await idOf('HEAD')
  if (from !== undefined && head !== undefined && (await isAncestor(git, commit, head))) {
    const changed = await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, commit])
    const paths = changed.toString().split('\0').filter(Boolean)
    const [before, after, now] = await Promise.all([from, commit, head].map((one) => listTree(git, one, paths)))
    const files: FileChange[] = []
    for (const path of paths) {
      const id = after?.get(path)?.id
      if (now?.get(path)?.id !== id) continue
      const bytes = id === undefined ? undefined : await git.run(['cat-file', 'blob', id])
      files.push({ path, before: before?.get(path)?.id, after: id, bytes })
    }
    const prepared = await prepareFastForward(tree, files, head.length).catch(async (error: unknown) => {
      // The user needs the index, to unstage what is in the way.
      if (error instanceof HubError) await unlockIndex(tree)
      throw error
    })
    await prepared.makeFolders()
    reportEdited([...prepared.edited.keys(), ...(await prepared.show())], warn)
  }
  await releaseIndex(tree)
}

/** Reports which files of a publish somebody has edited since. */
function reportEdited(paths: readonly string[], warn: (message: string) => void): void {
  if (paths.length > 0)
    warn(
      `${paths.join(', ')}: published, but your local changes were kept. To restore the published file, run git checkout HEAD -- <path>.`,
    )
}

/** A move of a branch to the next commit. */
interface Move {
  branch: string
  from: string
  to: string
  /** For the reflog. */
  reason: string
}

/** Moves the branch by compare-and-swap. If git did not confirm it, the history shows whether the branch moved. */
async function moveBranch(git: Git, { branch, from, to, reason }: Move): Promise<CommitOutcome> {
  const committed = { kind: 'committed', sha: to, url: null, atMs: undefined } as const
  if ((await git.tryRun(['update-ref', '-m', reason, branch, to, from])).code === 0) return committed
  try {
    if (await isAncestor(git, to, branch)) return committed
    const now = (await git.run(['rev-parse', '--verify', `${branch}^{commit}`])).toString().trim()
    // If the head is unchanged, another process held the branch lock for a moment.
    return now === from ? { kind: 'busy', retryAfterSeconds: 1 } : { kind: 'moved' }
  } catch (cause) {
    return { kind: 'unknown', cause }
  }
}

/** Moves the branch, if nothing else has moved it, as soon as no other process locks it. @throws HubError `unavailable` if one does for seconds */
async function moveWhenFree(git: Git, move: Move): Promise<void> {
  for (let tries = 1; tries <= 50; tries++) {
    if ((await moveBranch(git, move)).kind !== 'busy') return
    await pause(20 + Math.random() * 80)
  }
  throw gitNotReady(`The branch ${branchNameOf(move.branch)} is locked by another git command`)
}

async function isAncestor(git: Git, commit: string, of: string): Promise<boolean> {
  return (await git.tryRun(['merge-base', '--is-ancestor', commit, of])).code === 0
}

/** Converts a failed write to `unavailable`, because a full disk or missing permissions are not the client's fault. */
export async function withWriteErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof GitFailure) && !isSystemError(cause)) throw cause
    throw gitNotReady(
      "The content's git repository cannot be written: its disk may be full or read-only; see the hub's log",
      cause,
    )
  }
}

function isSystemError(error: unknown): boolean {
  if (!(error instanceof Error) || hasNotStarted(error)) return false
  return 'syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR')
}

/** Returns whether git could not be started, because its program or its folder is missing. Of a folder that cannot be made, Node can report ENOENT too. */
export function hasNotStarted(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') return false
  return 'syscall' in error && typeof error.syscall === 'string' && error.syscall.startsWith('spawn')
}
