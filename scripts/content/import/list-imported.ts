// Lists the prompts that earlier imports wrote.

import type { KnownPrompt } from '../../../packages/prompt-formats/source/assign-names.ts'
import { readIndex } from '../../../src/content/prompt-files.ts'
import { parseRepositoryFile } from '../../../src/domain/content/prompt-file.ts'
import { isName } from '../../../src/domain/values/names.ts'
import { openFolder } from '../../../src/files/plain-files.ts'

/** Lists the prompts of an owner that were imported, with their sources. @throws Error if a file cannot be read */
export function listImported(dir: string, owner: string): KnownPrompt[] {
  const folder = openFolder(dir)
  let entries: ReturnType<typeof folder.list>
  try {
    entries = folder.list(owner)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP')) return []
    throw error
  }
  return entries.flatMap((entry): KnownPrompt[] => {
    if (!entry.isDirectory() || !isName(entry.name)) return []
    const text = readIndex(dir, { owner, name: entry.name })
    const source = text === undefined ? undefined : parseRepositoryFile(text).value?.imported_from
    return source ? [{ name: entry.name, source }] : []
  })
}
