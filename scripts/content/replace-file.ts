// Reads and replaces files that a hub or a person may read meanwhile.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Returns the text of a file; empty if there is none. */
export function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Writes a file under a temporary name, which hubs ignore, and then renames it, so that nobody reads a partial file. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.tmp`, content)
  renameSync(`${path}.tmp`, path)
}
