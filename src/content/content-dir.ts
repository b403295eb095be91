// Reads one repository of the content, or a whole folder as a tree. Files that are not allowed are reported; links are not followed.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { ContentTree } from '../catalogue/content-tree.ts'
import { checkResults } from '../catalogue/result-rules.ts'
import { formatPath, parsePath } from '../domain/content/content-path.ts'
import type { RepositoryEntry, ResultEntry, VersionEntry } from '../domain/content/content-tree.ts'
import type { RepositoryFile } from '../domain/content/prompt-file.ts'
import { checkRepository, isTakenDown, refuseRemoved } from '../domain/content/rules.ts'
import type { Problem } from '../domain/text/problems.ts'
import { openFolder } from '../files/plain-files.ts'
import { checkAttestations } from './attestation-files.ts'
import { type ParsedFile, parseContentFile } from './content-file.ts'
import { type ContentReader, type ListingProblems, listContentFiles, nameFile } from './content-files.ts'
import { promptOf, sizeOf } from './content-listing.ts'
import { groupByVersion, type ListedVersion, readBundle } from './version-files.ts'

interface ContentReading {
  /** All files that could be parsed; a tree with problems must not be deployed. */
  tree: ContentTree
  /** All problems, sorted by path. */
  problems: Problem[]
  /** Ignored files that editors or the operating system created. */
  ignored: string[]
  /** Number of files read. */
  filesRead: number
}

/**
 * Reads a whole folder into memory, as it is on disk.
 *
 * @param dir the folder; if it is missing, that is reported as a problem
 */
export function readContentDir(dir: string): ContentReading {
  const findings: ListingProblems = { problems: [], ignored: [] }
  const paths = [...listContentFiles(dir, findings)]
  const { problems, ignored } = findings
  const folder = openFolder(dir)
  const below = Map.groupBy(paths, promptOf)
  const parsed = (below.get('') ?? []).flatMap((path) => {
    const read = readListed(folder, path)
    problems.push(...read.problems)
    return read.parsed ?? []
  })
  below.delete('')
  const repositories = new Map<string, RepositoryEntry>()
  for (const [fullName, files] of below) {
    const bytes = (path: string) => lstatSync(join(dir, path), { throwIfNoEntry: false })?.size ?? 0
    const read = readRepository(
      folder,
      fullName,
      files.map((path) => ({ path, bytes: bytes(path) })),
    )
    problems.push(...read.problems)
    if (read.isThere) repositories.set(fullName, read.entry)
  }
  const tree = { ...joinOthers(parsed), repositories }
  for (const [fullName, repository] of repositories)
    problems.push(...checkRepository(repository, tree).map((problem) => ({ file: nameIndex(fullName), ...problem })))
  return { tree, problems: sortProblems(problems), ignored, filesRead: paths.length }
}

interface ReadRepository {
  /** The repository, built from the files that could be parsed. */
  entry: RepositoryEntry
  /** Whether any file could be parsed, and the prompt was not taken down. */
  isThere: boolean
  /** Problems in individual files. */
  problems: Problem[]
  /** The files with problems: versions identified by number, `index.md` by name. */
  wrong: Set<string>
  /** What is wrong with the files of versions, by number. */
  troubles: Map<string, VersionTrouble>
}

/** What is wrong with the files of a version. */
export interface VersionTrouble {
  problems: readonly Problem[]
  /** Whether its version file could be parsed. */
  isParsed: boolean
}

/** What is known of a version whose files were read before and have not changed: what they contain, or what is wrong with them. */
export type RecalledVersion = { entry: VersionEntry; trouble?: never } | { entry?: never; trouble: VersionTrouble }

/** Reads a repository's files. @param recall returns what is known of a version */
export function readRepository(
  folder: ContentReader,
  fullName: string,
  files: readonly { path: string; bytes: number }[],
  recall: (version: string) => RecalledVersion | undefined = () => undefined,
): ReadRepository {
  const [owner = '', name = ''] = fullName.split('/')
  const problems: Problem[] = []
  const wrong = new Set<string>()
  const troubles = new Map<string, VersionTrouble>()
  let file: RepositoryFile | undefined
  let isThere = false
  const versions: RepositoryEntry['versions'] = []
  const take = (path: string, mark: string) => {
    const read = readListed(folder, path)
    if (read.problems.length > 0) {
      problems.push(...read.problems)
      wrong.add(mark)
    }
    isThere ||= read.parsed !== undefined
    return read.parsed
  }
  const results: ResultEntry[] = []
  const groups = groupByVersion(files.map(({ path }) => path))
  for (const path of groups.others) {
    const kind = parsePath(path).value?.kind
    if (kind === 'result' || kind === 'tests') {
      // A file beside the prompt that cannot be read makes no version of it invalid.
      const read = readListed(folder, path)
      problems.push(...read.problems)
      if (read.parsed?.kind === 'result' && read.problems.length === 0) results.push(read.parsed.value)
      continue
    }
    const parsed = take(path, path.slice(path.lastIndexOf('/') + 1))
    if (parsed?.kind === 'repository') file = parsed.value
  }
  const removed = file?.removed ?? {}
  for (const [version, listed] of groups.versions) {
    if (Object.hasOwn(removed, version)) {
      // Whatever else is wrong with the repository, what was taken down is not served.
      problems.push({ file: nameIndex(fullName), ...refuseRemoved(version), rule: 'removed-versions-are-gone' })
      continue
    }
    const known = recall(version)
    if (known?.entry) {
      versions.push(known.entry)
      isThere = true
      continue
    }
    const read = known ? undefined : readVersion(folder, { owner, name, version }, listed)
    const trouble = known?.trouble ?? read?.trouble
    isThere ||= read?.entry !== undefined || trouble?.isParsed === true
    if (read?.entry) versions.push(read.entry)
    if (!trouble) continue
    troubles.set(version, trouble)
    problems.push(...trouble.problems)
    wrong.add(version)
  }
  const checked = checkResults({ owner, name }, versions, results)
  // The results of a version that cannot be read are in order as soon as the version is.
  problems.push(...checked.problems.filter(({ file: path }) => !wrong.has(versionOf(path))))
  const bytes = sizeOf(files)
  const entry = { owner, name, file, versions, bytes, ...(checked.good.length > 0 && { results: checked.good }) }
  return { entry, isThere: isThere && (wrong.size > 0 || !isTakenDown(entry)), problems, wrong, troubles }
}

/** Reads the files of a version. @returns its entry if its version file could be parsed, and what is wrong with its files */
function readVersion(
  folder: ContentReader,
  place: { owner: string; name: string; version: string },
  listed: ListedVersion,
): { entry: VersionEntry | undefined; trouble: VersionTrouble | undefined } {
  const read = listed.file === undefined ? undefined : readListed(folder, listed.file)
  const entry = read?.parsed?.kind === 'version' ? read.parsed.value : undefined
  const problems = [
    ...(read?.problems ?? []),
    ...readBundle(folder, place, listed, entry),
    ...checkAttestations(folder, place, listed, entry),
  ]
  return { entry, trouble: problems.length > 0 ? { problems, isParsed: entry !== undefined } : undefined }
}

/** Returns the version of a result by its path. */
const versionOf = (path: string) => path.split('/').at(-2) ?? ''

/** Reads and validates a single file. */
export function readListed(
  folder: ContentReader,
  path: string,
): { parsed: ParsedFile | undefined; problems: Problem[] } {
  const { parsed, broken } = parseContentFile(path, (maxBytes) => folder.read(path, maxBytes))
  const problems = (parsed.problems ?? broken).map((problem) => ({ file: nameFile(path), ...problem }))
  return { parsed: parsed.value, problems }
}

/** Builds the parts of a tree that are outside repositories. @param files the files outside repositories */
export function joinOthers(files: Iterable<ParsedFile>): Omit<ContentTree, 'repositories'> {
  const owners = new Map()
  let usage: ContentTree['usage'] = new Map()
  let equivalents: ContentTree['equivalents'] = []
  let models: ContentTree['models'] = new Map()
  let trustedRoot: ContentTree['trustedRoot']
  for (const file of files) {
    if (file.kind === 'usage') usage = new Map(Object.entries(file.value))
    else if (file.kind === 'equivalents') equivalents = file.value
    else if (file.kind === 'models') models = new Map(file.value.map((status) => [status.model, status]))
    else if (file.kind === 'trusted-root') trustedRoot = file.value
    else if (file.kind === 'owner') owners.set(file.owner, file.value)
  }
  return { owners, usage, equivalents, models, trustedRoot }
}

/** Sorts problems by file. */
export function sortProblems(problems: Problem[]): Problem[] {
  return problems.sort((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)))
}

/** Returns the path of a repository's `index.md` for problem messages. */
export function nameIndex(fullName: string): string {
  const [owner = '', name = ''] = fullName.split('/')
  return nameFile(formatPath({ kind: 'repository', owner, name }))
}
