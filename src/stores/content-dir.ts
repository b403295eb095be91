// Owns reading the content folder into a tree: every file below it, once; a file that may not be there is reported; links are not followed.
import { formatPath } from '../domain/content/content-path.ts'
import type { ContentTree } from '../domain/content/content-tree.ts'
import { mendTree } from '../domain/content/last-good.ts'
import type { Problem } from '../domain/content/problems.ts'
import { type ContentCache, type ContentChanges, keepInMemory } from './content-cache.ts'
import type { ParsedFile } from './content-file.ts'
import { nameFile } from './content-files.ts'
import {
  type ContentListing,
  fingerprintContent,
  formatMarks,
  type ListedFile,
  listContent,
} from './content-listing.ts'
import { openRepositories } from './content-repositories.ts'
import { judgeFiles, type KnownFile, type KnownFiles, keepGood, recallFiles, refreshFiles } from './known-files.ts'
import type { Outlines } from './sound-repository.ts'

/** What was found in the content folder. */
interface ContentReading {
  tree: ContentTree
  /** Everything that is wrong, in the order of paths; a tree with problems must not be deployed. */
  problems: Problem[]
  /** What editors and systems left there; it was passed by. */
  ignored: string[]
  /** How many files were read from disk this time; the others came from the cache. */
  filesRead: number
  /** What `fingerprintContent` says of the files that were read; undefined too when something is wrong. */
  fingerprint: string | undefined
  /** The tree that can be served although something is wrong: each wrong file is replaced by its last good state, or left out when it had none. */
  servable(): ContentTree
}

/** What a folder may be opened with. */
export interface ContentOptions {
  /** Where parsed files are kept; in memory when left out. */
  cache?: ContentCache | undefined
  /** What a look at the folder found just now; it spares the first reading that. */
  listing?: ContentListing | undefined
  /** What is kept of each repository beside its files, where the cache outlives the process. */
  outlines?: Outlines | undefined
}

/**
 * Opens a content folder for reading.
 *
 * @param dir the folder; it may be missing, which is a problem like any other
 * @returns a function that reads it. Called again, it reads only the files that changed in between, and what did not change is the same object.
 */
export function openContentDir(
  dir: string,
  { cache = keepInMemory(), listing, outlines }: ContentOptions = {},
): () => ContentReading {
  let served: ContentTree | undefined
  const recall = (): Known => {
    const repositories = openRepositories(dir, cache, outlines)
    const others: KnownFiles = new Map()
    for (const unit of cache.load()) {
      if (unit.name.endsWith('/')) repositories.recall(unit)
      else for (const [path, file] of recallFiles(unit, cache.read(unit.name))) others.set(path, file)
    }
    return { repositories, others }
  }
  let known: Known | undefined = recall()
  const readAll = (
    { repositories, others }: Known,
    listed: readonly ListedFile[],
    more: readonly Problem[],
    changes: ContentChanges,
  ) => {
    const { alone, below } = groupFiles(listed)
    const before = new Set(others.keys())
    let filesRead = refreshFiles(dir, others, alone)
    for (const path of before) if (!others.has(path)) changes.drop(path)
    const reading = { changes, usage: joinOthers(others, ({ parsed, good }) => parsed.value ?? good?.parsed).usage }
    for (const [fullName, files] of below) filesRead += repositories.refresh(fullName, files, reading)
    repositories.keepOnly(below, changes)
    const problems = [...more, ...judgeFiles(others), ...repositories.judge()]
    problems.sort((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)))
    const wrong = new Set(problems.map(({ file }) => file))
    repositories.settle(wrong, reading)
    for (const path of keepGood(others, (path) => wrong.has(nameFile(path)))) {
      const good = others.get(path)!.good!
      changes.put({ name: path, lines: formatMarks([[path, good]]) }, { [path]: good.parsed })
    }
    return { filesRead, problems }
  }
  const look = (what: Known, findings: ContentListing) => {
    let result = { filesRead: 0, problems: findings.problems }
    // When the folder is gone for a moment, what is known of it is not.
    if (!findings.problems.some(({ file }) => file === nameFile('')))
      cache.change((changes) => {
        result = readAll(what, findings.files, findings.problems, changes)
      })
    const fingerprint = result.problems.length > 0 ? undefined : fingerprintContent(findings)
    return { ...result, ignored: findings.ignored, fingerprint }
  }
  return () => {
    const now = known ?? recall()
    // What could not be kept is not known either, so after an error all is asked of the cache again.
    known = undefined
    const found = look(now, listing ?? listContent(dir))
    known = now
    listing = undefined
    const { repositories, others } = now
    const { problems } = found
    const tree = { ...joinOthers(others, ({ parsed }) => parsed.value), repositories: repositories.list() }
    return {
      ...found,
      tree,
      servable: () => {
        const good = () => ({
          ...joinOthers(others, ({ good }) => good?.parsed),
          repositories: repositories.listGood(),
        })
        served = problems.length === 0 ? tree : mendTree(good(), served, repositories.isSound)
        return served
      },
    }
  }
}

/** Puts together what stands below one repository, by its full name. */
export function groupFiles(listed: readonly ListedFile[]): { alone: ListedFile[]; below: Map<string, ListedFile[]> } {
  const alone: ListedFile[] = []
  const below = new Map<string, ListedFile[]>()
  for (const file of listed) {
    const [owner, name, more] = file.path.split('/', 3)
    if (more === undefined) {
      alone.push(file)
      continue
    }
    const fullName = `${owner}/${name}`
    const files = below.get(fullName)
    if (files) files.push(file)
    else below.set(fullName, [file])
  }
  return { alone, below }
}

/** What is known of a folder. */
interface Known {
  repositories: ReturnType<typeof openRepositories>
  /** Files that belong to no repository. */
  others: KnownFiles
}

/** Reads how often each repository was downloaded, as long as the file that says it is right. @param alone files that belong to no repository */
export function readUsage(dir: string, alone: readonly ListedFile[]): ContentTree['usage'] {
  const files: KnownFiles = new Map()
  const listed = alone.filter(({ path }) => path === formatPath({ kind: 'usage' }))
  refreshFiles(dir, files, listed)
  return joinOthers(files, ({ parsed }) => parsed.value).usage
}

/** What a tree has beside repositories. */
function joinOthers(
  files: KnownFiles,
  choose: (file: KnownFile) => ParsedFile | undefined,
): Omit<ContentTree, 'repositories'> {
  const owners = new Map()
  let usage: ContentTree['usage'] = new Map()
  let equivalents: ContentTree['equivalents'] = []
  for (const known of files.values()) {
    const file = choose(known)
    if (file?.kind === 'usage') usage = new Map(Object.entries(file.value))
    else if (file?.kind === 'equivalents') equivalents = file.value
    else if (file?.kind === 'owner') owners.set(file.owner, file.value)
  }
  return { owners, usage, equivalents }
}
