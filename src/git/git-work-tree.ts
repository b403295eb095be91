// The user's working tree: its branch, or why nothing can be published there, and how a commit is shown in it. That is done as git's fast-forward merge does, while the hub holds git's lock of the index. Unlike git, which deletes a file before it writes its new text, every file is whole at any moment, and a full disk changes nothing.
import {
  copyFile,
  link,
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
import { HubError } from '../domain/api/errors.ts'
import type { Git } from './git-command.ts'
import { GitFailure } from './git-failure.ts'
import { listRecords } from './git-objects.ts'
import { blobId } from './git-store.ts'

/** A git working tree with a content folder. */
export interface WorkTree {
  /** Git, running in the top folder of the working tree. */
  git: Git
  /** The absolute path of the working tree's top folder. */
  folder: string
  /** The absolute path of this working tree's git directory, which contains its index and HEAD. */
  gitFolder: string
  /** The hub's folder in the git directory. */
  ownFolder: string
  /** The path of the record of the publish that is under way. */
  record: string
  /** The path of the index lock: git's, or the hub's. */
  indexLock: string
  /** The content folder's path in the tree: empty, or with a trailing slash. */
  prefix: string
  /** The branch to publish to, as `refs/heads/…`: the branch that was checked out when it was first read. */
  branch: string | undefined
}

/** Seconds until a retry: someone must set up git first, so an immediate retry is useless. */
const SETUP_RETRY_SECONDS = 60

/** Files in the git directory that indicate an operation in progress, and how to complete it. */
const UNDER_WAY = [
  ['rebase-merge', 'A rebase', 'git rebase --continue completes it, git rebase --abort cancels it'],
  ['rebase-apply', 'A rebase or git am', 'git status explains how to complete or cancel it'],
  ['MERGE_HEAD', 'A merge', 'git commit completes it, git merge --abort cancels it'],
  ['CHERRY_PICK_HEAD', 'A cherry-pick', 'git cherry-pick --continue completes it, git cherry-pick --abort cancels it'],
  ['REVERT_HEAD', 'A revert', 'git revert --continue completes it, git revert --abort cancels it'],
  ['sequencer', 'A cherry-pick or revert', 'git status explains how to complete or cancel it'],
  ['BISECT_LOG', 'A bisect', 'git bisect reset ends it'],
] as const

/**
 * Checks the state of git, and stores the first branch that it finds. Starts no process as long as nothing is wrong.
 *
 * @returns `refs/heads/…`
 * @throws HubError `unavailable` if another branch or no branch is checked out, or an operation is in progress: a version published then would not be visible to readers, and its number would be used again. docs/contract.md section 7
 */
export async function checkBranch(tree: WorkTree, signal?: AbortSignal): Promise<string> {
  const entries = (await readdir(tree.gitFolder).catch(ignoreMissing)) ?? []
  for (const [entry, what, way] of UNDER_WAY) {
    if (entries.includes(entry)) throw gitNotReady(`${what} is in progress in the content's git repository: ${way}`)
  }
  const head = await readFile(join(tree.gitFolder, 'HEAD'), 'utf8').catch(ignoreMissing)
  const [, named] = /^ref: (refs\/heads\/[^.].*)\n$/.exec(head ?? '') ?? []
  const branch = named ?? (await askBranch(tree.git))
  if (branch === undefined) {
    // There may be no repository at all.
    await readHead(tree.git, signal)
    const way =
      tree.branch === undefined
        ? 'run git switch to check out a branch'
        : `run git switch ${branchNameOf(tree.branch)} to check it out`
    throw gitNotReady(`The content's git repository has no branch checked out (its HEAD is detached): ${way}`)
  }
  tree.branch ??= branch
  if (branch !== tree.branch)
    throw gitNotReady(
      `The hub publishes to the branch ${branchNameOf(tree.branch)}, but ${branchNameOf(branch)} is checked out: run git switch ${branchNameOf(tree.branch)} to switch back, or start the hub again to publish to ${branchNameOf(branch)}`,
    )
  return branch
}

/** Reads the state of git, and the head. @throws HubError like `checkBranch`; also if there is no commit */
export async function checkWorkTree(tree: WorkTree): Promise<{ branch: string; head: string }> {
  return { branch: await checkBranch(tree), head: await readHead(tree.git) }
}

/** Asks git for the branch that is checked out: it may keep it in another way than in a file. */
async function askBranch(git: Git): Promise<string | undefined> {
  const found = await git.find(['symbolic-ref', '--quiet', 'HEAD'])
  return found?.startsWith('refs/heads/') ? found : undefined
}

/** Returns the error for a git repository that someone must set up first. @param what the beginning of a sentence; "…, and try again." follows */
export function gitNotSetUp(what: string, cause: unknown): HubError {
  return new HubError('unavailable', `${what}, and try again.`, { cause, retryAfterSeconds: SETUP_RETRY_SECONDS })
}

/** Returns the error for a state that someone must resolve first. @param what the beginning of a sentence */
export function gitNotReady(what: string, cause?: unknown): HubError {
  return new HubError('unavailable', `${what}. Nothing was published.`, {
    cause,
    retryAfterSeconds: SETUP_RETRY_SECONDS,
  })
}

/** Returns the error for something that a publish would overwrite. @param what the beginning of a sentence */
const mustCommitFirst = (what: string): HubError => gitNotReady(`${what}. Commit, move or remove that first`)

/** Reads the head. @throws HubError `unavailable` if there is none, or if git cannot read it */
export async function readHead(git: Git, signal?: AbortSignal): Promise<string> {
  const { code, stdout, stderr } = await git.tryRun(['rev-parse', '--verify', 'HEAD^{commit}'], signal && { signal })
  if (code === 0) return stdout.toString().trim()
  // Git has the same message for a branch without commits and for a commit whose file is missing.
  const named = await git.tryRun(['rev-parse', '--verify', '--quiet', 'HEAD'])
  if (named.code !== 0 && named.stderr === '')
    throw gitNotSetUp('The git repository of the content has no commits yet. Create a first commit', undefined)
  throw gitNotOpened(stderr)
}

const OWNER_REFUSED = /dubious ownership|unsafe repository/

/** Returns whether git refused a repository because its folder belongs to another user. @param said git's message */
export const isOwnerRefused = (said: string): boolean => OWNER_REFUSED.test(said)

/** What git's messages mean for the hub: the beginning of a sentence; "…, and try again." follows. Messages differ between versions of git. */
const MEANINGS = [
  [
    OWNER_REFUSED,
    "Git refuses to open the content's repository, because the folder belongs to another user. Run this as the user who owns the folder, or add the folder to git's setting safe.directory",
  ],
  [/not a git repository/, 'The content folder is not in a git repository. Run git init, create a first commit'],
] as const

/** Returns the error for a repository that git cannot open or read. @param said git's own message, which only the operator sees, because it contains paths */
export function gitNotOpened(said: string): HubError {
  const [, meaning] = MEANINGS.find(([pattern]) => pattern.test(said)) ?? []
  return gitNotSetUp(
    meaning ?? "Git cannot read the content's repository; see the hub's log for its message. Repair the repository",
    new GitFailure(said.trim()),
  )
}

/** Returns the short name of a branch. @param branch `refs/heads/…` */
export const branchNameOf = (branch: string): string => branch.replace(/^refs\/heads\//, '')

/** For use in `catch`: returns undefined for a missing file, and rethrows everything else. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return undefined
  throw error
}

/** Maximum number of attempts, which take about two seconds in total: most git processes lock the index for milliseconds, but an editor's background refresh sometimes takes longer. */
const TRIES = 30
/** The start of the lock file's text. Git shows the text to users, and the hub uses it to recognise its own lock. */
const MARK = 'Prompt Hub '
const NOTE = `${MARK}is publishing here, or was stopped while publishing. Start the hub again: it then finishes the publish and removes this file.\n`
const INDEX_HELD =
  "Another git command holds the index of the content's repository; for example, git commit -a does while its editor is open. Complete or cancel that command, or remove index.lock from the git directory if no git command is running"
/** A git command holds the index for moments, and an editor for as long as somebody writes a message. */
const MAX_HELD_MS = 60_000
/** More than a file system keeps in a file's own entry, so that a full disk is noticed. */
const PROBE = 'x'.repeat(8_192)
/** The start of the names of temporary files and folders in the hub's folder. */
export const WORK = 'work-'

const REMOVE = { recursive: true, force: true, maxRetries: 3, retryDelay: 50 } as const

/** A file that a commit changes. */
export interface FileChange {
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

/** Makes the hub's folder in the git directory, but not the git directory: one that was moved away could not be put back. @throws HubError `unavailable` if there is no git directory */
export async function makeOwnFolder({ ownFolder, gitFolder }: WorkTree): Promise<void> {
  try {
    await mkdir(ownFolder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw gitNotOpened(`not a git repository: ${gitFolder}`)
    if (code !== 'EEXIST') throw error
  }
}

/** Writes a file and removes it again. @throws HubError `unavailable` if somebody has held the index for a minute; Error if nothing can be written, for example on a full disk */
export async function tryToWrite(tree: WorkTree): Promise<void> {
  const lock = await stat(tree.indexLock).catch(ignoreMissing)
  if (lock && Date.now() - lock.mtimeMs > MAX_HELD_MS && !(await isIndexLockOurs(tree))) throw gitNotReady(INDEX_HELD)
  const probe = join(tree.ownFolder, `${WORK}probe-${process.pid}`)
  try {
    await writeFile(probe, PROBE, { flush: true })
  } finally {
    await rm(probe, { force: true })
  }
}

/**
 * Locks the index, or takes over a lock left by a killed hub. Called only while this process holds the write lock of all hubs, so no other hub can hold the index lock.
 *
 * @throws HubError `unavailable` if another git process holds it
 */
export async function lockIndex(tree: WorkTree): Promise<void> {
  const own = join(tree.ownFolder, `${WORK}lock`)
  // The file is first written under another name, because an empty lock could not be distinguished from git's lock.
  await writeFile(own, NOTE)
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await link(own, tree.indexLock)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      }
      if (await isIndexLockOurs(tree)) return
      if (tries === TRIES) throw gitNotReady(INDEX_HELD)
      await pause(20 + Math.random() * 100)
    }
  } finally {
    await rm(own, { force: true })
  }
}

/** Unlocks the index, unless another git process holds it by now. */
export async function unlockIndex(tree: WorkTree): Promise<void> {
  if (await isIndexLockOurs(tree)) await rm(tree.indexLock, { force: true })
}

/** Returns whether a hub holds the index lock. */
async function isIndexLockOurs(tree: WorkTree): Promise<boolean> {
  const text = await readFile(tree.indexLock, 'utf8').catch(ignoreMissing)
  return text?.startsWith(MARK) ?? false
}

/**
 * Writes the changed files, and an index that has them, under other names, so that only folders and renames remain to be done. The caller holds the index lock.
 *
 * @param hexDigits the length of the repository's object IDs
 * @throws HubError `unavailable` if one of the files has a merge conflict, or something is staged in its place; Error, for example if the disk is full
 */
export async function prepareFiles(tree: WorkTree, files: readonly FileChange[], hexDigits: number): Promise<Prepared> {
  // Git may still be writing to the folder of a killed hub.
  const work = await mkdtemp(join(tree.ownFolder, WORK))
  const index = join(tree.gitFolder, 'index')
  const stats = await stat(index).catch(ignoreMissing)
  if (stats) {
    await copyFile(index, join(work, 'index'))
    // Git compares bytes only for files saved in the same second as its index. A newer copy would hide such an edit permanently (git's Documentation/technical/racy-git.txt).
    const second = Math.floor(stats.mtimeMs / 1000)
    await utimes(join(work, 'index'), second, second)
  }
  // Each git process reads the whole index, so they run at once. What one finds wrong, it says when all have ended.
  const steps = [
    listStaged(tree, index, files),
    Promise.all(files.map(({ path }) => findFile(tree.folder, path, hexDigits))),
    updateIndex(tree, join(work, 'index'), files, hexDigits),
  ] as const
  await Promise.allSettled(steps)
  const [staged, found] = await Promise.all(steps)
  for (const [number, { bytes, after }] of files.entries())
    if (bytes !== undefined && found[number] !== after)
      await writeFile(join(work, String(number)), bytes, { flush: true })
  return {
    work,
    hexDigits,
    files: files.map((file, at) => ({ ...file, staged: staged.get(file.path), found: found[at] })),
  }
}

/** Lists what an index has for files, by path. @throws HubError `unavailable` for a merge conflict, or something in the place of a file */
async function listStaged(
  { git }: WorkTree,
  indexFile: string,
  files: readonly FileChange[],
): Promise<Map<string, string>> {
  const paths = new Set(files.map(({ path }) => path))
  const staged = new Map<string, string>()
  for (const record of await listRecords(git, ['ls-files', '--stage', '-z', '--', ...paths], { indexFile })) {
    const [, id, stage, path] = /^\d+ ([0-9a-f]+) (\d)\t(.+)$/s.exec(record) ?? []
    if (id === undefined || path === undefined) throw new Error('expected an entry of the index')
    if (stage !== '0') throw mustCommitFirst(`${path} has a merge conflict`)
    if (!paths.has(path)) throw hasChanges(path)
    staged.set(path, id)
  }
  return staged
}

/** Brings the changed files of an index to the commit, and keeps what else is staged. Git's own merge of two trees would read both whole trees for this. */
async function updateIndex(
  { git }: WorkTree,
  indexFile: string,
  files: readonly FileChange[],
  hexDigits: number,
): Promise<void> {
  const lines = files.map(({ path, after }) =>
    after === undefined ? `0 ${'0'.repeat(hexDigits)}\t${path}\0` : `100644 ${after}\t${path}\0`,
  )
  const run = { indexFile, input: lines.join('') }
  const { code, stderr } = await git.tryRun(['update-index', '-z', '--index-info'], run)
  if (code === 0) return
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
export function findEdited({ files }: Prepared, before: ReadonlyMap<string, string>): Map<string, HubError> {
  const edited = new Map<string, HubError>()
  for (const { path, after, staged, found } of files) {
    if (staged !== before.get(path) && staged !== after) throw hasChanges(path)
    if (typeof found === 'object') edited.set(path, mustCommitFirst(found.sentence))
    else if (found !== undefined && found !== before.get(path) && found !== after) edited.set(path, hasChanges(path))
  }
  return edited
}

/** Makes the folders of the files. The publish is remembered by then, so that a killed hub leaves no empty folder. */
export async function makeFolders({ folder }: WorkTree, { files }: Prepared): Promise<void> {
  for (const { path, bytes } of files) if (bytes) await mkdir(join(folder, dirname(path)), { recursive: true })
}

/** Renames the files and the index to their final names. @param edited the files to leave as they are @param warn hears of them, and of those that somebody edited in the meantime */
export async function showFiles(
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

/** Removes the temporary files of this process, or of a killed one. */
export async function removeWork({ ownFolder }: WorkTree): Promise<void> {
  for (const name of await readdir(ownFolder)) if (name.startsWith(WORK)) await rm(join(ownFolder, name), REMOVE)
}

/** Removes the empty folders above a file, innermost first, but not the content folder. */
export async function removeEmptyFolders({ folder, prefix }: WorkTree, path: string): Promise<void> {
  for (let each = dirname(path); each.length >= prefix.length && each !== '.'; each = dirname(each)) {
    try {
      await rmdir(join(folder, each))
    } catch {
      // This folder is not empty, and neither are the folders above it.
      return
    }
  }
}
