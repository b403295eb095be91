// Fits the number of connections to the number of files that the system lets this process have open: each connection is one.
import { readFileSync } from 'node:fs'

/** The files that everything else needs at most: the databases of each search thread, and the pipes of git. */
const OTHER_FILES = 256

/** Returns how many files this process may have open; undefined if the system does not say. Node raises the limit as far as it may. */
export function readOpenFilesLimit(path = '/proc/self/limits'): number | undefined {
  try {
    const [, limit] = /^Max open files +\d+ +(\d+)/m.exec(readFileSync(path, 'utf8')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/** Returns the number of connections that leaves enough files for everything else, at least half of the files. */
export function fitConnections(most: number, limit = readOpenFilesLimit()): number {
  return limit === undefined ? most : Math.min(most, Math.max(limit - OTHER_FILES, Math.floor(limit / 2)))
}
