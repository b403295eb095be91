// Owns putting files below a folder, and the folders on the way.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Makes a function that writes files below a folder; each folder on the way is made once. */
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
