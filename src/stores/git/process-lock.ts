// A lock that is released when its process ends, for whatever reason.
import { DatabaseSync } from 'node:sqlite'

/** A lock that is held. */
export interface ProcessLock {
  release(): void
}

/**
 * Takes the lock of a path.
 *
 * @param waitMs how long to wait for its holder; this blocks the thread
 * @returns undefined when another process holds it all that time
 */
export function takeLock(path: string, waitMs: number): ProcessLock | undefined {
  const database = new DatabaseSync(path, { timeout: waitMs })
  try {
    // An open transaction is a lock on the file, which the system releases with the process, so no stale process ID remains.
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch {
    database.close()
    return undefined
  }
}
