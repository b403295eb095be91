// Writes content folders for tests: files with a given modification time, and version files.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Writes a file below `content/` in a folder. @param when the modification time; long ago by default, because recently
 * changed files are always read again
 */
export function putContent(dir: string, path: string, text: string, when = '2020-01-01T00:00:00Z'): void {
  const file = join(dir, 'content', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  utimesSync(file, new Date(when), new Date(when))
}

export const versionFile = (content: string) =>
  `---\npublished_at: "2025-03-01T00:00:00Z"\npublished_by: tester\n---\n${content}\n`
