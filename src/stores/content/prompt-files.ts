// Lists and reads the files of prompts, for commands that add versions.
import { formatPath, parsePath } from '../../domain/content/content-path.ts'
import { parseRepositoryFile } from '../../domain/content/prompt-file.ts'
import type { KnownPrompt } from '../../domain/formats/assign-names.ts'
import { isName } from '../../domain/values/names.ts'
import { describeRefusal, openFolder } from '../files/plain-files.ts'
import { MAX_FILE_BYTES } from './content-file.ts'

/** A prompt's place in the content folder. */
interface PromptPlace {
  owner: string
  name: string
}

/** Lists a prompt's version numbers, in any order. @returns undefined if the prompt has no versions folder @throws Error if the folder cannot be listed, or is reached through a link */
export function listVersions(dir: string, { owner, name }: PromptPlace): string[] | undefined {
  const below = `${owner}/${name}/versions`
  try {
    return openFolder(dir)
      .list(below)
      .flatMap((entry) => {
        const place = parsePath(`${below}/${entry.name}`).value
        return place?.kind === 'version' ? [place.version] : []
      })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Reads a version file. @throws Error if it cannot be read */
export function readVersion(dir: string, place: PromptPlace & { version: string }): string {
  const path = formatPath({ kind: 'version', ...place })
  const text = readText(dir, path)
  if (text === undefined) throw new Error(`content/${path}: ${describeRefusal('missing', MAX_FILE_BYTES)}`)
  return text
}

/** Reads the `index.md` of a prompt. @returns undefined if it has none @throws Error if it cannot be read */
export function readIndex(dir: string, { owner, name }: PromptPlace): string | undefined {
  return readText(dir, formatPath({ kind: 'repository', owner, name }))
}

/** @returns undefined for a missing file */
function readText(dir: string, path: string): string | undefined {
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
