// Computes the digest by which the hub remembers a version that it published.
import { hash } from 'node:crypto'
import type { VersionFiles } from '../domain/content/first-files.ts'

/** Computes the SHA-256, in hex, of the paths and object IDs of a version's files. */
export function digestVersionFiles(files: VersionFiles): string {
  const lines = Array.from(files, ([path, id]) => `${path}\0${id}\n`)
  return hash('sha256', lines.sort().join(''))
}
