// Writes many files into a folder, creating each subfolder once.
import { mkdirSync, writeFileSync } from 'node:fs'
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
