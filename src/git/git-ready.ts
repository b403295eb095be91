// Whether a publish can be written now: the branch that is checked out, and the locks. One is between the processes of hubs, which unlike a lock file the operating system releases whenever its process exits; the other is git's own lock of the index.
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { HubError } from '../domain/api/errors.ts'
import { BUSY, codeOf } from '../state/sqlite-errors.ts'
import type { Git } from './git-command.ts'
import { branchNameOf, gitNotOpened, gitNotReady, readHead, type WorkTree } from './git-work-tree.ts'

/** How long a publish waits for those of other processes; one takes a tenth of a second, so a longer wait has another cause. */
const MAX_WAIT_MS = 10_000
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

/** Asks git for the branch that is checked out: it may keep it in another way than in a file. */
async function askBranch(git: Git): Promise<string | undefined> {
  const found = await git.find(['symbolic-ref', '--quiet', 'HEAD'])
  return found?.startsWith('refs/heads/') ? found : undefined
}

/** An acquired lock; closing it releases it. */
export type ProcessLock = Pick<DatabaseSync, 'close' | typeof Symbol.dispose>

/**
 * Locks a path.
 *
 * @param path an empty file, which is created if missing and never removed, because a removed file could be locked twice
 * @param waitMs how long to wait for the current holder; this blocks the thread
 * @throws Error of SQLite if the file cannot be opened; its message begins with the path
 * @returns undefined if another process holds the lock during all of this time
 */
export function takeLock(path: string, waitMs: number): ProcessLock | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: waitMs })
    // This transaction never writes anything, so it needs no journal and works on a full disk.
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (codeOf(error) === BUSY) return undefined
    if (!database && error instanceof Error) error.message = `${path} cannot be opened or written: ${error.message}`
    throw error
  }
}

/**
 * Waits until no other process of a hub writes. Makes the hub's folder in the git directory, but not the git directory: one that was moved away could not be put back.
 *
 * @throws HubError `unavailable` if others write for too long, or if there is no git directory
 */
export async function takeTurn({ ownFolder, gitFolder }: WorkTree): Promise<ProcessLock> {
  try {
    await mkdir(ownFolder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw gitNotOpened(`not a git repository: ${gitFolder}`)
    if (code !== 'EEXIST') throw error
  }
  for (const end = performance.now() + MAX_WAIT_MS; performance.now() < end; ) {
    const lock = takeLock(join(ownFolder, 'turn'), 0)
    if (lock) return lock
    await pause(2 + Math.random() * 20)
  }
  throw new HubError(
    'unavailable',
    'Git or the store was locked by other requests for too long. Nothing was written; try again.',
    { retryAfterSeconds: 5 },
  )
}

/**
 * Locks the index, or takes over a lock left by a killed hub: the caller has the turn, so no other hub can hold it.
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

/** Checks that a publish could be written. @throws HubError `unavailable` if somebody has held the index for a minute; Error if nothing can be written, for example on a full disk */
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

/** For use in `catch`: returns undefined for a missing file, and rethrows everything else. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return undefined
  throw error
}
