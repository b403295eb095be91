// Writes many files into a folder, and creates each subfolder once.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Makes a function that writes one file below a folder, by its path from there with forward slashes. Folders on the way are made. */
export function filesInto(dir: string): (path: string, content: string | Uint8Array) => void {
  const made = new Set<string>()
  return (path, content) => {
    const folder = dirname(path)
    if (!made.has(folder)) {
      mkdirSync(join(dir, folder), { recursive: true })
      made.add(folder)
    }
    writeFileSync(join(dir, path), content)
  }
}

/**
 * Writes files below a folder, in place of those that are there.
 *
 * @returns how many files and bytes were written
 */
export function writeFiles(
  dir: string,
  files: Iterable<readonly [path: string, content: string | Uint8Array]>,
): { files: number; bytes: number } {
  const put = filesInto(dir)
  let count = 0
  let bytes = 0
  for (const [path, content] of files) {
    put(path, content)
    count++
    bytes += Buffer.byteLength(content)
  }
  return { files: count, bytes }
}
