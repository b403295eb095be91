// Makes temporary folders for tests. Each is removed after the test file in which it was made, or with its process.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = new Set<string>()

/** Makes a folder. @param prefix how its name begins */
export function temporaryFolder(prefix = 'hub-'): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  made.add(folder)
  return folder
}

/** Makes a folder for what a module keeps for all test files of its process. @param prefix how its name begins */
export function lastingFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Removes the folders of a test file. A process that ends at the moment may still write into one. */
export function removeTemporaryFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  made.clear()
}
