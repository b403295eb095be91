// Locks the user's index, so that no other commit, switch or merge runs at the same time.
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gitNotOpened, gitNotReady, ignoreMissing, type WorkTree } from './git-standing.ts'

/** Maximum number of attempts, which take about two seconds in total: most git processes lock the index for milliseconds, but an editor's background refresh sometimes takes longer. */
const TRIES = 30
/** The start of the lock file's text. Git shows the text to users, and the hub uses it to recognise its own lock. */
const MARK = 'Prompt Hub '
const NOTE = `${MARK}is publishing here, or was stopped while publishing. Start the hub again: it then finishes the publish and removes this file.\n`

/** Makes the hub's folder in the git directory, but not the git directory: one that was moved away could not be put back. @throws HubError `unavailable` if there is no git directory */
export async function makeOwnFolder(tree: WorkTree): Promise<void> {
  await mkdir(tree.ownFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw gitNotOpened(`not a git repository: ${tree.gitFolder}`)
    if (error.code !== 'EEXIST') throw error
  })
}

/**
 * Acquires the lock, or takes over a lock left by a killed hub. Called only while this process holds the write lock of all hubs, so no other hub can hold the index lock.
 *
 * @throws HubError `unavailable` if another git process holds it
 */
export async function lockIndex(tree: WorkTree): Promise<void> {
  const own = join(tree.ownFolder, 'index.lock')
  // The file is first written under another name, because an empty lock could not be distinguished from git's lock.
  await writeFile(own, NOTE)
  for (let tries = 1; ; tries++) {
    try {
      await link(own, tree.indexLock)
      return await rm(own)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    if (await isIndexLockOurs(tree)) return await rm(own)
    if (tries === TRIES)
      throw gitNotReady(
        "Another git command holds the index of the content's repository; for example, git commit -a does while its editor is open. Complete or cancel that command, or remove index.lock from the git directory if no git command is running",
      )
    await pause(20 + Math.random() * 100)
  }
}

/** Releases the lock. */
export async function releaseIndex(tree: WorkTree): Promise<void> {
  await rm(tree.indexLock, { force: true })
}

/** Returns whether a hub holds the index lock. */
export async function isIndexLockOurs(tree: WorkTree): Promise<boolean> {
  const text = await readFile(tree.indexLock, 'utf8').catch(ignoreMissing)
  return text?.startsWith(MARK) ?? false
}
