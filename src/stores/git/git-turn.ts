// Ensures that one hub process at a time works on something, such as a git folder. Unlike a lock file, this lock is released by the kernel when its holder dies.
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { HubError } from '../../domain/api/errors.ts'

/** How long to wait for the lock; a publish takes a tenth of a second, so a longer wait has another cause. */
const MAX_WAIT_MS = 10_000
/** SQLITE_BUSY: another connection holds the lock. https://www.sqlite.org/rescode.html */
const BUSY = 5

/**
 * Runs work while no other work that uses the same lock file is running, in this process or another.
 *
 * @param path the lock: an empty file that is never removed, because a removed lock file could be locked twice @throws
 * HubError `unavailable` if others hold the lock too long; errors of the work
 */
export async function withGitLock<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    for (const end = performance.now() + MAX_WAIT_MS; !tryLock(lock); ) {
      if (performance.now() > end)
        throw new HubError(
          'unavailable',
          'Other requests locked git or the store for too long. Nothing was written; try again.',
          { retryAfterSeconds: 5 },
        )
      await pause(2 + Math.random() * 20)
    }
    return await work()
  } finally {
    lock.close()
  }
}

function tryLock(lock: DatabaseSync): boolean {
  try {
    // Nothing is ever written, so there is no journal and a full disk does not matter.
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return false
    throw error
  }
}
