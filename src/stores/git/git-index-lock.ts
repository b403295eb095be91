// Locks the user's index, so that no other commit, switch or merge runs at the same time.
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gitNotReady, ignoreMissing, type WorkTree } from './git-standing.ts'

/** Maximum number of attempts, which take about two seconds in total: another git process locks the index for milliseconds, an editor's background refresh sometimes for longer. */
const TRIES = 30
/** The start of the lock file's text, which git shows to people and by which we recognise our own lock. */
const MARK = 'Prompt Hub '
const NOTE = `${MARK}is publishing here, or was stopped while it did so. Start the hub again: it then finishes its work and removes this file.\n`

/** Our own folder in the git folder. */
export const ownFolder = ({ gitFolder }: WorkTree): string => join(gitFolder, 'prompt-hub')

const lockPath = ({ gitFolder }: WorkTree): string => join(gitFolder, 'index.lock')

/**
 * Takes the lock; a lock left by a killed hub is taken over. Called only by the holder of the turn, so that no other hub can hold the lock.
 *
 * @throws HubError `unavailable` if another git process holds it
 */
export async function lockIndex(tree: WorkTree): Promise<void> {
  const own = join(ownFolder(tree), 'index.lock')
  await mkdir(ownFolder(tree), { recursive: true })
  // The file is first written under another name, because a lock without its text could not be distinguished from git's own.
  await writeFile(own, NOTE)
  for (let tries = 1; ; tries++) {
    try {
      await link(own, lockPath(tree))
      return await rm(own)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    if (await isIndexLockOurs(tree)) return await rm(own)
    if (tries === TRIES)
      throw gitNotReady(
        "Another git command holds the index of the content's repository; an open editor of git commit -a does, too. End it, or remove index.lock from the git folder when none runs",
      )
    await pause(20 + Math.random() * 100)
  }
}

/** Releases the lock. */
export async function releaseIndex(tree: WorkTree): Promise<void> {
  await rm(lockPath(tree), { force: true })
}

/** Returns whether a hub holds the index lock. */
export async function isIndexLockOurs(tree: WorkTree): Promise<boolean> {
  const text = await readFile(lockPath(tree), 'utf8').catch(ignoreMissing)
  return text?.startsWith(MARK) ?? false
}
