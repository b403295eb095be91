// Reads from git what versions first were on the branch, for those that did not stay so. Any other version is what the head says.
import type { PastVersion } from '../domain/content/first-files.ts'
import { parseRepositoryFile } from '../domain/content/prompt-file.ts'
import { LIMITS } from '../domain/limits.ts'
import { splitFullName } from '../domain/values/names.ts'
import type { Git } from '../git/git-command.ts'
import { type Change, type GitFile, isRegular, listTree, readSmallObjects } from '../git/git-objects.ts'
import { readRepository } from './content-dir.ts'
import { MAX_ANY_FILE_BYTES } from './content-file.ts'
import { findVersionOf } from './version-files.ts'

/** The versions of a prompt that did not stay as they came to the branch. */
export interface PastPrompt {
  /** By number. */
  versions: ReadonlyMap<string, PastVersion>
  /** The last `index.md`, if the head has none. */
  lastIndex: string | undefined
}

/** A commit that changed content. */
interface PastCommit {
  commit: string
  entries: readonly Change[]
}

/** Above this number of prompts, the whole history is read once instead of once for each part of the prompts. */
const MAX_NAMED_PROMPTS = 200
/** Maximum number of states of one version to look for the first one that can be served. */
const MAX_STATES = 20
const OBJECTS_AT_ONCE = 200

/** Where to read. */
interface PastQuery {
  /** The commit before the first commit to read; undefined if nothing precedes it. */
  start: string | undefined
  /** Reads the commits after `start`, oldest first. @param paths limits them to these files and folders */
  listCommits: (paths: readonly string[]) => AsyncIterable<PastCommit>
  /** The changed versions: numbers by the full names of their prompts. */
  changed: ReadonlyMap<string, ReadonlySet<string>>
}

/** What a part of the history says of a prompt. */
interface ReadPrompt extends Pick<PastPrompt, 'versions'> {
  /** Its `index.md`: the last one, and whether the head has it; undefined if no commit says anything. */
  index: { id: string; isThere: boolean } | undefined
  /** The versions that any `index.md` names in `removed`. */
  removed: ReadonlySet<string>
}

/** Adds what was read to an earlier result: what a version first was stays so, and so does that it was taken down. */
export function joinPast(
  known: ReadonlyMap<string, PastPrompt> | undefined,
  read: ReadonlyMap<string, ReadPrompt>,
): Map<string, PastPrompt> {
  const past = new Map(known)
  for (const [fullName, { versions, index, removed }] of read) {
    const before = known?.get(fullName)
    const joined = new Map([...versions, ...(before?.versions ?? [])])
    for (const [version, one] of joined)
      if (removed.has(version) && !one.wasRemoved) joined.set(version, { ...one, wasRemoved: true })
    const lastIndex = index ? (index.isThere ? undefined : index.id) : before?.lastIndex
    if (joined.size > 0) past.set(fullName, { versions: joined, lastIndex })
  }
  return past
}

/** Reads what versions first were: in the first commit in which they could be served, because nobody ever had a file that cannot be read. */
export async function readPast(git: Git, { start, listCommits, changed }: PastQuery): Promise<Map<string, ReadPrompt>> {
  if (changed.size === 0) return new Map()
  const names = [...changed.keys()]
  const paths = names.length > MAX_NAMED_PROMPTS ? ['.'] : names
  const tracked = track(changed)
  if (start !== undefined) tracked.begin(start, await listTree(git, start, paths))
  for await (const { commit, entries } of listCommits(paths)) tracked.follow(commit, entries)
  const past = new Map<string, ReadPrompt>()
  for (const [fullName, { versions, indexes, index }] of tracked.prompts) {
    const removed = await listEverRemoved(git, [...indexes])
    const found = new Map<string, PastVersion>()
    for (const [version, states] of versions) {
      const first = await findServable(git, fullName, states)
      if (first) found.set(version, { ...first, wasRemoved: removed.has(version) })
    }
    past.set(fullName, { versions: found, index, removed })
  }
  return past
}

/** A state of a version that has its version file. */
interface State extends Pick<PastVersion, 'commit'> {
  first: Map<string, string>
}

/** Follows the files of versions through commits. */
function track(changed: PastQuery['changed']) {
  const prompts = new Map<
    string,
    { versions: Map<string, State[]>; indexes: Set<string>; index: ReadPrompt['index'] }
  >()
  const now = new Map<string, Map<string, string>>()
  const promptOf = (fullName: string) => {
    const known = prompts.get(fullName) ?? { versions: new Map(), indexes: new Set(), index: undefined }
    prompts.set(fullName, known)
    return known
  }
  /** @param id undefined if there is no regular file any more */
  const note = (path: string, id: string | undefined, before: string | undefined): string | undefined => {
    const at = findVersionOf(path)
    if (at && changed.get(at.fullName)?.has(at.version)) {
      const key = `${at.fullName}@${at.version}`
      const files = now.get(key) ?? new Map()
      now.set(key, files)
      if (id === undefined) files.delete(path)
      else files.set(path, id)
      return key
    }
    const fullName = path.endsWith('/index.md') ? path.slice(0, -'/index.md'.length) : ''
    if (!changed.has(fullName)) return undefined
    const prompt = promptOf(fullName)
    if (id !== undefined) prompt.indexes.add(id)
    prompt.index = { id: id ?? before ?? '', isThere: id !== undefined }
    return undefined
  }
  const keep = (commit: string, keys: ReadonlySet<string>) => {
    for (const key of keys) {
      const [fullName = '', version = ''] = key.split('@')
      const files = now.get(key)!
      if (!files.has(`${fullName}/versions/${version}.md`)) continue
      const { versions } = promptOf(fullName)
      const states = versions.get(version) ?? []
      versions.set(version, states)
      if (states.length < MAX_STATES) states.push({ commit, first: new Map(files) })
    }
  }
  return {
    prompts,
    begin(commit: string, tree: ReadonlyMap<string, GitFile>): void {
      const keys = new Set<string>()
      for (const [path, file] of tree) {
        const key = isRegular(file) ? note(path, file.id, undefined) : undefined
        if (key !== undefined) keys.add(key)
      }
      keep(commit, keys)
    },
    follow(commit: string, entries: readonly Change[]): void {
      const keys = new Set<string>()
      for (const { path, before, after } of entries) {
        const key = note(path, isRegular(after) ? after.id : undefined, before.id)
        if (key !== undefined) keys.add(key)
      }
      keep(commit, keys)
    },
  }
}

/** Lists the versions that any of these `index.md` names in `removed`. */
async function listEverRemoved(git: Git, ids: readonly string[]): Promise<Set<string>> {
  const removed = new Set<string>()
  for (let from = 0; from < ids.length; from += OBJECTS_AT_ONCE)
    for (const [, bytes] of await readSmallObjects(git, ids.slice(from, from + OBJECTS_AT_ONCE), MAX_INDEX_BYTES)) {
      // Nearly all names of labels and texts that change often are in files without the key.
      const file = bytes.includes('removed') ? parseRepositoryFile(bytes.toString()).value : undefined
      for (const version of Object.keys(file?.removed ?? {})) removed.add(version)
    }
  return removed
}

const MAX_INDEX_BYTES = 2 * LIMITS.contentBytes

/** Finds the first state that a hub could serve. */
async function findServable(git: Git, fullName: string, states: readonly State[]): Promise<State | undefined> {
  const { owner, name } = splitFullName(fullName) ?? {}
  if (owner === undefined || name === undefined) return undefined
  for (const state of states) {
    const objects = await readSmallObjects(git, [...new Set(state.first.values())], MAX_ANY_FILE_BYTES)
    const read = (path: string, maxBytes: number) => {
      const bytes = objects.get(state.first.get(path) ?? '')
      if (!bytes) return { refusal: 'missing' } as const
      return bytes.length > maxBytes ? ({ refusal: 'long' } as const) : { value: bytes }
    }
    const files = [...state.first.keys()].map((path) => ({ path, bytes: 0 }))
    if (readRepository({ read }, fullName, files).wrong.size === 0) return state
  }
  return undefined
}
