// Reads the `index.md` files of one owner's prompts, for the import.
import { formatPath } from '../../domain/content/content-path.ts'
import { isName } from '../../domain/content/names.ts'
import { parseRepositoryFile } from '../../domain/content/prompt-file.ts'
import type { KnownPrompt } from '../../domain/formats/assign-names.ts'
import { describeRefusal, openFolder } from '../files/plain-files.ts'
import { MAX_FILE_BYTES } from './content-file.ts'

/** Reads the `index.md` of a prompt. @returns undefined if it has none @throws Error if it cannot be read */
export function readIndex(dir: string, { owner, name }: { owner: string; name: string }): string | undefined {
  const path = formatPath({ kind: 'repository', owner, name })
  const { value, refusal } = openFolder(dir).read(path, MAX_FILE_BYTES)
  if (refusal === 'missing') return undefined
  if (refusal) throw new Error(`content/${path}: ${describeRefusal(refusal, MAX_FILE_BYTES)}`)
  return value.toString()
}

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
