// Creates a commit on the user's branch under a compare-and-swap, and lets the index and the working tree follow; completes what a killed process left.
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { HubError } from '../domain/api/errors.ts'
import type { Git } from './git-command.ts'
import { listTree } from './git-objects.ts'
import { blobId, type ChangedFile, type CommitOutcome } from './git-store.ts'
import {
  branchNameOf,
  checkBranch,
  checkWorkTree,
  type FileChange,
  findEdited,
  gitNotReady,
  ignoreMissing,
  lockIndex,
  makeFolders,
  prepareFiles,
  removeEmptyFolders,
  removeWork,
  showFiles,
  unlockIndex,
  WORK,
  type WorkTree,
} from './git-work-tree.ts'

/** A publish whose commit is written, and whose branch is about to move. */
const Publishing = z.object({ branch: z.string().startsWith('refs/heads/'), commit: z.hex().min(40) })
type Publishing = z.infer<typeof Publishing>

/** Returns the publish that is under way or was interrupted. @throws HubError `unavailable` if it is not known which */
export async function findPublishing(tree: WorkTree): Promise<Publishing | undefined> {
  const text = await readFile(tree.record, 'utf8').catch(ignoreMissing)
  if (text === undefined) return undefined
  try {
    return Publishing.parse(JSON.parse(text))
  } catch {
    // The record is written atomically, so something other than a hub changed it. The only way to recover is to compare the files with the branch.
    throw gitNotReady(
      `${tree.record} cannot be read. Run git status in the content's repository, restore missing files with git checkout HEAD -- <path>, then remove the file`,
    )
  }
}

/** Releases the lock. The record goes first: a publish that is complete must not be completed again, which could undo what the user did since. */
async function releaseIndex(tree: WorkTree): Promise<void> {
  await rm(tree.record, { force: true })
  await unlockIndex(tree)
}

/**
 * Commits files if the head of the checked-out branch is still the given commit, and writes them to the working tree. The caller must hold the lock that allows one hub process at a time to write. The index is locked before the branch moves and until the files are written: otherwise, the user's next `git commit -a` would delete a version that is not in the index yet.
 *
 * @param changed paths relative to the content folder
 * @throws HubError `unavailable` if a path is blocked or not writable, or if files were committed but could not be written to the working tree
 */
export async function commitFiles(
  tree: WorkTree,
  head: string,
  changed: readonly ChangedFile[],
  { headline, body }: { headline: string; body: string },
  warn: (message: string) => void,
): Promise<CommitOutcome> {
  const files: FileChange[] = changed.map(({ path, bytes }) => ({
    path: `${tree.prefix}${path}`,
    after: bytes && blobId(bytes, head.length),
    bytes,
  }))
  const message = body === '' ? `${headline}\n` : `${headline}\n\n${body}\n`
  let isMoving = false
  try {
    await lockIndex(tree)
    // Until then, the user could still switch branches.
    const branch = await checkBranch(tree)
    const steps = [writeCommit(tree, { parent: head, files, message }), prepareFiles(tree, files, head.length)] as const
    // Neither may still write when the index is unlocked.
    await Promise.allSettled(steps)
    const [{ commit, before }, prepared] = await Promise.all(steps)
    for (const error of findEdited(prepared, before).values()) throw error
    // From now on, the publish may be completed, whatever happens to this process.
    const record: Publishing = { branch, commit }
    const whole = join(tree.ownFolder, `${WORK}record`)
    await writeFile(whole, JSON.stringify(record), { flush: true })
    await rename(whole, tree.record)
    await makeFolders(tree, prepared)
    isMoving = true
    const outcome = await moveBranch(tree.git, { branch, from: head, to: commit, reason: headline })
    if (outcome.kind === 'committed') await showFiles(tree, prepared, [], warn)
    isMoving = outcome.kind === 'unknown'
    if (outcome.kind === 'moved' || outcome.kind === 'busy') await undo(tree, files)
    return outcome
  } catch (error) {
    if (isMoving)
      throw new HubError(
        'unavailable',
        'The version was committed, but is not visible yet; see the hub’s log for the reason. Try again: a retry returns the committed version.',
        { cause: error, retryAfterSeconds: 5 },
      )
    await undo(tree, files)
    // What is in the way may be another commit, made before the index was locked.
    if ((await checkWorkTree(tree)).head !== head) return { kind: 'moved' }
    throw error
  } finally {
    // As soon as the branch may have moved, the lock is kept until the files are written.
    if (!isMoving) await releaseIndex(tree)
  }
}

/** Removes what was prepared for a commit that the branch does not get. */
async function undo(tree: WorkTree, files: readonly FileChange[]): Promise<void> {
  await removeWork(tree)
  for (const { path } of files) await removeEmptyFolders(tree, path)
}

/**
 * Completes a publish that was interrupted: moves the branch, unless it has moved, and writes the files. Files that somebody has edited since stay as they are and are reported. Called only while this process holds the write lock of all hubs.
 *
 * @throws HubError `unavailable` while another process has locked the index or the branch, or if somebody staged other changes of the files; Error if the disk is full. It is retried the next time
 */
export async function finishPublish(tree: WorkTree, warn: (message: string) => void): Promise<void> {
  await removeWork(tree)
  await removeCrashReports(tree)
  const publishing = await findPublishing(tree)
  if (publishing) {
    await lockIndex(tree)
    await complete(tree, publishing, warn)
  }
  await releaseIndex(tree)
}

async function complete(tree: WorkTree, { branch, commit }: Publishing, warn: (message: string) => void) {
  const { git } = tree
  const idOf = (name: string) => git.find(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  const from = await idOf(`${commit}^`)
  if (from === undefined) return
  // The git process of the killed hub may still be about to move the branch, so it is moved rather than left where it is.
  await moveWhenFree(git, { branch, from, to: commit, reason: 'Finish a publish' })
  // What is missing depends on what is checked out: the user may have switched to another branch, or to none, with an index that lacks files of its HEAD. If HEAD lacks them too, git writes them when the user switches back.
  const head = await idOf('HEAD')
  if (head === undefined || !(await isAncestor(git, commit, head))) return
  const changed = await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, commit])
  const paths = changed.toString().split('\0').filter(Boolean)
  const [before, after, now] = await Promise.all([
    listTree(git, from, paths),
    listTree(git, commit, paths),
    listTree(git, head, paths),
  ])
  const files: FileChange[] = []
  for (const path of paths) {
    const id = after.get(path)?.id
    if (now.get(path)?.id === id)
      files.push({ path, after: id, bytes: id === undefined ? undefined : await git.run(['cat-file', 'blob', id]) })
  }
  if (files.length === 0) return
  try {
    const prepared = await prepareFiles(tree, files, head.length)
    const edited = findEdited(prepared, new Map(Array.from(before, ([path, { id }]) => [path, id])))
    await makeFolders(tree, prepared)
    await showFiles(tree, prepared, edited.keys(), warn)
  } catch (error) {
    // The user needs the index, to unstage what is in the way.
    if (error instanceof HubError) await unlockIndex(tree)
    throw error
  }
}

/** A commit to write. */
interface NewCommit {
  parent: string
  files: readonly FileChange[]
  message: string
}

/**
 * Writes a commit, without moving any branch. Git reads only the folders along the paths, so the cost does not grow with the catalogue.
 *
 * @returns the commit's ID, and the IDs of what the parent has in the place of the files and of their folders
 * @throws HubError `unavailable` if there is a file where a folder must be, or vice versa
 * @see https://git-scm.com/docs/git-fast-import
 */
async function writeCommit(
  tree: WorkTree,
  { parent, files, message }: NewCommit,
): Promise<{ commit: string; before: Map<string, string> }> {
  const folders = new Set<string>()
  for (const { path } of files)
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) folders.add(path.slice(0, end))
  const asked = [...folders, ...files.map(({ path }) => path)]
  const stream: (string | Uint8Array)[] = ['feature done\n']
  for (const path of asked) stream.push(`ls ${parent} ${quote(path)}\n`)
  stream.push(`commit ${WRITTEN}\nmark :1\ncommitter Prompt Hub <prompt-hub@localhost> now\n`)
  stream.push(`data ${Buffer.byteLength(message)}\n${message}\nfrom ${parent}\n`)
  for (const { path, bytes } of files)
    if (bytes) stream.push(`M 100644 inline ${quote(path)}\ndata ${bytes.length}\n`, bytes, '\n')
    else stream.push(`D ${quote(path)}\n`)
  // Git writes refs at the end, and this one is gone by then.
  stream.push(`\nget-mark :1\nreset ${WRITTEN}\nfrom ${'0'.repeat(parent.length)}\n\ndone\n`)
  const input = Buffer.concat(stream.map((part) => Buffer.from(part)))
  let lines: string[]
  try {
    const output = await tree.git.run(['fast-import', '--quiet', '--date-format=now'], { input })
    lines = output.toString().trimEnd().split('\n')
  } catch (error) {
    await removeCrashReports(tree)
    throw error
  }
  const before = new Map<string, string>()
  for (const [at, path] of asked.entries()) {
    const [, found, id] = /^\d+ (\w+) (\w+)\t/.exec(lines[at] ?? '') ?? []
    if (found !== undefined && found !== (at < folders.size ? 'tree' : 'blob'))
      throw gitNotReady(`${path} ${describeOther(found)}. Remove or move that first`)
    if (id !== undefined) before.set(path, id)
  }
  for (const { path, bytes } of files) if (!bytes && !before.has(path)) throw new Error(`there is no ${path} to delete`)
  return { commit: lines.at(-1) ?? '', before }
}

/** The name of the commit for fast-import, which writes no commit without a ref. */
const WRITTEN = 'refs/prompt-hub/written'

/** Says what is in the place of a file or folder. @param type the type of git's object */
function describeOther(type: string): string {
  if (type === 'commit') return 'is a submodule in git, so its prompts are published in its own repository'
  return type === 'tree' ? 'is a folder in git, not a file' : 'is a file in git, not a folder'
}

/** Removes the reports that fast-import writes if it fails, or if a hub is killed. */
async function removeCrashReports({ gitFolder }: WorkTree): Promise<void> {
  for (const name of await readdir(gitFolder))
    if (/^fast_import_crash_\d+$/.test(name)) await rm(join(gitFolder, name), { force: true })
}

/** Quotes a path like a string in C. */
const quote = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`

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
