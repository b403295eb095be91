// Writes files: many into a folder, or one so that nobody reads a part of it.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Creates a function that writes a file in a folder, given its relative path with forward slashes. Creates missing subfolders. */
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

/** Writes a file under a temporary name, which hubs ignore, and then renames it: nobody reads a partial file, and on a full disk the file stays as it was. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const partial = `${path}.tmp`
  try {
    rmSync(partial, { force: true })
    writeFileSync(partial, content, { flag: 'wx' })
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}
