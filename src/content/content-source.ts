// Reads the content as git objects: the commit that is checked out, with what somebody changed since and has not committed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Problem } from '../domain/text/problems.ts'
import { findEmptyTree, type ObjectPlace, openAlone, openBeside, writeTree } from '../git/folder-objects.ts'
import { createGit, findTop, type Git } from '../git/git-command.ts'
import { GitFailure } from '../git/git-failure.ts'
import {
  type Change,
  findObjects,
  isRegular,
  listDifferences,
  listEntriesOf,
  measureEntries,
  type TreeEntry,
} from '../git/git-objects.ts'
import { checkRoot, nameFile } from './content-files.ts'
import {
  type ContentListing,
  changeEntries,
  groupEntries,
  joinParts,
  mapParts,
  NO_FILES,
  promptOf,
} from './content-listing.ts'

/** What is in a content folder at one moment. */
export interface ContentLook {
  /** The checked-out commit; null without git, and before the first commit. */
  commit: string | null
  /** Whether the commit has the folder, so that `edited` says what differs from it. */
  isCommitted: boolean
  /** Whether it is what the commit alone says, because no file was looked at. */
  isOfCommit: boolean
  listing: ContentListing
  /** The prompts with changes since the last look; `all` if any may have some. */
  changed: ReadonlySet<string> | 'all'
  /** The paths that differ from the commit, and that nobody has committed. */
  edited: ReadonlySet<string>
  /** The files that the commit has and the folder has not, unless a sparse checkout omits them. All of them are listed as the commit has them. */
  missing: readonly string[]
}

/** A content folder. */
export type ContentSource = ReturnType<typeof openContentSource>

/** Above this number of prompts, everything is listed again. */
const MAX_CHANGED_PROMPTS = 1_000

/**
 * Opens a content folder. It need not be in git: then a repository of the hub's own has the objects of its files.
 *
 * @param dir a folder of the hub's own, for git's index and the objects of what is not committed; one process at a time. If it is undefined, only commits count, and nothing is written
 * @param environment usually `process.env`; used to find git
 * @param known what an earlier process saw last
 */
export function openContentSource({
  contentDir,
  dir,
  environment,
  known: restored,
}: {
  contentDir: string
  dir: string | undefined
  environment: Readonly<Record<string, string | undefined>>
  known?: SeenContent | undefined
}) {
  const theirs = createGit(contentDir, environment)
  let last = restored
  /** Whether git's index of the hub's own was brought up to date in this process. */
  let isIndexed = false
  let place: ObjectPlace | undefined

  const find = async (): Promise<FoundCommit> => {
    const problem = checkRoot(contentDir)
    if (problem) return { commit: null, tree: undefined, problem }
    const isCommitAlone = dir === undefined
    if (!isCommitAlone && findTop(contentDir) === undefined) return { commit: null, tree: undefined }
    const [commit, tree] = await findObjects(theirs, ['HEAD^{commit}', 'HEAD:./']).catch(ignoreMissingRepository)
    // Otherwise, a damaged repository would look like one without prompts.
    if (isCommitAlone && !commit) throw new GitFailure(`git finds no commit in ${contentDir}`)
    return { commit: commit?.id ?? null, tree: tree?.type === 'tree' ? tree.id : undefined }
  }
  const findPlace = async (isCommitted: boolean): Promise<ObjectPlace | undefined> => {
    if (dir === undefined || place?.isCommitted === isCommitted) return place
    if (place) last = undefined
    isIndexed = false
    place = isCommitted
      ? await openBeside(theirs, dir, contentDir, environment)
      : await openAlone(dir, contentDir, environment)
    return place
  }
  const write = async (here: ObjectPlace, changed: ReadonlySet<string> | 'all') => {
    try {
      const written = await writeTree(here, isIndexed ? listPlaces(changed) : 'first')
      if (place === here) isIndexed = true
      return written
    } catch (error) {
      // What a process left behind that was killed is of no use.
      here.reset()
      if (place === here) place = undefined
      throw error
    }
  }
  let writing: Promise<unknown> = Promise.resolve()
  /** Writes when nothing else does, because there is one index. */
  const writeInTurn = (here: ObjectPlace, changed: ReadonlySet<string> | 'all') => {
    const mine = writing.then(() => write(here, changed))
    writing = mine.catch(() => {})
    return mine
  }
  return {
    /** Finds the commit that is checked out. */
    find,
    /**
     * Checks files beside other looks, which wait for it only if they read files too.
     *
     * @param changed as for `look`
     * @param own the prompts that this hub wrote or writes meanwhile, which another check looks at
     * @returns the commit, if the folder is as it; undefined if it is not, or if the last look found something else
     * @throws GitFailure
     */
    async findIfClean(changed: ReadonlySet<string> | 'all', own: ReadonlySet<string>): Promise<string | undefined> {
      if (!last?.isClean || !place?.isCommitted) return undefined
      const { git } = place
      const written = await writeInTurn(place, changed)
      const { commit, tree } = await find()
      if (commit === null || written.unreadable.length > 0) return undefined
      const edits = await listDifferences(git, tree, written.tree)
      return last?.isClean && edits.every(({ path }) => own.has(promptOf(path))) ? commit : undefined
    },
    /**
     * Looks at the folder.
     *
     * @param changed the paths that may have changed since the last look; `commit` if it is the commit alone, as long as nothing else was seen
     * @param found what `find` has just found
     * @param own the prompts that this hub has just committed and written: if nothing else may have changed, the folder is as the commit
     * @throws GitFailure
     */
    async look(
      changed: ReadonlySet<string> | 'all' | 'commit' = 'all',
      found?: FoundCommit,
      own: ReadonlySet<string> = new Set(),
    ): Promise<ContentLook> {
      const { commit, tree: committed, problem } = found ?? (await find())
      if (problem) return { ...NOTHING, listing: { prompts: new Map(), others: { ...NO_FILES, problems: [problem] } } }
      const here = await findPlace(committed !== undefined)
      const git = here?.git ?? theirs
      const known = last
      const isOwn = changed === 'commit' || (changed !== 'all' && [...changed].every((path) => own.has(promptOf(path))))
      const isOfCommit = committed !== undefined && (!here || (isOwn && known?.isClean === true))
      const readTree = async () => {
        if (isOfCommit) return { tree: committed, unreadable: [] }
        if (!here) return { tree: await findEmptyTree(git), unreadable: [] }
        if (known && typeof changed !== 'string' && changed.size === 0) return { tree: known.tree, unreadable: [] }
        if (!known || typeof changed === 'string') return await writeInTurn(here, 'all')
        return await writeInTurn(here, changed)
      }
      const { tree, unreadable } = await readTree()
      const [changes, edits] = await Promise.all([
        known && listDifferences(git, known.tree, tree).catch(ifRemoved),
        committed === undefined ? [] : listDifferences(git, committed, tree),
      ])
      const byPrompt = changes && Map.groupBy(changes, ({ path }) => promptOf(path))
      const isSmall = known && byPrompt && byPrompt.size <= MAX_CHANGED_PROMPTS
      // A file outside prompts may have become a folder, and the other way round.
      const isListed = isSmall && !byPrompt.has('')
      const listing = isListed ? await listAgain(git, known.listing, byPrompt) : await listAll(git, tree)
      last = { tree, listing, isClean: committed !== undefined && edits.length + unreadable.length === 0 }
      const missing = edits.flatMap(({ path, before, status }) => (status === 'D' ? [{ path, ...before }] : []))
      const whole = await addMissing(git, listing, missing)
      return {
        commit,
        isCommitted: committed !== undefined,
        isOfCommit,
        listing: addUnreadable(whole, unreadable),
        changed: isSmall && unreadable.length + missing.length === 0 ? new Set(byPrompt.keys()) : 'all',
        edited: new Set(edits.flatMap(({ path, status }) => (status === 'D' ? [] : [path]))),
        missing: await listUnexpected(theirs, missing),
      }
    },
    /** What was seen last, for the next process; undefined before the first look. */
    get seen(): SeenContent | undefined {
      return last
    },
    /** Git, with the objects of everything that a look lists. @throws Error before the first look */
    get git(): Git {
      if (dir === undefined) return theirs
      if (!place) throw new Error('expected a look at the content folder first')
      return place.git
    },
  }
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

/** For use in `catch`: finds nothing outside a repository, says that git is not installed, and rethrows everything else. */
function ignoreMissingRepository(error: unknown): [] {
  // The folder is not in git.
  if (error instanceof GitFailure) return []
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    throw new Error('git was not found. Install it: the hub reads the content through git.', { cause: error })
  throw error
}

/** For use in `catch`: git may have removed the tree that an earlier process has seen. */
function ifRemoved(error: unknown): undefined {
  if (!(error instanceof GitFailure)) throw error
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

/** What a look has seen. */
export interface SeenContent {
  tree: string
  listing: ContentListing
  /** Whether the folder was as the commit. */
  isClean: boolean
}

const NOTHING: Omit<ContentLook, 'listing'> = {
  commit: null,
  isCommitted: false,
  isOfCommit: false,
  changed: 'all',
  edited: new Set(),
  missing: [],
}

async function listAll(git: Git, tree: string): Promise<ContentListing> {
  const prompts = groupEntries(await listEntriesOf(git, tree))
  const others = prompts.get('') ?? NO_FILES
  prompts.delete('')
  return { others, prompts }
}

/** Changes a listing. @param changes by prompt; none outside prompts */
async function listAgain(
  git: Git,
  before: ContentListing,
  changes: ReadonlyMap<string, readonly Change[]>,
): Promise<ContentListing> {
  if (changes.size === 0) return before
  const added = await measureEntries(
    git,
    [...changes.values()].flat().flatMap(({ path, after, status }) => (status === 'D' ? [] : [{ path, ...after }])),
  )
  const addedTo = Map.groupBy(added, ({ path }) => promptOf(path))
  const prompts = new Map(before.prompts)
  for (const [name, some] of changes) {
    const gone = new Set(some.map(({ path }) => path))
    const part = changeEntries(prompts.get(name) ?? NO_FILES, gone, addedTo.get(name) ?? [])
    if (part) prompts.set(name, part)
    else prompts.delete(name)
  }
  return { others: before.others, prompts }
}

type MissingFile = Pick<TreeEntry, 'path' | 'mode' | 'id'>

/** Adds the files that the commit has and the folder has not. */
async function addMissing(git: Git, listing: ContentListing, missing: readonly MissingFile[]): Promise<ContentListing> {
  return mapParts(listing, groupEntries(await measureEntries(git, missing)), joinParts)
}

/** Lists the missing files that nobody chose to leave out: a sparse checkout omits files on purpose. */
async function listUnexpected(theirs: Git, missing: readonly MissingFile[]): Promise<string[]> {
  const files = new Set(missing.filter(isRegular).map(({ path }) => path))
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
