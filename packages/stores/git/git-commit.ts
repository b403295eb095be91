// Creates a commit on the user's branch, and updates the index and the working tree.
import { HubError } from '../../../src/domain/api/errors.ts'
import { type Additions, blobId, type CommitOutcome } from '../../../src/ports/git-store.ts'
import type { ChangedFile } from '../git-files.ts'
import { type Git, GitFailure } from './git-command.ts'
import { lockIndex, releaseIndex } from './git-index-lock.ts'
import { removeWritten, WRITTEN_REF, writeCommit } from './git-objects.ts'
import { checkWorkTree, gitNotReady, type WorkTree } from './git-standing.ts'
import { deleteUnfinished, reportChangedFiles, writeUnfinished } from './git-unfinished.ts'
import { findObstacle, prepareFiles, readPathStates } from './git-work-tree.ts'

/**
 * Commits files if the head of the checked-out branch is still the given commit, and writes them to the working tree. The caller must hold the lock that allows one hub process at a time to write. The index lock is held from reading the head until the files are written, so the user's git cannot commit in between. The operation is recorded before the branch moves, so that the next process can finish it if this one is killed.
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
  await lockIndex(tree)
  let isMoving = false
  let isWriting = false
  try {
    const { branch, head } = await checkWorkTree(tree)
    if (head !== base.head) return { kind: 'moved' }
    const placed = files.map((file) => ({ ...file, path: `${prefix}${file.path}` }))
    const seen = await readPathStates(
      tree,
      placed.map(({ path }) => path),
      head.length,
    )
    const idOf = (text: string) => blobId(Buffer.from(text), head.length)
    const committed = new Map(
      placed.flatMap(({ path, before }) => (before === undefined ? [] : [[path, idOf(before)]])),
    )
    const obstacle = await findObstacle(tree, { head, committed }, seen)
    if (obstacle) throw gitNotReady(`${obstacle}. Commit, move or remove that first`)
    const message = body === '' ? `${headline}\n` : `${headline}\n\n${body}\n`
    isWriting = true
    const sha = await writeCommit(git, { parent: head, files: placed, message })
    const shown = placed.map(({ path, bytes }, number) => {
      const into = { index: true, tree: true }
      return { path, bytes, id: bytes && blobId(bytes, head.length), present: seen[number]!.present, into }
    })
    const showing = await prepareFiles(tree, shown)
    await writeUnfinished(tree, {
      branch,
      files: shown.map(({ path, id = null, present = null }, number) => {
        const { staged = null } = seen[number]!
        return { path, id, staged, present }
      }),
    }).catch(async (error: unknown) => {
      await showing.undo()
      throw error
    })
    isMoving = true
    const outcome = await moveBranch(git, { ref: branch, from: head, to: sha, reason: headline, deleted: WRITTEN_REF })
    isWriting = outcome.kind !== 'committed'
    if (outcome.kind === 'committed') reportChangedFiles(await showing.show(), warn)
    if (outcome.kind === 'moved' || outcome.kind === 'busy') await showing.undo()
    isMoving = outcome.kind === 'unknown'
    return outcome
  } catch (error) {
    if (!isMoving) throw error
    throw new HubError(
      'unavailable',
      'The version was committed, but is not visible yet; see the hub’s log for the reason. Try again: a retry returns the committed version.',
      { cause: error, retryAfterSeconds: 5 },
    )
  } finally {
    // As soon as the branch may have moved, the record and the lock are kept until the files are written.
    if (!isMoving) {
      if (isWriting) await removeWritten(tree)
      await releaseIndex(tree)
      await deleteUnfinished(tree)
    }
  }
}

/** Moves the branch by compare-and-swap. If git did not confirm it, the history shows whether the branch moved. */
async function moveBranch(git: Git, move: Parameters<Git['moveRef']>[0]): Promise<CommitOutcome> {
  const committed = { kind: 'committed', sha: move.to, url: null, atMs: undefined } as const
  if (await git.moveRef(move)) return committed
  try {
    if ((await git.tryRun(['merge-base', '--is-ancestor', move.to, move.ref])).code === 0) return committed
    const now = (await git.run(['rev-parse', '--verify', `${move.ref}^{commit}`])).toString().trim()
    // If the head is unchanged, another process held the branch lock for a moment.
    return now === move.from ? { kind: 'busy', retryAfterSeconds: 1 } : { kind: 'moved' }
  } catch (cause) {
    return { kind: 'unknown', cause }
  }
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
