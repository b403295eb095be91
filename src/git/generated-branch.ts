// Writes generated files to a branch of their own: no index, working tree or other branch is touched, and an unchanged branch gets no commit.
import type { Git } from './git-command.ts'
import { data, quote } from './git-objects.ts'

/** The ref of a commit that is written but not on the branch yet. */
const GENERATED_REF = 'refs/prompt-hub/generated'

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
  // Git takes a name that begins with a hyphen for an option.
  if (branch.startsWith('-') || (await git.tryRun(['check-ref-format', ref])).code !== 0)
    throw new Error(`${branch} is not a valid name of a branch. Choose another one.`)
  const worktrees = (await git.run(['worktree', 'list', '--porcelain'])).toString().split('\n')
  if (worktrees.includes(`branch ${ref}`))
    throw new Error(`The branch ${branch} is checked out. Check out another branch, or choose another name.`)
  const tip = await git.find(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])
  const last = tip && (await git.run(['log', '-1', '--format=%B', tip])).toString().trim()
  if (last !== undefined && last !== message)
    throw new Error(`The branch ${branch} has commits that were not generated. Choose another name.`)
  try {
    const input = formatCommit({ files, message, atSeconds }, tip)
    const commit = (await git.run(['fast-import', '--quiet', '--force'], { input })).toString().trim()
    const isSame = tip && (await git.tryRun(['diff-tree', '--quiet', tip, commit])).code === 0
    if (isSame) return { commit: tip, isNew: false }
    const before = tip ?? '0'.repeat(commit.length)
    const { code } = await git.tryRun(['update-ref', '-m', message.split('\n', 1)[0]!, ref, commit, before])
    if (code !== 0) throw new Error(`The branch ${branch} has moved meanwhile. Run the command again.`)
    return { commit, isNew: true }
  } finally {
    await git.tryRun(['update-ref', '-d', GENERATED_REF])
  }
}

/** Formats a commit with nothing but the files, which are read one by one. @see https://git-scm.com/docs/git-fast-import */
function* formatCommit(
  { files, message, atSeconds }: Omit<GeneratedBranch, 'branch'>,
  parent: string | undefined,
): Generator<string | Uint8Array> {
  const who = `Prompt Hub <prompt-hub@localhost> ${atSeconds} +0000\n`
  yield `feature done\ncommit ${GENERATED_REF}\nmark :1\nauthor ${who}committer ${who}${data(`${message}\n`)}`
  yield `${parent === undefined ? '' : `from ${parent}\n`}deleteall\n`
  for (const { path, bytes } of files) {
    yield `M 100644 inline ${quote(path)}\ndata ${bytes.length}\n`
    yield bytes
    yield '\n'
  }
  yield 'get-mark :1\ndone\n'
}
