// Reads objects and lists of files, and writes commits, each with one git process. The paths of lists are relative to the folder of `git`.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from './git-command.ts'
import { gitNotReady, type WorkTree } from './git-standing.ts'

interface GitObject {
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
  const input = names.map((name) => `${name}\n`).join('')
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
  let at = 0
  return Array.from({ length: count }, () => {
    const end = output.indexOf(10, at)
    const [, id, type = '', size] = OBJECT.exec(output.toString('utf8', at, end)) ?? []
    at = end + 1
    if (id === undefined) return undefined
    const bytes = output.subarray(at, at + Number(size))
    at += Number(size) + 1
    return { id, type, bytes }
  })
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

/** Lists the NUL-terminated records that git writes, if they are not many. */
export async function listRecords(
  git: Git,
  command: readonly string[],
  run: { signal?: AbortSignal; indexFile?: string } = {},
): Promise<string[]> {
  const output = await git.run(command, run)
  return output.toString().split('\0').slice(0, -1)
}

/** Lists the files of a commit or a tree, by path. @param paths files, or folders with everything below them */
export async function listTree(
  git: Git,
  commit: string,
  paths: readonly string[] = ['.'],
  signal?: AbortSignal,
): Promise<Map<string, GitFile>> {
  const files = new Map<string, GitFile>()
  const command = ['ls-tree', '-r', '-z', commit, '--', ...paths]
  for (const record of await listRecords(git, command, signal && { signal })) {
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

/** A commit to write. */
interface NewCommit {
  parent: string
  /** Files to add, replace or, without bytes, delete; paths are relative to the root of the tree. */
  files: readonly { path: string; bytes: Uint8Array | undefined }[]
  message: string
}

/**
 * Writes a commit, without moving any branch. Git reads only the folders along the paths, so the cost does not grow with the catalogue.
 *
 * @returns the commit's ID
 * @throws HubError `unavailable` if there is a file where a folder must be, or vice versa
 * @see https://git-scm.com/docs/git-fast-import
 */
export async function writeCommit(tree: WorkTree, { parent, files, message }: NewCommit): Promise<string> {
  const folders = [...new Set(files.flatMap(({ path }) => foldersAbove(path)))]
  const kinds = [...folders.map(() => 'tree'), ...files.map(() => 'blob')]
  const stream = [
    'feature done\n',
    ...[...folders, ...files.map(({ path }) => path)].map((path) => `ls ${parent} ${quote(path)}\n`),
    `commit ${WRITTEN}\nmark :1\ncommitter Prompt Hub <prompt-hub@localhost> now\n`,
    `${data(message)}from ${parent}\n`,
    ...files.flatMap(({ path, bytes }) =>
      bytes ? [`M 100644 inline ${quote(path)}\ndata ${bytes.length}\n`, bytes, '\n'] : [`D ${quote(path)}\n`],
    ),
    // Git writes refs at the end, and this one is gone by then.
    `\nget-mark :1\nreset ${WRITTEN}\nfrom ${'0'.repeat(parent.length)}\n\ndone\n`,
  ]
  const input = Buffer.concat(stream.map((part) => Buffer.from(part)))
  try {
    const output = await tree.git.run(['fast-import', '--quiet', '--date-format=now'], { input })
    const lines = output.toString().trimEnd().split('\n')
    for (const [at, kind] of kinds.entries()) {
      const [, found, path] = /^\d+ (\w+) \w+\t(.*)$/.exec(lines[at] ?? '') ?? []
      if (found !== undefined && found !== kind)
        throw gitNotReady(`${path} ${describeOther(found)}. Remove or move that first`)
    }
    return lines.at(-1) ?? ''
  } catch (error) {
    await removeCrashReports(tree)
    throw error
  }
}

/** The name of the commit for fast-import, which writes no commit without a ref. */
const WRITTEN = 'refs/prompt-hub/written'

/** Says what is in the place of a file or folder. @param type the type of git's object */
function describeOther(type: string): string {
  if (type === 'commit') return 'is a submodule in git, so its prompts are published in its own repository'
  return type === 'tree' ? 'is a folder in git, not a file' : 'is a file in git, not a folder'
}

/** Removes the reports that fast-import writes if it fails, or if a hub is killed. */
export async function removeCrashReports({ gitFolder }: WorkTree): Promise<void> {
  for (const name of await readdir(gitFolder))
    if (/^fast_import_crash_\d+$/.test(name)) await rm(join(gitFolder, name), { force: true })
}

function foldersAbove(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'))
}

/** Writes a text for fast-import. */
const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

/** Quotes a path like a string in C. */
const quote = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
