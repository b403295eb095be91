// Writes content folders for tests.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes a file below `content/` in a folder. */
export function putContent(dir: string, path: string, text: string): void {
  const file = join(dir, 'content', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

export const versionFile = (content: string) =>
  `---\npublished_at: "2025-03-01T00:00:00Z"\npublished_by: tester\n---\n${content}\n`
