// Locks the user's index while a publish moves the branch, and remembers the publish in case this process is killed meanwhile.
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { gitNotOpened, gitNotReady, ignoreMissing, type WorkTree } from './git-standing.ts'

/** Maximum number of attempts, which take about two seconds in total: most git processes lock the index for milliseconds, but an editor's background refresh sometimes takes longer. */
const TRIES = 30
/** The start of the lock file's text. Git shows the text to users, and the hub uses it to recognise its own lock. */
const MARK = 'Prompt Hub '
const NOTE = `${MARK}is publishing here, or was stopped while publishing. Start the hub again: it then finishes the publish and removes this file.\n`

/** The start of the names of temporary files and folders in the hub's folder. */
export const WORK = 'work-'

/** A publish whose commit is written, and whose branch is about to move. */
const Publishing = z.object({ branch: z.string().startsWith('refs/heads/'), commit: z.hex().min(40) })
type Publishing = z.infer<typeof Publishing>

const recordPath = (tree: WorkTree): string => join(tree.ownFolder, 'publishing.json')

/** Makes the hub's folder in the git directory, but not the git directory: one that was moved away could not be put back. @throws HubError `unavailable` if there is no git directory */
export async function makeOwnFolder(tree: WorkTree): Promise<void> {
  await mkdir(tree.ownFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw gitNotOpened(`not a git repository: ${tree.gitFolder}`)
    if (error.code !== 'EEXIST') throw error
  })
}

const INDEX_HELD =
  "Another git command holds the index of the content's repository; for example, git commit -a does while its editor is open. Complete or cancel that command, or remove index.lock from the git directory if no git command is running"
/** A git command holds the index for moments, and an editor for as long as somebody writes a message. */
const MAX_HELD_MS = 60_000
/** More than a file system keeps in a file's own entry, so that a full disk is noticed. */
const PROBE = 'x'.repeat(8_192)

/** Writes a file and removes it again. @throws HubError `unavailable` if somebody has held the index for a minute; Error if nothing can be written, for example on a full disk */
export async function tryToWrite(tree: WorkTree): Promise<void> {
  const lock = await stat(tree.indexLock).catch(ignoreMissing)
  if (lock && Date.now() - lock.mtimeMs > MAX_HELD_MS && !(await isIndexLockOurs(tree))) throw gitNotReady(INDEX_HELD)
  await makeOwnFolder(tree)
  const probe = join(tree.ownFolder, `${WORK}probe-${process.pid}`)
  try {
    await writeFile(probe, PROBE, { flush: true })
  } finally {
    await rm(probe, { force: true })
  }
}

/**
 * Acquires the lock, or takes over a lock left by a killed hub. Called only while this process holds the write lock of all hubs, so no other hub can hold the index lock.
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

/** Remembers a publish that may be completed from now on, whatever happens to this process. */
export async function notePublishing(tree: WorkTree, publishing: Publishing): Promise<void> {
  const whole = join(tree.ownFolder, `${WORK}record`)
  await writeFile(whole, JSON.stringify(publishing), { flush: true })
  await rename(whole, recordPath(tree))
}

/** Releases the lock. The record goes first: a publish that is complete must not be completed again, which could undo what the user did since. */
export async function releaseIndex(tree: WorkTree): Promise<void> {
  await rm(recordPath(tree), { force: true })
  await unlockIndex(tree)
}

/** Releases the lock, but remembers the publish. */
export async function unlockIndex(tree: WorkTree): Promise<void> {
  if (await isIndexLockOurs(tree)) await rm(tree.indexLock, { force: true })
}

/** Returns the publish that is under way or was interrupted. @throws HubError `unavailable` if it is not known which */
export async function findPublishing(tree: WorkTree): Promise<Publishing | undefined> {
  const text = await readFile(recordPath(tree), 'utf8').catch(ignoreMissing)
  if (text === undefined) return undefined
  try {
    return Publishing.parse(JSON.parse(text))
  } catch {
    // The record is written atomically, so something other than a hub changed it. The only way to recover is to compare the files with the branch.
    throw gitNotReady(
      `${recordPath(tree)} cannot be read. Run git status in the content's repository, restore missing files with git checkout HEAD -- <path>, then remove the file`,
    )
  }
}

/** Removes temporary files that killed hubs have left. */
export async function removeWork({ ownFolder }: WorkTree): Promise<void> {
  for (const name of await readdir(ownFolder))
    if (name.startsWith(WORK)) await rm(join(ownFolder, name), { recursive: true, force: true, maxRetries: 3 })
}

/** Returns whether a hub holds the index lock. */
async function isIndexLockOurs(tree: WorkTree): Promise<boolean> {
  const text = await readFile(tree.indexLock, 'utf8').catch(ignoreMissing)
  return text?.startsWith(MARK) ?? false
}
