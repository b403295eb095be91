// Reads git's objects: files and trees, what differs between two trees, and lists of files. The paths of lists are relative to the folder of `git`.
import type { Git } from './git-command.ts'
import { GitFailure } from './git-failure.ts'
import type { FolderEntry } from './git-store.ts'

/** An object, with its bytes. */
export interface GitObject {
  id: string
  type: string
  bytes: Buffer<ArrayBuffer>
}

/**
 * Reads objects by name, such as `HEAD:content/acme`.
 *
 * @param maxBytes the most that all of them may have together
 * @returns them in the same order; undefined for a name without an object
 * @throws OutputTooLong
 * @see https://git-scm.com/docs/git-cat-file#_batch_output
 */
export async function readObjects(
  git: Git,
  names: readonly string[],
  run: { signal?: AbortSignal; maxBytes?: number } = {},
): Promise<(GitObject | undefined)[]> {
  if (git.objects && run.maxBytes === undefined) return git.objects.read(names)
  const input = `${names.join('\n')}\n`
  return parseObjects(await git.run(['cat-file', '--batch'], { ...run, input }), names.length)
}

/** Reads objects by ID while nothing else happens. @param maxBytes the most that all of them may have together @throws GitFailure */
export function readObjectsSync(git: Git, ids: readonly string[], maxBytes: number): (GitObject | undefined)[] {
  const input = ids.map((id) => `${id}\n`).join('')
  // Each object has a line of its own before its bytes.
  return parseObjects(git.runSync(['cat-file', '--batch'], input, maxBytes + 200 * (ids.length + 1)), ids.length)
}

/** Parses git's answer, which has its objects in the order of the question. */
function parseObjects(output: Buffer<ArrayBuffer>, count: number): (GitObject | undefined)[] {
  const objects: (GitObject | undefined)[] = []
  for (let at = 0; objects.length < count; ) {
    const end = output.indexOf(10, at)
    const [, id, type = '', size] = OBJECT.exec(output.toString('utf8', at, end)) ?? []
    at = end + 1
    objects.push(id === undefined ? undefined : { id, type, bytes: output.subarray(at, at + Number(size)) })
    if (id !== undefined) at += Number(size) + 1
  }
  return objects
}

/** Finds objects by name without reading them. @returns them in the same order; undefined for a name without an object @see https://git-scm.com/docs/git-cat-file#_batch_output */
export async function findObjects(
  git: Git,
  names: readonly string[],
): Promise<({ id: string; type: string; size: number } | undefined)[]> {
  if (git.objects) return git.objects.find(names)
  if (names.length === 0) return []
  const input = names.map((name) => `${name}\n`).join('')
  const lines = (await git.run(['cat-file', '--batch-check'], { input })).toString('utf8').split('\n')
  return names.map((_, at) => {
    const [, id, type = '', size] = OBJECT.exec(lines[at] ?? '') ?? []
    return id === undefined ? undefined : { id, type, size: Number(size) }
  })
}

/** Git's line about an object. */
const OBJECT = /^([0-9a-f]+) (\w+) (\d+)$/

/** Reads files by ID. @param maxBytes longer files, and anything but a file, are left out */
export async function readSmallObjects(
  git: Git,
  ids: readonly string[],
  maxBytes: number,
): Promise<Map<string, Buffer<ArrayBuffer>>> {
  const small = (await findObjects(git, ids)).flatMap((found) =>
    found?.type === 'blob' && found.size <= maxBytes ? [found.id] : [],
  )
  const objects = small.length === 0 ? [] : await readObjects(git, small)
  return new Map(objects.flatMap((object) => (object ? [[object.id, object.bytes] as const] : [])))
}

/** A file in a commit or in the index. */
export interface GitFile {
  /** The git mode, such as `100644`. */
  mode: string
  id: string
}

interface IndexFile extends GitFile {
  /** Whether the file has a merge conflict; if so, the ID is that of one side. */
  isInMerge: boolean
}

/** Lists the files of a commit or a tree, by path. @param paths files, or folders with everything below them */
export async function listTree(
  git: Git,
  commit: string,
  paths: readonly string[] = ['.'],
  signal?: AbortSignal,
): Promise<Map<string, GitFile>> {
  const files = new Map<string, GitFile>()
  const output = await git.run(['ls-tree', '-r', '-z', commit, '--', ...paths], signal && { signal })
  for (const record of output.toString().split('\0')) {
    const [, mode, id, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(record) ?? []
    if (mode !== undefined && id !== undefined && path !== undefined) files.set(path, { mode, id })
  }
  return files
}

/** Lists the files in the index, by path. @param paths as for `listTree` */
export async function listIndex(git: Git, paths: readonly string[] = ['.']): Promise<Map<string, IndexFile>> {
  const files = new Map<string, IndexFile>()
  for await (const record of git.records(['ls-files', '--stage', '-z', '--', ...paths])) {
    const [, mode, id, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.+)$/s.exec(record) ?? []
    if (mode !== undefined && id !== undefined && path !== undefined)
      files.set(path, { mode, id, isInMerge: stage !== '0' })
  }
  return files
}

/** Lists the files that differ from the index, by path, with git's status: `M`, `D`, `T` or `U`. */
export async function listEdited(git: Git): Promise<Map<string, string>> {
  const edited = new Map<string, string>()
  const command = ['diff', '--name-status', '--no-ext-diff', '--ignore-submodules=none', '--no-renames', '--relative']
  let status: string | undefined
  for await (const record of git.records([...command, '-z', '--', '.'])) {
    if (status === undefined) status = record
    else {
      edited.set(record, status)
      status = undefined
    }
  }
  return edited
}

/** A file, link or submodule in a tree. */
export interface TreeEntry extends GitFile {
  path: string
  /** 0 for anything but a file. */
  bytes: number
}

/** What a commit or a tree changes about a path. */
export interface Change {
  path: string
  /** The file before; its mode is `000000` if there was none. */
  before: GitFile
  /** The file after; its mode is `000000` if there is none. */
  after: GitFile
  /** `A`, `D`, `M` or `T`. */
  status: string
}

/** The mode of a folder. */
const FOLDER = '40000'
const SUBMODULE = '160000'
const NO_FILE: GitFile = { mode: '000000', id: '' }

/** Lists all entries of a tree with their sizes, sorted by path bytes. The paths are those of the tree, wherever git runs. */
export async function listEntriesOf(git: Git, tree: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = []
  for await (const record of git.records(['ls-tree', '-r', '-z', '--long', '--full-tree', tree])) {
    const [, mode, id, bytes, path] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(record) ?? []
    if (mode !== undefined && id !== undefined && path !== undefined)
      entries.push({ path, mode, id, bytes: Number(bytes) || 0 })
  }
  return entries
}

/** Adds the sizes of files. */
export async function measureEntries(git: Git, entries: readonly (GitFile & { path: string })[]): Promise<TreeEntry[]> {
  const found = await findObjects(
    git,
    entries.map(({ id }) => id),
  )
  return entries.map((entry, at) => {
    const object = found[at]
    return { ...entry, bytes: object?.type === 'blob' ? object.size : 0 }
  })
}

/** Lists what differs between two trees, sorted by path. @param from undefined if there is no folder @param to undefined if there is no folder */
export async function listDifferences(git: Git, from: string | undefined, to: string | undefined): Promise<Change[]> {
  const changes: Change[] = []
  let level = from === to ? [] : [{ path: '', from, to }]
  while (level.length > 0) {
    const trees = await readTrees(
      git,
      new Set(level.flatMap(({ from, to }) => [from, to].filter((id) => id !== undefined))),
    )
    const next: typeof level = []
    for (const pair of level) {
      const [before, after] = [pair.from, pair.to].map((id) => trees.get(id ?? '') ?? new Map<string, GitFile>())
      for (const name of new Set([...before!.keys(), ...after!.keys()])) {
        const [one, other] = [before!.get(name), after!.get(name)]
        if (one?.id === other?.id && one?.mode === other?.mode) continue
        const path = `${pair.path}${name}`
        const folders = { from: folderOf(one), to: folderOf(other) }
        if (folders.from !== folders.to) next.push({ path: `${path}/`, ...folders })
        const status = statusOf(fileOf(one), fileOf(other))
        if (status) changes.push({ path, before: fileOf(one), after: fileOf(other), status })
      }
    }
    level = next
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const folderOf = (entry: GitFile | undefined) => (entry?.mode === FOLDER ? entry.id : undefined)
const fileOf = (entry: GitFile | undefined) => (entry === undefined || entry.mode === FOLDER ? NO_FILE : entry)

function statusOf(before: GitFile, after: GitFile): string | undefined {
  if (before === after) return undefined
  if (before === NO_FILE) return 'A'
  if (after === NO_FILE) return 'D'
  // Git counts another kind of file as another type: a link in place of a file.
  return before.mode.slice(0, 3) === after.mode.slice(0, 3) ? 'M' : 'T'
}

/** Reads trees by ID. @throws GitFailure if one is missing */
async function readTrees(git: Git, ids: ReadonlySet<string>): Promise<Map<string, Map<string, GitFile>>> {
  const found = await readObjects(git, [...ids])
  return new Map(
    Array.from(ids, (id, at) => {
      const object = found[at]
      if (object?.type !== 'tree') throw new GitFailure(`git has no tree ${id}`)
      return [id, readEntries(object)]
    }),
  )
}

/** Lists the entries of a tree object; none for anything else. Names are decoded as Latin-1, because they need not be UTF-8. */
export function listEntries(found: GitObject | undefined): FolderEntry[] {
  if (found?.type !== 'tree') return []
  return Array.from(readEntries(found, 'latin1'), ([name, { mode, id }]) => ({
    name,
    oid: id,
    type: mode === FOLDER ? 'tree' : mode === SUBMODULE ? 'commit' : 'blob',
  }))
}

/** Reads the entries of a tree object, by name. @see https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function readEntries(
  { id, bytes }: { id: string; bytes: Buffer },
  encoding: 'utf8' | 'latin1' = 'utf8',
): Map<string, GitFile> {
  const entries = new Map<string, GitFile>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const end = bytes.indexOf(0, space)
    const mode = bytes.toString('latin1', at, space)
    at = end + 1 + id.length / 2
    entries.set(bytes.toString(encoding, space + 1, end), { mode, id: bytes.toString('hex', end + 1, at) })
  }
  return entries
}

/** Parses git's metadata of a changed file: modes, object IDs and status. @see https://git-scm.com/docs/git-diff-tree#_raw_output_format */
export function parseRaw(raw: string): Omit<Change, 'path'> {
  const [modeBefore = '', modeAfter = '', before = '', after = '', status = ''] = raw.slice(1).split(' ')
  return { before: { mode: modeBefore, id: before }, after: { mode: modeAfter, id: after }, status }
}

/** Returns whether a git mode is that of a regular file. */
export const isRegular = ({ mode }: GitFile): boolean => mode.startsWith('100')
