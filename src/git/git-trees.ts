// Reads git's trees: their entries, and what differs between two of them. Only the folders that differ are read.
import type { Git } from './git-command.ts'
import { GitFailure } from './git-failure.ts'
import { findObjects, type GitFile, readObjects } from './git-objects.ts'

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

/** Lists the files and folders in a tree object, by name. Names are decoded as Latin-1, because they need not be UTF-8. */
export function listEntries(tree: { id: string; bytes: Buffer }): Record<'files' | 'folders', Map<string, string>> {
  const entries = { files: new Map<string, string>(), folders: new Map<string, string>() }
  for (const [name, { mode, id }] of readEntries(tree, 'latin1'))
    if (mode === FOLDER) entries.folders.set(name, id)
    else if (mode !== SUBMODULE) entries.files.set(name, id)
  return entries
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

/** Lists the files in folders of a tree. @param names their paths; only those that exist are found */
export async function listFolders(
  git: Git,
  tree: string,
  names: readonly string[],
): Promise<(GitFile & { path: string })[]> {
  const files: (GitFile & { path: string })[] = []
  /** With the names that lead to the wanted folders below; none once one is reached. */
  let level = [{ path: '', id: tree, wanted: names.map((name) => name.split('/')) }]
  while (level.length > 0) {
    const trees = await readTrees(git, new Set(level.map(({ id }) => id)))
    const next: typeof level = []
    for (const { path, id, wanted } of level) {
      const isInside = wanted.length === 0
      const byName = Map.groupBy(wanted, ([first]) => first)
      for (const [name, entry] of trees.get(id)!) {
        const below = byName.get(name)?.map((names) => names.slice(1)) ?? []
        if (!isInside && below.length === 0) continue
        if (entry.mode === FOLDER) {
          const isReached = below.some((names) => names.length === 0)
          next.push({ path: `${path}${name}/`, id: entry.id, wanted: isReached ? [] : below })
        } else if (isInside) files.push({ path: `${path}${name}`, ...entry })
      }
    }
    level = next
  }
  return files
}
