// Writes files for tests, with the folders that they are in.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files by their paths; null deletes one. */
export type FilesToWrite = Readonly<Record<string, string | Uint8Array | null>>

/** Writes files below a folder. */
export function writeFiles(folder: string, files: FilesToWrite): void {
  for (const [path, data] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    if (data === null) rmSync(file, { recursive: true })
    else writeFileSync(file, data)
  }
}
