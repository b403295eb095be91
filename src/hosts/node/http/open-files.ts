// Fits the number of connections to the number of files that the system lets this process have open: each connection is one.
import { existsSync, readFileSync } from 'node:fs'

/** Where Linux says what a process may have. */
const LIMITS_FILE = '/proc/self/limits'
/** The files that everything else needs at most: the databases of the builder and each search thread, and the pipes of git. */
const OTHER_FILES = 288

/** Returns how many connections leave enough open files for everything else. Node has raised the soft limit to the hard one. */
export function fitConnections(most: number): number {
  const limits = existsSync(LIMITS_FILE) ? readFileSync(LIMITS_FILE, 'utf8') : ''
  const [, limit = Number.POSITIVE_INFINITY] = /^Max open files +\d+ +(\d+)/m.exec(limits) ?? []
  return Math.min(most, Math.max(Number(limit) - OTHER_FILES, Math.floor(Number(limit) / 2)))
}
