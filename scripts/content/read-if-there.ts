// Reads a file that may be missing.
import { existsSync, readFileSync } from 'node:fs'

/** Returns the text of a file; empty if there is none. */
export function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
