// Names imported prompts after their own path or title, so that a prompt never gets the name of another one in the next import.
import { LIMITS } from '../../../src/domain/limits.ts'
import { isName, isPortableName } from '../../../src/domain/values/names.ts'
import { toName } from './to-name.ts'

/** Where a prompt was read. Stored as `imported_from`. */
export interface PromptSource {
  /** The path of the file, followed by `#` and the prompt's own title if the file contains several. */
  path: string
  /** The SHA-256 of the file, or of the prompt's part of it. */
  sha256: string
}

/** A prompt to name. */
export interface UnnamedPrompt {
  /** The name in the source, or of its file. */
  name: string
  title: string
  /** The folder of its file; empty for a prompt in a file of several. */
  folder: string
  /** Its text, which names a prompt without any other name. */
  text: string
  source: PromptSource
}

/** A prompt that was imported before. */
export interface KnownPrompt {
  name: string
  source: PromptSource
}

/** Number of hexadecimal digits in a name that distinguish prompts. */
const DIGITS = 8

/**
 * Names prompts. A prompt that was imported before keeps its name. New prompts that would share a name are told apart by
 * their folder, then by their exact name, then by their bytes; their order never matters.
 */
export function assignNames(
  prompts: readonly UnnamedPrompt[],
  known: readonly KnownPrompt[],
  digest: (text: string) => string,
): string[] {
  const byPath = new Map(known.map(({ name, source }) => [source.path, name]))
  const sha256Of = new Map(known.map(({ name, source }) => [name, source.sha256]))
  const stems = prompts.map((prompt) => stemOf(prompt, digest))
  /** The names of a prompt, shortest first. */
  const namesOf = [
    (index: number) => stems[index]!,
    (index: number) => join(toName(prompts[index]!.folder), stems[index]!),
    (index: number) => join(stems[index]!, digest(prompts[index]!.name).slice(0, DIGITS)),
    (index: number) => join(stems[index]!, prompts[index]!.source.sha256.slice(0, DIGITS)),
  ]
  // The same text may be in two places, or may have moved.
  const kept = prompts.map(
    ({ source }, index) =>
      byPath.get(source.path) ??
      namesOf.map((nameOf) => nameOf(index)).find((name) => sha256Of.get(name) === source.sha256),
  )
  const names = kept.map((name, index) => name ?? stems[index]!)
  for (const nameOf of namesOf.slice(1)) {
    const shared = findShared(names.filter((_, index) => kept[index] === undefined))
    for (const [index, name] of names.entries())
      if (kept[index] === undefined && shared.has(name)) names[index] = nameOf(index)
  }
  return names
}

/** The shortest name, from the prompt's own name or title. A name without Latin letters or digits becomes a digest of it. */
function stemOf({ name, title, text }: UnnamedPrompt, digest: (text: string) => string): string {
  const own = name.trim() || title.trim() || text
  const stem = toName(name) || toName(title) || `prompt-${digest(own).slice(0, DIGITS)}`
  return isPortableName(stem) && isName(stem) ? stem : `${stem}-prompt`
}

/** Joins two parts of a name, and shortens them to the longest name allowed. */
function join(first: string, second: string): string {
  if (first === '') return second
  const half = Math.floor(LIMITS.nameCharacters / 2) - 1
  const room = LIMITS.nameCharacters - 1
  const end = first.length + second.length <= room ? second : cut(second, Math.max(half, room - first.length))
  return `${cut(first, room - end.length)}-${end}`
}

const cut = (name: string, most: number) => name.slice(0, most).replace(/-$/, '')

function findShared(names: readonly string[]): Set<string> {
  const seen = new Set<string>()
  return new Set(names.filter((name) => seen.size === seen.add(name).size))
}
