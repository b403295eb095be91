// Owns a repository made of parsed files: of files at hand, or of those that are read from where they are kept whenever they are asked for.
import { hash } from 'node:crypto'
import type { RepositoryEntry, VersionEntry } from '../domain/content/content-tree.ts'
import type { RepositoryFile } from '../domain/content/prompt-file.ts'
import type { ParsedFiles } from './content-cache.ts'
import type { ParsedFile } from './content-file.ts'

/** A repository and the parsed files that it was made of. */
export interface Grown {
  parts: readonly ParsedFile[]
  entry: RepositoryEntry
}

/**
 * Makes a repository of parsed files, by their paths.
 *
 * @param before what it was; the same object is given when the files are the same objects
 * @returns undefined when there is no file
 */
export function growRepository(
  chosen: readonly (readonly [path: string, file: { sha256: string; parsed: ParsedFile }])[],
  before: Grown | undefined,
): Grown | undefined {
  if (chosen.length === 0) return undefined
  const parts = chosen.map(([, { parsed }]) => parsed)
  const isSame = before?.parts.length === parts.length && parts.every((part, index) => part === before.parts[index])
  return isSame ? before : { parts, entry: { ...joinFiles(parts), digest: digestFiles(chosen) } }
}

/** A repository whose files are read when they are asked for. */
interface StoredRepository {
  entry: RepositoryEntry
  /** Keeps them, because they are about to be replaced where they are kept. */
  hold(parsed: ParsedFiles): void
}

type Files = Pick<RepositoryEntry, 'file' | 'versions'>

/** What was asked for last: whoever asks for one file of a repository asks for the others next. */
let opened: { entry: RepositoryEntry; files: Files } | undefined

/** Makes a repository whose files are read when they are asked for. @param read gives all of them */
export function storeRepository(
  about: Pick<RepositoryEntry, 'owner' | 'name' | 'digest' | 'kept'>,
  read: () => ParsedFiles,
): StoredRepository {
  let held: Files | undefined
  const open = (): Files => {
    if (held) return held
    if (opened?.entry !== entry) opened = { entry, files: joinFiles(Object.values(read())) }
    return opened.files
  }
  const entry: RepositoryEntry = {
    ...about,
    get file() {
      return open().file
    },
    get versions() {
      return open().versions
    },
  }
  return {
    entry,
    hold: (parsed) => {
      held = joinFiles(Object.values(parsed))
    },
  }
}

/** Changes whenever one of the files does. */
function digestFiles(files: Iterable<readonly [path: string, file: { sha256: string }]>): string {
  const lines = Array.from(files, ([path, { sha256 }]) => `${path} ${sha256}`)
  return hash('sha256', lines.sort().join('\n'))
}

function joinFiles(parts: readonly ParsedFile[]): Pick<RepositoryEntry, 'owner' | 'name' | 'file' | 'versions'> {
  let file: RepositoryFile | undefined
  let place = { owner: '', name: '' }
  const versions: VersionEntry[] = []
  for (const part of parts) {
    if (part.kind !== 'repository' && part.kind !== 'version') continue
    place = { owner: part.owner, name: part.name }
    if (part.kind === 'version') versions.push(part.value)
    else file = part.value
  }
  return { ...place, file, versions }
}
