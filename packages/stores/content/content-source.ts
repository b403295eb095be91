// Reads the content as git objects: the commit that is checked out, with what somebody changed since and has not committed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Problem } from '../../../src/domain/text/problems.ts'
import { type ObjectPlace, openAlone, openBeside, writeEmptyTree, writeTree } from '../git/folder-objects.ts'
import { createGit, type Git } from '../git/git-command.ts'
import { readObjectSizes } from '../git/git-objects.ts'
import { checkRoot, nameFile } from './content-files.ts'
import {
  type ContentListing,
  groupEntries,
  joinParts,
  mapParts,
  NO_FILES,
  promptOf,
  type TreeEntry,
} from './content-listing.ts'

/** What is in a content folder at one moment. */
export interface ContentLook {
  /** The checked-out commit; null without git, and before the first commit. */
  commit: string | null
  listing: ContentListing
  /** The prompts with changes since the last look; `all` if any may have some. */
  changed: ReadonlySet<string> | 'all'
  /** The paths that differ from the commit, and that nobody has committed. */
  edited: ReadonlySet<string>
  /** The files that the commit has and the folder has not, unless a sparse checkout omits them. All of them are listed as the commit has them. */
  missing: readonly string[]
}

/** A content folder. */
type ContentSource = ReturnType<typeof openContentSource>

/** Above this number of prompts, everything is listed again. */
const MAX_CHANGED_PROMPTS = 1_000

/**
 * Opens a content folder. It need not be in git: then a repository of the hub's own has the objects of its files.
 *
 * @param dir a folder of the hub's own, for git's index and the objects of what is not committed; one process at a time
 * @param environment usually `process.env`; used to find git
 * @param hasFiles whether files of the folder count, not only its commits
 */
export function openContentSource({
  contentDir,
  dir,
  environment,
  hasFiles = true,
}: {
  contentDir: string
  dir: string
  environment: Readonly<Record<string, string | undefined>>
  hasFiles?: boolean
}) {
  const theirs = createGit(contentDir, environment)
  let last: Snapshot | undefined
  let place: ObjectPlace | undefined

  const find = async (): Promise<FoundCommit> => {
    const problem = checkRoot(contentDir)
    if (problem) return { commit: null, tree: undefined, problem }
    const input = 'HEAD^{commit}\nHEAD:./\n'
    const { stdout } = await theirs.tryRun(['cat-file', '--batch-check'], { input }).catch(explainMissingGit)
    const [commit, tree] = stdout
      .toString()
      .split('\n')
      .map((line) => /^([0-9a-f]+) (?:commit|tree) \d+$/.exec(line)?.[1])
    return { commit: commit ?? null, tree }
  }
  const findPlace = async (isCommitted: boolean): Promise<ObjectPlace> => {
    if (place?.isCommitted === isCommitted) return place
    last = undefined
    place = isCommitted
      ? await openBeside(theirs, dir, contentDir, environment)
      : await openAlone(dir, contentDir, environment)
    return place
  }
  const write = async (here: ObjectPlace, changed: ReadonlySet<string> | 'all') => {
    try {
      return await writeTree(here, listPlaces(changed))
    } catch (error) {
      // What a process left behind that was killed is of no use.
      here.reset()
      place = undefined
      throw error
    }
  }
  return {
    /** Finds the commit that is checked out. */
    find,
    /**
     * Looks at the folder.
     *
     * @param changed the paths that may have changed since the last look
     * @param found what `find` has just found
     * @throws GitFailure
     */
    async look(changed: ReadonlySet<string> | 'all' = 'all', found?: FoundCommit): Promise<ContentLook> {
      const { commit, tree: committed, problem } = found ?? (await find())
      if (problem) return { ...NOTHING, listing: { prompts: new Map(), others: { ...NO_FILES, problems: [problem] } } }
      const here = hasFiles ? await findPlace(committed !== undefined) : undefined
      const git = here?.git ?? theirs
      const known = last
      const { tree, unreadable } = here
        ? known && changed !== 'all' && changed.size === 0
          ? { tree: known.tree, unreadable: [] }
          : await write(here, known ? changed : 'all')
        : { tree: committed ?? (await writeEmptyTree(git)), unreadable: [] }
      const [names, edits] = await Promise.all([
        known && listChangedPaths(git, known.tree, tree),
        committed === undefined || committed === tree ? [] : listEdits(git, committed, tree),
      ])
      const prompts = names && new Set(names.map(promptOf))
      const isSmall = known && names && prompts && prompts.size <= MAX_CHANGED_PROMPTS
      const listing = isSmall ? await listAgain(git, known.listing, tree, names, prompts) : await listAll(git, tree)
      last = { tree, listing }
      const missing = edits.filter(({ status }) => status === 'D')
      const whole = await addMissing(git, listing, missing)
      return {
        commit,
        listing: addUnreadable(whole, unreadable),
        changed: isSmall && unreadable.length + missing.length === 0 ? prompts : 'all',
        edited: new Set(edits.flatMap(({ path, status }) => (status === 'D' ? [] : [path]))),
        missing: await listUnexpected(theirs, missing),
      }
    },
    /** Git, with the objects of everything that a look lists. @throws Error before the first look */
    get git(): Git {
      if (!hasFiles) return theirs
      if (!place) throw new Error('expected a look at the content folder first')
      return place.git
    },
  }
}

/** Reads a commit, whatever the folder has. It writes nothing. @param git git, in the content folder */
export async function readCommitted(git: Git, commit: string): Promise<ContentLook> {
  const tree = await git.find(['rev-parse', '--verify', '--quiet', `${commit}:./`])
  const listing = tree ? await listAll(git, tree) : { others: NO_FILES, prompts: new Map() }
  return { ...NOTHING, commit, listing }
}

/** Looks at a folder once. @param use called with the look and the source, which has the objects until the result is there */
export async function lookOnce<Value>(
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
  use: (look: ContentLook, source: ContentSource) => Promise<Value>,
): Promise<Value> {
  const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-objects-'))
  try {
    const source = openContentSource({ contentDir, dir, environment })
    return await use(await source.look(), source)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** For use in `catch`: says that git is not installed, and rethrows everything else. */
function explainMissingGit(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    throw new Error('git was not found. Install it: the hub reads the content through git.', { cause: error })
  throw error
}

/** Lists the folders of the prompts that may have changed. @returns `all` if files outside prompts may have changed */
function listPlaces(changed: ReadonlySet<string> | 'all'): string[] | 'all' {
  const names = changed === 'all' ? [''] : [...new Set(Array.from(changed, promptOf))]
  return names.includes('') ? 'all' : names
}

/** The commit that is checked out. */
interface FoundCommit {
  /** Null without git, and before the first commit. */
  commit: string | null
  /** The tree of the content folder in it; undefined if it has none. */
  tree: string | undefined
  /** Why the folder cannot be read. */
  problem?: Problem
}

interface Snapshot {
  tree: string
  listing: ContentListing
}

const NOTHING: Omit<ContentLook, 'listing'> = { commit: null, changed: 'all', edited: new Set(), missing: [] }

async function listChangedPaths(git: Git, from: string, to: string): Promise<string[]> {
  if (from === to) return []
  return Array.fromAsync(git.records(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]))
}

interface Edit extends Pick<TreeEntry, 'path' | 'mode' | 'id'> {
  status: string
}

/** Lists what differs between two trees: what was deleted as it was, and all else as it is. */
async function listEdits(git: Git, from: string, to: string): Promise<Edit[]> {
  const edits: Edit[] = []
  let raw: string[] | undefined
  for await (const record of git.records(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', from, to])) {
    if (!raw) {
      raw = record.slice(1).split(' ')
      continue
    }
    const [modeBefore = '', modeAfter = '', before = '', after = '', status = ''] = raw
    raw = undefined
    const isGone = status === 'D'
    edits.push({ path: record, status, mode: isGone ? modeBefore : modeAfter, id: isGone ? before : after })
  }
  return edits
}

async function readEntries(git: Git, tree: string, paths: readonly string[]): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = []
  const command = ['ls-tree', '-r', '-z', '--long', '--full-tree', tree, '--', ...paths]
  for await (const record of git.records(command)) {
    const [, mode, id, bytes, path] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(record) ?? []
    if (mode !== undefined && id !== undefined && path !== undefined)
      entries.push({ path, mode, id, bytes: Number(bytes) || 0 })
  }
  return entries
}

async function listAll(git: Git, tree: string): Promise<ContentListing> {
  const prompts = groupEntries(await readEntries(git, tree, []))
  const others = prompts.get('') ?? NO_FILES
  prompts.delete('')
  return { others, prompts }
}

/** Lists only what changed again. @param names the changed paths @param changed the prompts that they belong to */
async function listAgain(
  git: Git,
  before: ContentListing,
  tree: string,
  names: readonly string[],
  changed: ReadonlySet<string>,
): Promise<ContentListing> {
  if (names.length === 0) return before
  // A file outside prompts may have become a folder, and the other way round.
  if (changed.has('')) return listAll(git, tree)
  const parts = groupEntries(await readEntries(git, tree, [...changed]))
  const prompts = new Map(before.prompts)
  for (const name of changed) {
    const part = parts.get(name)
    if (part) prompts.set(name, part)
    else prompts.delete(name)
  }
  return { others: before.others, prompts }
}

/** Adds the files that the commit has and the folder has not. */
async function addMissing(git: Git, listing: ContentListing, missing: readonly Edit[]): Promise<ContentListing> {
  if (missing.length === 0) return listing
  const sizes = await readObjectSizes(
    git,
    missing.map(({ id }) => id),
  )
  const entries = missing.map(({ path, mode, id }) => ({ path, mode, id, bytes: sizes.get(id) ?? 0 }))
  return mapParts(listing, groupEntries(entries), joinParts)
}

/** Lists the missing files that nobody chose to leave out: a sparse checkout omits files on purpose. */
async function listUnexpected(theirs: Git, missing: readonly Edit[]): Promise<string[]> {
  const files = new Set(missing.flatMap(({ path, mode }) => (mode.startsWith('100') ? [path] : [])))
  if (files.size > 0)
    for await (const record of theirs.records(['ls-files', '-t', '-z', '--', '.']))
      if (record.startsWith('S ')) files.delete(record.slice(2))
  return [...files]
}

/** Adds the files that git cannot read as problems. Where the commit has them, that is what is listed. */
function addUnreadable(listing: ContentListing, unreadable: readonly string[]): ContentListing {
  if (unreadable.length === 0) return listing
  const problems = unreadable.map((path) => ({
    file: nameFile(path),
    rule: 'readable',
    key: '',
    message: 'expected a readable file',
  }))
  return mapParts(
    listing,
    Map.groupBy(problems, (_, at) => promptOf(unreadable[at] ?? '')),
    (part, found) => joinParts(part, { ...NO_FILES, problems: found }),
  )
}

/** Describes missing files for an operator, with one problem for each owner. */
export function describeMissing(missing: readonly string[]): Problem[] {
  const owners = Map.groupBy(missing, (path) => path.split('/')[0]!)
  return Array.from(owners, ([name, paths]) => {
    const first = nameFile(paths[0]!)
    const what =
      paths.length === 1
        ? `expected ${first}, which is in the checked-out commit`
        : `expected the files of the checked-out commit, but ${paths.length} are missing, such as ${first}`
    const message = `${what}. Mount or restore what is missing (git restore), or commit its removal`
    return { file: nameFile(name), rule: 'files-of-commit', key: '', message }
  })
}
