// Writes generated files to a branch of their own: no index, working tree or other branch is touched, and an unchanged branch gets no commit.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Git } from './git-command.ts'

/** Maximum size of the files that are passed to git at once. */
const MAX_BATCH_BYTES = 16_777_216

/** What to write. */
interface GeneratedBranch {
  /** The name of the branch, without `refs/heads/`. */
  branch: string
  /** All files of the branch; paths are relative to its root. */
  files: Iterable<{ path: string; bytes: Uint8Array }>
  /** The message of the commit, which also marks the branch as generated. */
  message: string
  /** The time of the commit, in seconds since 1970. */
  atSeconds: number
}

/**
 * Writes files to a branch as one commit on top of its last one.
 *
 * @returns the branch's commit, and whether it is new
 * @throws Error with the way out for a branch that is checked out, that this function did not write, or that moves meanwhile
 */
export async function writeGeneratedBranch(
  git: Git,
  { branch, files, message, atSeconds }: GeneratedBranch,
): Promise<{ commit: string; isNew: boolean }> {
  const ref = `refs/heads/${branch}`
  if ((await git.tryRun(['check-ref-format', ref])).code !== 0)
    throw new Error(`${branch} is not a valid name of a branch. Choose another one.`)
  const worktrees = (await git.run(['worktree', 'list', '--porcelain'])).toString().split('\n')
  if (worktrees.includes(`branch ${ref}`))
    throw new Error(`The branch ${branch} is checked out. Check out another branch, or choose another name.`)
  const tip = await git.find(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])
  const last = tip && (await git.run(['log', '-1', '--format=%B', tip])).toString().trim()
  if (last !== undefined && last !== message)
    throw new Error(`The branch ${branch} has commits that were not generated. Choose another name.`)
  const tree = await writeTree(git, files)
  if (tip && (await git.find(['rev-parse', `${tip}^{tree}`])) === tree) return { commit: tip, isNew: false }
  const who = `Prompt Hub <prompt-hub@localhost> ${atSeconds} +0000`
  const parent = tip ? `parent ${tip}\n` : ''
  const input = `tree ${tree}\n${parent}author ${who}\ncommitter ${who}\n\n${message}\n`
  const commit = (await git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], { input })).toString().trim()
  const before = tip ?? '0'.repeat(commit.length)
  const { code } = await git.tryRun(['update-ref', '-m', message.split('\n', 1)[0]!, ref, commit, before])
  if (code !== 0) throw new Error(`The branch ${branch} has moved meanwhile. Run the command again.`)
  return { commit, isNew: true }
}

/** Writes files as a tree, through an index of its own. @returns the tree's ID */
async function writeTree(git: Git, files: GeneratedBranch['files']): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'prompt-hub-index-'))
  try {
    const run = { indexFile: join(dir, 'index') }
    const entries: string[] = []
    for (const batch of batches(files))
      entries.push(...(await writeBlobs(git, batch)).map((id, at) => `100644 ${id}\t${batch[at]!.path}\0`))
    await git.run(['update-index', '-z', '--index-info'], { ...run, input: entries.join('') })
    return (await git.run(['write-tree'], run)).toString().trim()
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

type Batch = { path: string; bytes: Uint8Array }[]

function* batches(files: GeneratedBranch['files']): Generator<Batch> {
  let batch: Batch = []
  let size = 0
  for (const file of files) {
    batch.push(file)
    size += file.bytes.length
    if (size < MAX_BATCH_BYTES) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

/** Writes blobs, byte for byte, with one git process. @returns their IDs @see https://git-scm.com/docs/git-fast-import */
async function writeBlobs(git: Git, batch: Batch): Promise<string[]> {
  const parts = batch.flatMap(({ bytes }, at) => [
    Buffer.from(`blob\nmark :${at + 1}\ndata ${bytes.length}\n`),
    bytes,
    Buffer.from(`\nget-mark :${at + 1}\n`),
  ])
  const input = Buffer.concat([Buffer.from('feature done\n'), ...parts, Buffer.from('done\n')])
  const output = await git.run(['fast-import', '--quiet'], { input })
  return output.toString().trimEnd().split('\n')
}
