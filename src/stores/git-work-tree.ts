// Owns what a commit means for the work tree around it: that nothing uncommitted lies in the way, and that new files appear in tree and index.
import { createHash, randomUUID } from 'node:crypto'
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Git, GitFailure } from './git-command.ts'

/** A git work tree with a content folder in it. */
export interface WorkTree {
  /** Runs in the top folder of the work tree. */
  git: Git
  /** The top folder of the work tree, absolute. */
  folder: string
  /** The git folder, absolute; files are written there first, for in the content folder they would be taken for content. */
  gitFolder: string
  /** The content folder's path in the tree: empty, or with a final slash. */
  prefix: string
}

/** How many commits of one file are looked through for the bytes that lie in the way. */
const HISTORY_DEPTH = 50
/** Another git holds the index for milliseconds, an editor's background refresh at times for longer: some two seconds in all. */
const INDEX_TRIES = 30
/** A round is repeated only when the head moved during it. */
const SYNC_ROUNDS = 50
const BLOB_ENTRY = /^\d+ blob ([0-9a-f]+)$/

/**
 * Why files may not be written: what lies there is not in git, and would be lost. Bytes that this path had in an earlier commit are no
 * obstacle, for git keeps them; this is also what another process leaves that has committed but not yet written.
 *
 * @param head the commit that the files will be committed on
 * @param paths from the top of the work tree
 * @returns a sentence without an end mark, or undefined when nothing is in the way
 */
export async function findObstacle(
  { git, folder }: WorkTree,
  head: string,
  paths: readonly string[],
): Promise<string | undefined> {
  for (const path of paths) {
    const inWay = await findFolderInWay(folder, path)
    if (inWay) return inWay
  }
  const staged = await readEntries(git, ['ls-files', '-s', '-z', '--', ...paths], /^\d+ ([0-9a-f]+) (\d)$/)
  const committed = await readEntries(git, ['ls-tree', '-z', '--full-tree', head, '--', ...paths], BLOB_ENTRY)
  for (const path of paths) {
    const entries = staged.filter((entry) => entry.path === path)
    if (entries.some(({ detail }) => detail !== '0')) return `${path} is in the middle of a merge`
    const file = await readRegularFile(join(folder, path))
    if (file === 'irregular') return `${path} is not a regular file in the work tree`
    const ids = [...entries.map(({ id }) => id), ...(file === undefined ? [] : [blobId(file, head.length)])]
    const current = committed.find((entry) => entry.path === path)?.id
    const strange = ids.filter((id) => id !== current)
    if (strange.length === 0) continue
    const past = await listPastIds(git, head, path)
    if (!strange.every((id) => past.has(id))) return `${path} holds changes that are not committed`
  }
  return undefined
}

/**
 * Brings files of the head into the index and the work tree, and nothing else. Whoever writes looks at the head once more afterwards, so when
 * several processes do this at once, the last one to write has written what the last head holds.
 *
 * @param paths from the top of the work tree; one that the head lacks is left alone (the user has switched branches meanwhile)
 * @throws Error when the index stays locked, or a folder is not one; the commit stands all the same
 */
export async function bringIn(tree: WorkTree, paths: readonly string[]): Promise<void> {
  const { git } = tree
  for (let round = 0; round < SYNC_ROUNDS; round++) {
    const head = await readHead(git)
    const entries = await readEntries(git, ['ls-tree', '-z', '--full-tree', String(head), '--', ...paths], BLOB_ENTRY)
    if (entries.length > 0) await stage(git, entries)
    for (const { id, path } of entries) await writeWhole(tree, path, await git.run(['cat-file', 'blob', id]))
    if ((await readHead(git)) === head) return
  }
  throw new Error('the head moved on at every look')
}

/** The commit at the head, or undefined before the first one. */
export async function readHead(git: Git, signal?: AbortSignal): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', 'HEAD^{commit}']
  const { code, stdout } = await git.tryRun(args, signal && { signal })
  return code === 0 ? stdout.toString().trim() : undefined
}

interface Entry {
  id: string
  detail: string
  path: string
}

/** Reads NUL-separated lines of `{what} TAB {path}`; what the pattern does not know is left out. */
async function readEntries(git: Git, args: readonly string[], pattern: RegExp): Promise<Entry[]> {
  const lines = (await git.run(args)).toString().split('\0')
  return lines.flatMap((line) => {
    const tab = line.indexOf('\t')
    const [, id, detail] = pattern.exec(line.slice(0, Math.max(tab, 0))) ?? []
    return id === undefined ? [] : [{ id, detail: detail ?? '', path: line.slice(tab + 1) }]
  })
}

async function listPastIds(git: Git, head: string, path: string): Promise<Set<string>> {
  const args = ['log', '-m', '--no-renames', '--raw', '--no-abbrev', '--no-color', '--format=', `-n${HISTORY_DEPTH}`]
  const raw = (await git.run([...args, head, '--', path])).toString()
  return new Set(
    [...raw.matchAll(/^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) /gm)].flatMap(([, before, after]) => [before!, after!]),
  )
}

async function stage(git: Git, entries: readonly Entry[]): Promise<void> {
  const args = ['update-index', '--add', ...entries.flatMap(({ id, path }) => ['--cacheinfo', `100644,${id},${path}`])]
  for (let tries = 1; ; tries++) {
    const { code, stderr } = await git.tryRun(args)
    if (code === 0) return
    if (tries === INDEX_TRIES) throw new GitFailure(`git update-index ended with ${code}: ${stderr.trim()}`)
    await pause(20 + Math.random() * 100)
  }
}

/** A symbolic link on the way could lead anywhere, so no folder of the path may be one. */
async function findFolderInWay(folder: string, path: string): Promise<string | undefined> {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const stats = await lstat(join(folder, parent)).catch(ignoreMissing)
    if (stats && !stats.isDirectory()) return `${parent} is not a folder in the work tree`
  }
  return undefined
}

async function readRegularFile(path: string): Promise<Buffer | 'irregular' | undefined> {
  const stats = await lstat(path).catch(ignoreMissing)
  if (!stats) return undefined
  return stats.isFile() ? await readFile(path) : 'irregular'
}

/** Readers see the old file or the new one, never half of one. */
async function writeWhole({ folder, gitFolder }: WorkTree, path: string, bytes: Uint8Array): Promise<void> {
  const target = join(folder, path)
  const inWay = await findFolderInWay(folder, path)
  if (inWay) throw new Error(inWay)
  const present = await readRegularFile(target)
  if (present === 'irregular') throw new Error(`${path} is not a regular file`)
  if (present?.equals(bytes)) return
  await mkdir(dirname(target), { recursive: true })
  for (const temporary of [join(gitFolder, `prompt-hub-${randomUUID()}`), join(dirname(target), `.${randomUUID()}`)]) {
    try {
      await writeFile(temporary, bytes, { flag: 'wx' })
      return await rename(temporary, target)
    } catch (error) {
      await rm(temporary, { force: true })
      // The git folder may lie on another disk; only then does the file begin its life beside its target.
      if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    }
  }
}

function blobId(bytes: Uint8Array, hexDigits: number): string {
  const hash = createHash(hexDigits === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return undefined
  throw error
}
