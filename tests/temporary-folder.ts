// Makes temporary folders for tests. Each is removed after the test file in which it was made.
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

/** Removes them. A process that ends at the moment may still write into one. */
export function removeTemporaryFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  made.clear()
}
