// Defines the list of a content folder's files as git objects, by prompt.
import type { Problem } from '../domain/text/problems.ts'
import type { TreeEntry } from '../git/git-objects.ts'
import {
  ATTRIBUTES,
  comparePaths,
  findIgnored,
  isAttributes,
  type ListingProblems,
  NOT_UTF8,
  nameFile,
} from './content-files.ts'

/** A file of content. */
export interface ListedFile {
  /** Relative to the content folder. */
  path: string
  /** Its git object. */
  id: string
  bytes: number
}

/** The files of one prompt, or those outside prompts. */
export interface ListedPart extends ListingProblems {
  /** Sorted by path bytes, as in git. */
  files: readonly ListedFile[]
  /** A line for each file, with its object ID: equal for equal files alone. */
  marks: string
  /** What is in the folder and not among the files, because it is refused or ignored. */
  rest: readonly TreeEntry[]
}

/** The files of a content folder. */
export interface ContentListing {
  /** The files outside prompts. */
  others: ListedPart
  /** By full name. */
  prompts: ReadonlyMap<string, ListedPart>
}

export const NO_FILES: ListedPart = { files: [], marks: '', rest: [], problems: [], ignored: [] }

/** Returns the bytes of files together. */
export const sizeOf = (files: readonly Pick<ListedFile, 'bytes'>[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

/** Returns a line for each file. */
const markFiles = (files: readonly Pick<ListedFile, 'path' | 'id'>[]): string =>
  files.map(({ path, id }) => `${id} ${path}`).join('\n')

/** Returns the full name of the prompt that a path belongs to; empty for a path outside prompts. */
export function promptOf(path: string): string {
  // A path in a prompt has at least two slashes.
  const end = path.indexOf('/', path.indexOf('/') + 1)
  return end === -1 ? '' : path.slice(0, end)
}

/** Groups the entries of a tree by prompt. @param entries sorted by path bytes */
export function groupEntries(entries: readonly TreeEntry[]): Map<string, ListedPart> {
  const parts = new Map<string, ListedPart>()
  for (const [name, group] of Map.groupBy(entries, ({ path }) => promptOf(path))) parts.set(name, listPart(group))
  return parts
}

/** Changes entries of a part. @param gone the paths of those that were removed or replaced @param added those that are there now @returns undefined if nothing is left */
export function changeEntries(
  { files, rest }: ListedPart,
  gone: ReadonlySet<string>,
  added: readonly TreeEntry[],
): ListedPart | undefined {
  const before = [...files.map((file) => ({ ...file, mode: REGULAR })), ...rest]
  const entries = [...before.filter(({ path }) => !gone.has(path)), ...added]
  return entries.length === 0 ? undefined : listPart(entries.sort((a, b) => comparePaths(a.path, b.path)))
}

/** Makes a part of other files. @param files in any order */
export function replaceFiles(part: ListedPart, files: readonly ListedFile[]): ListedPart {
  const sorted = files.toSorted((a, b) => comparePaths(a.path, b.path))
  return { ...part, files: sorted, marks: markFiles(sorted) }
}

/** Joins what was found in two places. */
export function joinParts(one: ListedPart, other: ListedPart): ListedPart {
  const problems = [...one.problems, ...other.problems]
  const ignored = [...new Set([...one.ignored, ...other.ignored])]
  return replaceFiles({ ...one, problems, ignored }, [...one.files, ...other.files])
}

/** Changes parts of a listing. @param change called with each part, or with one without files */
export function mapParts<Change>(
  listing: ContentListing,
  changes: ReadonlyMap<string, Change>,
  change: (part: ListedPart, change: Change) => ListedPart,
): ContentListing {
  if (changes.size === 0) return listing
  const prompts = new Map(listing.prompts)
  let { others } = listing
  for (const [name, one] of changes)
    if (name === '') others = change(others, one)
    else prompts.set(name, change(prompts.get(name) ?? NO_FILES, one))
  return { others, prompts }
}

/** The mode of a regular file. Whether it can be run makes no difference here. */
const REGULAR = '100644'

function listPart(entries: readonly TreeEntry[]): ListedPart {
  const files: ListedFile[] = []
  const rest: TreeEntry[] = []
  const problems: Problem[] = []
  const ignored = new Set<string>()
  for (const entry of entries) {
    const { path, mode, id, bytes } = entry
    const stray = findIgnored(path)
    const refusal = path.split('/').some(isAttributes) ? ATTRIBUTES : path.includes('\ufffd') ? NOT_UTF8 : REFUSED[mode]
    if (!refusal && stray === undefined) {
      files.push({ path, id, bytes })
      continue
    }
    rest.push(entry)
    if (refusal && (refusal === ATTRIBUTES || stray === undefined))
      problems.push({ file: nameFile(path), key: '', ...refusal })
    else if (stray !== undefined) ignored.add(nameFile(stray))
  }
  return { files, marks: markFiles(files), rest, problems, ignored: [...ignored] }
}

/** What is in the place of a regular file, by git's mode. */
const REFUSED: Readonly<Record<string, Omit<Problem, 'file' | 'key'>>> = {
  '120000': { rule: 'regular-file', message: 'expected a regular file, got a symbolic link' },
  '160000': {
    rule: 'regular-file',
    message: 'expected a folder, got a submodule. Its prompts belong to its own repository, so publish them from there',
  },
}

/** Returns whether the folder itself cannot be read, so that its contents are unknown. */
export const isFolderUnreadable = ({ others }: ContentListing): boolean =>
  others.problems.some(({ file }) => file === nameFile(''))

/** Lists all problems of a listing. */
export function listListingProblems({ others, prompts }: ContentListing): Problem[] {
  const all = [...others.problems]
  for (const { problems } of prompts.values()) if (problems.length > 0) all.push(...problems)
  return all
}

/** Lists the ignored files of a listing. */
export function listIgnored({ others, prompts }: ContentListing): string[] {
  const all = [...others.ignored]
  for (const { ignored } of prompts.values()) if (ignored.length > 0) all.push(...ignored)
  return all
}
