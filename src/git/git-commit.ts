// Makes a commit on the user's branch under a compare-and-swap, and lets the index and the working tree follow as git's fast-forward merge does; completes what a killed process left. Unlike git, which deletes a file before it writes its new text, every file is whole at any moment, and a full disk changes nothing.
import {
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { HubError } from '../domain/api/errors.ts'
import type { Git } from './git-command.ts'
import { GitFailure } from './git-failure.ts'
import { listTree } from './git-objects.ts'
import { checkBranch, ignoreMissing, lockIndex, unlockIndex, WORK } from './git-ready.ts'
import { blobId, type ChangedFile, type CommitOutcome } from './git-store.ts'
import { branchNameOf, gitNotReady, mustCommitFirst, readHead, type WorkTree } from './git-work-tree.ts'

const REMOVE = { recursive: true, force: true, maxRetries: 3, retryDelay: 50 } as const

/** A publish whose commit is written, and whose branch is about to move. */
const Publishing = z.object({ branch: z.string().startsWith('refs/heads/'), commit: z.hex().min(40) })
type Publishing = z.infer<typeof Publishing>

/** A file that a commit changes. */
interface FileChange {
  /** Relative to the top of the working tree. */
  path: string
  /** Its blob and bytes in the commit; undefined if the commit deletes it. */
  after: string | undefined
  bytes: Uint8Array | undefined
}

/** A commit that only folders and renames separate from being shown. */
interface Prepared {
  /** The folder with the new index and files. */
  work: string
  /** The length of the repository's object IDs. */
  hexDigits: number
  /** The files, with what the index and the working tree have in their place. */
  files: (FileChange & { staged: string | undefined; found: string | Obstacle | undefined })[]
}

/** What is in the place of a file. */
interface Obstacle {
  sentence: string
}

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

/**
 * Commits files if the head of the checked-out branch is still the given commit, and writes them to the working tree. The caller has the turn. The index is locked before the branch moves and until the files are written: otherwise, the user's next `git commit -a` would delete a version that is not in the index yet.
 *
 * @param changed paths relative to the content folder
 * @returns `unknown` also if the branch moved but the files could not be written: `finishPublish` writes them
 * @throws HubError `unavailable` if a path is blocked or not writable
 */
export async function commitFiles(
  tree: WorkTree,
  head: string,
  changed: readonly ChangedFile[],
  { headline, body }: { headline: string; body: string },
  warn: (message: string) => void,
): Promise<CommitOutcome> {
  const files = changed.map(({ path, bytes }) => ({
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
    const steps = [writeCommit(tree.git, head, files, message), prepareFiles(tree, files, head.length)] as const
    // Neither may still write when the index is unlocked.
    await Promise.allSettled(steps)
    const [{ commit, before }, prepared] = await Promise.all(steps)
    for (const error of findEdited(prepared, before).values()) throw error
    // From now on, the publish may be completed, whatever happens to this process.
    const record: Publishing = { branch, commit }
    const whole = join(tree.ownFolder, `${WORK}record`)
    await writeFile(whole, JSON.stringify(record), { flush: true })
    await rename(whole, tree.record)
    await makeFolders(tree, files)
    isMoving = true
    const outcome = await moveBranch(tree.git, { branch, from: head, to: commit, reason: headline })
    if (outcome.kind === 'unknown') return outcome
    if (outcome.kind === 'committed') await showFiles(tree, prepared, [], warn)
    else await undo(tree, files)
    isMoving = false
    return outcome
  } catch (error) {
    if (isMoving) return { kind: 'unknown', cause: error }
    await undo(tree, files)
    // What is in the way may be another commit, made before the index was locked.
    await checkBranch(tree)
    if ((await readHead(tree.git)) !== head) return { kind: 'moved' }
    throw error
  } finally {
    // As soon as the branch may have moved, the lock is kept until the files are written.
    if (!isMoving) await endPublish(tree)
  }
}

/** Ends a publish. The record goes first: a publish that is complete must not be completed again, which could undo what the user did since. */
async function endPublish(tree: WorkTree): Promise<void> {
  await rm(tree.record, { force: true })
  await unlockIndex(tree)
}

/** Removes what was prepared for a commit that the branch does not get. */
async function undo(tree: WorkTree, files: readonly FileChange[]): Promise<void> {
  await removeLeftovers(tree)
  for (const { path } of files) await removeEmptyFolders(tree, path)
}

/** Removes the temporary files of this process or of a killed one, and the reports that fast-import writes if it fails, or if a hub is killed. */
async function removeLeftovers({ ownFolder, gitFolder }: WorkTree): Promise<void> {
  for (const name of await readdir(ownFolder)) if (name.startsWith(WORK)) await rm(join(ownFolder, name), REMOVE)
  for (const name of await readdir(gitFolder))
    if (/^fast_import_crash_\d+$/.test(name)) await rm(join(gitFolder, name), { force: true })
}

/**
 * Completes a publish that was interrupted: moves the branch, unless it has moved, and writes the files. Files that somebody has edited since stay as they are and are reported. The caller has the turn.
 *
 * @throws HubError `unavailable` while another process has locked the index or the branch, or if somebody staged other changes of the files; Error if the disk is full. It is retried the next time
 */
export async function finishPublish(tree: WorkTree, warn: (message: string) => void): Promise<void> {
  await removeLeftovers(tree)
  const publishing = await findPublishing(tree)
  if (publishing) {
    await lockIndex(tree)
    await complete(tree, publishing, warn)
  }
  await endPublish(tree)
}

async function complete(tree: WorkTree, { branch, commit }: Publishing, warn: (message: string) => void) {
  const { git } = tree
  const idOf = (name: string) => git.find(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  const from = await idOf(`${commit}^`)
  if (from === undefined) return
  // The git process of the killed hub may still be about to move the branch, so it is moved rather than left where it is.
  const move = { branch, from, to: commit, reason: 'Finish a publish' }
  for (let tries = 1; (await moveBranch(git, move)).kind === 'busy'; tries++) {
    if (tries === 50) throw gitNotReady(`The branch ${branchNameOf(branch)} is locked by another git command`)
    await pause(20 + Math.random() * 80)
  }
  // What is missing depends on what is checked out: the user may have switched to another branch, or to none, with an index that lacks files of its HEAD. If HEAD lacks them too, git writes them when the user switches back.
  const head = await idOf('HEAD')
  if (head === undefined || !(await isAncestor(git, commit, head))) return
  const changed = await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, commit])
  const paths = changed.toString().split('\0').filter(Boolean)
  const [before, after, now] = await Promise.all([from, commit, head].map((each) => listTree(git, each, paths)))
  const files: FileChange[] = []
  for (const path of paths) {
    const id = after!.get(path)?.id
    if (now!.get(path)?.id === id)
      files.push({ path, after: id, bytes: id === undefined ? undefined : await git.run(['cat-file', 'blob', id]) })
  }
  if (files.length === 0) return
  try {
    const prepared = await prepareFiles(tree, files, head.length)
    const edited = findEdited(prepared, new Map(Array.from(before!, ([path, { id }]) => [path, id])))
    await makeFolders(tree, files)
    await showFiles(tree, prepared, edited.keys(), warn)
  } catch (error) {
    // The user needs the index, to unstage what is in the way.
    if (error instanceof HubError) await unlockIndex(tree)
    throw error
  }
}

/**
 * Writes a commit, without moving any branch. Git reads only the folders along the paths, so the cost does not grow with the catalogue.
 *
 * @returns the commit's ID, and the IDs of what the parent has in the place of the files and of their folders
 * @throws HubError `unavailable` if there is a file where a folder must be, or vice versa
 * @see https://git-scm.com/docs/git-fast-import
 */
async function writeCommit(
  git: Git,
  parent: string,
  files: readonly FileChange[],
  message: string,
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
  const output = await git.run(['fast-import', '--quiet', '--date-format=now'], { input })
  const lines = output.toString().trimEnd().split('\n')
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

/** Quotes a path like a string in C. */
const quote = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`

/** Moves the branch by compare-and-swap. If git did not confirm it, the history shows whether the branch moved. @param move `reason` is for the reflog */
async function moveBranch(
  git: Git,
  { branch, from, to, reason }: { branch: string; from: string; to: string; reason: string },
): Promise<CommitOutcome> {
  const committed = { kind: 'committed', sha: to, url: null, atMs: undefined } as const
  if ((await git.tryRun(['update-ref', '-m', reason, branch, to, from])).code === 0) return committed
  const now = await git.find(['rev-parse', '--verify', '--quiet', `${branch}^{commit}`])
  if (now === undefined) return { kind: 'unknown', cause: new GitFailure(`git cannot read ${branch}`) }
  // Another process held the lock of the branch for a moment.
  if (now === from) return { kind: 'busy', retryAfterSeconds: 1 }
  return (await isAncestor(git, to, now)) ? committed : { kind: 'moved' }
}

async function isAncestor(git: Git, commit: string, of: string): Promise<boolean> {
  return (await git.tryRun(['merge-base', '--is-ancestor', commit, of])).code === 0
}

/**
 * Writes the changed files, and an index that has them, under other names, so that only folders and renames remain to be done. The caller holds the index lock.
 *
 * @param hexDigits the length of the repository's object IDs
 * @throws HubError `unavailable` if one of the files has a merge conflict, or something is staged in its place; Error, for example if the disk is full
 */
async function prepareFiles(tree: WorkTree, files: readonly FileChange[], hexDigits: number): Promise<Prepared> {
  // Git may still be writing to the folder of a killed hub.
  const work = await mkdtemp(join(tree.ownFolder, WORK))
  const steps = [
    prepareIndex(tree, join(work, 'index'), files, hexDigits),
    Promise.all(files.map(({ path }) => findFile(tree.folder, path, hexDigits))),
  ] as const
  await Promise.allSettled(steps)
  const [staged, found] = await Promise.all(steps)
  const prepared: Prepared['files'] = []
  for (const [at, file] of files.entries()) {
    prepared.push({ ...file, staged: staged.get(file.path), found: found[at] })
    if (file.bytes && found[at] !== file.after) await writeFile(join(work, String(at)), file.bytes, { flush: true })
  }
  return { work, hexDigits, files: prepared }
}

/**
 * Copies the index, and brings the changed files in it to the commit; what else is staged stays. Git's own merge of two trees would read both whole trees for this.
 *
 * @param copy where the new index is written
 * @returns the blobs that the index has for the files, by path
 * @throws HubError `unavailable` for a merge conflict, or something in the place of a file
 */
async function prepareIndex(
  { git, gitFolder }: WorkTree,
  copy: string,
  files: readonly FileChange[],
  hexDigits: number,
): Promise<Map<string, string>> {
  const index = join(gitFolder, 'index')
  const stats = await stat(index).catch(ignoreMissing)
  if (stats) {
    await copyFile(index, copy)
    // Git compares bytes only for files saved in the same second as its index. A newer copy would hide such an edit permanently (git's Documentation/technical/racy-git.txt).
    const second = Math.floor(stats.mtimeMs / 1000)
    await utimes(copy, second, second)
  }
  const paths = new Set<string>()
  let input = ''
  for (const { path, after } of files) {
    paths.add(path)
    input += after === undefined ? `0 ${'0'.repeat(hexDigits)}\t${path}\0` : `100644 ${after}\t${path}\0`
  }
  // Each process reads the whole index, so they run at once. What one finds wrong, it says when both have ended.
  const steps = [
    git.run(['ls-files', '--stage', '-z', '--', ...paths], { indexFile: index }),
    git.tryRun(['update-index', '-z', '--index-info'], { indexFile: copy, input }),
  ] as const
  await Promise.allSettled(steps)
  const [listed, { code, stderr }] = await Promise.all(steps)
  const staged = new Map<string, string>()
  for (const record of listed.toString().split('\0').slice(0, -1)) {
    const [, id, stage, path] = /^\d+ ([0-9a-f]+) (\d)\t(.+)$/s.exec(record) ?? []
    if (id === undefined || path === undefined) throw new Error('expected an entry of the index')
    if (stage !== '0') throw mustCommitFirst(`${path} has a merge conflict`)
    if (!paths.has(path)) throw hasChanges(path)
    staged.set(path, id)
  }
  if (code === 0) return staged
  const [, path] = /^error: '(.*)' appears as both a file and as a directory/m.exec(stderr) ?? []
  throw path === undefined ? new GitFailure(`git update-index ended with ${code}: ${stderr.trim()}`) : hasChanges(path)
}

const hasChanges = (path: string) => mustCommitFirst(`${path} has uncommitted changes`)

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

/**
 * Finds what the commit would overwrite.
 *
 * @param before the blobs that the files had before the commit
 * @returns the files that somebody edited, with the error that says so
 * @throws HubError `unavailable` if something else than in either commit is staged
 */
function findEdited({ files }: Prepared, before: ReadonlyMap<string, string>): Map<string, HubError> {
  const edited = new Map<string, HubError>()
  for (const { path, after, staged, found } of files) {
    if (staged !== before.get(path) && staged !== after) throw hasChanges(path)
    if (typeof found === 'object') edited.set(path, mustCommitFirst(found.sentence))
    else if (found !== undefined && found !== before.get(path) && found !== after) edited.set(path, hasChanges(path))
  }
  return edited
}

/** Makes the folders of the files. The publish is remembered by then, so that a killed hub leaves no empty folder. */
async function makeFolders({ folder }: WorkTree, files: readonly FileChange[]): Promise<void> {
  for (const { path, bytes } of files) if (bytes) await mkdir(join(folder, dirname(path)), { recursive: true })
}

/** Renames the files and the index to their final names. @param edited the files to leave as they are @param warn hears of them, and of those that somebody edited in the meantime */
async function showFiles(
  tree: WorkTree,
  { work, files, hexDigits }: Prepared,
  edited: Iterable<string>,
  warn: (message: string) => void,
): Promise<void> {
  const { folder, gitFolder } = tree
  const left = new Set(edited)
  for (const [number, { path, after, found }] of files.entries()) {
    if (found === after || left.has(path)) continue
    if ((await findFile(folder, path, hexDigits)) !== found) left.add(path)
    else if (after !== undefined) await move(join(work, String(number)), join(folder, path))
    else {
      await rm(join(folder, path), { force: true })
      await removeEmptyFolders(tree, path)
    }
  }
  await rename(join(work, 'index'), join(gitFolder, 'index'))
  await rm(work, REMOVE)
  if (left.size > 0)
    warn(
      `${[...left].join(', ')}: published, but your local changes were kept. To restore the published file, run git checkout HEAD -- <path>.`,
    )
}

/** Moves a file atomically, so that whoever works in the folder sees either the old or the new file, never a partial file. */
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

/** Removes the empty folders above a file, innermost first, but not the content folder. */
async function removeEmptyFolders({ folder, prefix }: WorkTree, path: string): Promise<void> {
  for (let each = dirname(path); each.length >= prefix.length && each !== '.'; each = dirname(each)) {
    try {
      await rmdir(join(folder, each))
    } catch {
      // This folder is not empty, and neither are the folders above it.
      return
    }
  }
}
