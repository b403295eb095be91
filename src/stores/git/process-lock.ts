// A lock that is released when its process ends, for whatever reason.
import { DatabaseSync } from 'node:sqlite'

/** A lock that is held. */
export interface ProcessLock {
  release(): void
}

/**
 * Takes the lock of a path.
 *
 * @param waitMs how long to wait for whoever holds it; this thread does nothing else meanwhile
 * @returns undefined when another process holds it all that time
 */
export function takeLock(path: string, waitMs: number): ProcessLock | undefined {
  const database = new DatabaseSync(path, { timeout: waitMs })
  try {
    // An open transaction is a lock on the file, which the system drops with the process: no number of a dead process is left lying there.
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch {
    database.close()
    return undefined
  }
}
