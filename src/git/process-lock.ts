// Provides locks that, unlike lock files, the operating system releases whenever their process exits.
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { HubError } from '../domain/api/errors.ts'
import { BUSY, codeOf } from '../state/sqlite-errors.ts'

/** How long `withLock` waits; a publish takes a tenth of a second, so a longer wait has another cause. */
const MAX_WAIT_MS = 10_000

/** An acquired lock; closing it releases it. */
export type ProcessLock = Pick<DatabaseSync, 'close'>

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
 * Runs work while no other work that uses the same lock is running, in this process or another.
 *
 * @throws HubError `unavailable` if others hold the lock too long; also any error from the work
 */
export async function withLock<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  const end = performance.now() + MAX_WAIT_MS
  let lock = takeLock(path, 0)
  while (!lock) {
    if (performance.now() > end)
      throw new HubError(
        'unavailable',
        'Git or the store was locked by other requests for too long. Nothing was written; try again.',
        { retryAfterSeconds: 5 },
      )
    await pause(2 + Math.random() * 20)
    lock = takeLock(path, 0)
  }
  try {
    return await work()
  } finally {
    lock.close()
  }
}
