// Owns what is kept of a repository with which nothing is wrong, and telling that of one whatever the others are.
import type { KeptOutline, RepositoryEntry } from '../domain/content/content-tree.ts'
import type { Usage } from '../domain/content/front-matter.ts'
import { type RepositoryFile, UNSAID } from '../domain/content/prompt-file.ts'
import { checkRepository, type Neighbours } from '../domain/content/rules.ts'
import { type KeptUnit, type ParsedFiles, unitOf } from './content-cache.ts'
import { formatMarks, type ListedFile } from './content-listing.ts'
import { type Grown, growRepository } from './kept-repository.ts'
import {
  chooseGood,
  chooseNow,
  type GoodFile,
  judgeFiles,
  type KnownFiles,
  keepGood,
  refreshFiles,
} from './known-files.ts'

/** How outlines of repositories are made, so that their files need not be read again for what stands in lists. */
export interface Outlines {
  /** Stands for what else decides about an outline. */
  nameGiven(stats: Usage[string] | null): string
  make(files: RepositoryEntry, stats: Usage[string] | null): KeptOutline
}

/** A repository whose files are at hand. */
export interface AtHand {
  files: KnownFiles
  /** Made of the files that parse; undefined when none does. */
  now?: Grown | undefined
}

/** Nobody is asked for by a repository that names no other. */
const NOBODY: Neighbours = { repositories: { has: () => false, get: () => undefined } }

/**
 * Reads a repository of which nothing is known, with no regard to any other.
 *
 * @returns what is to be kept of it; undefined when something is wrong with it, or when others decide about that
 */
export function readSound(
  dir: string,
  fullName: string,
  listed: readonly ListedFile[],
  outlines: Outlines,
  usage: ReadonlyMap<string, Usage[string]>,
): Concluded | undefined {
  const files: KnownFiles = new Map()
  refreshFiles(dir, files, listed)
  const one: AtHand = { files, now: growRepository(chooseNow(files), undefined) }
  return isSoundAlone(one) ? conclude(fullName, one, outlines, usage) : undefined
}

/** What is to be kept of a repository. */
interface Concluded {
  unit: KeptUnit
  parsed: ParsedFiles
}

/** Concludes what is to be kept of a repository with which nothing is wrong. */
export function conclude(
  fullName: string,
  { files, now }: AtHand,
  outlines: Outlines | undefined,
  usage: ReadonlyMap<string, Usage[string]>,
): Concluded {
  const { entry } = now!
  const { moved_to, replaced_by } = entry.file ?? UNSAID
  keepGood(files, () => false)
  const marks = chooseGood(files)
  const settled = {
    digest: entry.digest!,
    moved_to,
    replaced_by,
    kept: outlines?.make(entry, usage.get(fullName) ?? null),
  }
  return { unit: { name: unitOf(fullName), lines: formatMarks(marks), settled }, parsed: parsedOf(marks) }
}

/** Parsed files by their paths. */
export const parsedOf = (files: readonly (readonly [path: string, file: GoodFile])[]) =>
  Object.fromEntries(files.map(([path, { parsed }]) => [path, parsed]))

/** Whether the rules of a repository look at others. */
export const namesOthers = ({ moved_to, replaced_by }: Pick<RepositoryFile, 'moved_to' | 'replaced_by'>) =>
  moved_to !== null || replaced_by !== null

/** Whether nothing is wrong with a repository, whatever the others are. */
export function isSoundAlone({ files, now }: AtHand): boolean {
  if (!now || judgeFiles(files).length > 0) return false
  return !namesOthers(now.entry.file ?? UNSAID) && checkRepository(now.entry, NOBODY).length === 0
}
