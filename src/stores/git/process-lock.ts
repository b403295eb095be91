// Provides a lock that is released when its process exits, for whatever reason.
import { DatabaseSync } from 'node:sqlite'

/** A lock that is held. */
export interface ProcessLock {
  release(): void
}

/**
 * Locks a path.
 *
 * @param waitMs how long to wait for the current holder; this blocks the thread
 * @returns undefined if another process holds the lock for all of that time
 */
export function takeLock(path: string, waitMs: number): ProcessLock | undefined {
  const database = new DatabaseSync(path, { timeout: waitMs })
  try {
    // An open transaction locks the file, and the system releases the lock when the process exits, so no stale process ID remains.
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch {
    database.close()
    return undefined
  }
}
