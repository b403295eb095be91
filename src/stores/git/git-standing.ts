// Checks the state of the user's git: the current branch, or why publishing is not possible and how to fix it.
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError } from '../../domain/api/errors.ts'
import type { Git } from './git-command.ts'

/** A git work tree with a content folder in it. */
export interface WorkTree {
  /** Runs in the top folder of the work tree. */
  git: Git
  /** The top folder of the work tree, absolute. */
  folder: string
  /** The git folder of this work tree, absolute: its index and HEAD lie there. */
  gitFolder: string
  /** The content folder's path in the tree: empty, or with a final slash. */
  prefix: string
  /** The branch that is published to, as `refs/heads/…`: the first one that was seen checked out. */
  branch: string | undefined
}

/** What is published on. */
interface Standing {
  /** `refs/heads/…`. */
  branch: string
  /** The commit that it leads to. */
  head: string
}

/** Setting up git is the work of a person, so asking again at once is of no use. */
const SETUP_RETRY_SECONDS = 60

/** What git keeps in its folder while the user is in the middle of something, and how that ends. */
const UNDER_WAY = [
  ['rebase-merge', 'A rebase', 'git rebase --continue finishes it, git rebase --abort gives it up'],
  ['rebase-apply', 'A rebase or git am', 'git status says how to finish it or give it up'],
  ['MERGE_HEAD', 'A merge', 'git commit finishes it, git merge --abort gives it up'],
  ['CHERRY_PICK_HEAD', 'A cherry-pick', 'git cherry-pick --continue finishes it, git cherry-pick --abort gives it up'],
  ['REVERT_HEAD', 'A revert', 'git revert --continue finishes it, git revert --abort gives it up'],
  ['sequencer', 'A cherry-pick or revert', 'git status says how to finish it or give it up'],
  ['BISECT_LOG', 'A bisect', 'git bisect reset ends it'],
] as const

/**
 * Looks where git stands, and remembers the first branch it sees.
 *
 * @throws HubError `unavailable` while another branch or none is checked out, something is under way, or there is no commit: what is
 *   published then would not be where readers are served from, and its number would be given again. docs/contract.md section 7
 */
export async function readStanding(tree: WorkTree, signal?: AbortSignal): Promise<Standing> {
  for (const [entry, what, way] of UNDER_WAY) {
    if (await exists(join(tree.gitFolder, entry)))
      throw notNow(`${what} is under way in the content's git repository: ${way}`)
  }
  const { branch, head } = await readHead(tree.git, signal)
  if (head === undefined)
    throw notSetUp('The git repository of the content has no commit yet. Make a first commit', undefined)
  if (branch === undefined) {
    const way = tree.branch === undefined ? 'git switch checks one out' : `git switch ${nameOf(tree.branch)} goes back`
    throw notNow(`The content's git repository has no branch checked out (its HEAD is detached): ${way}`)
  }
  tree.branch ??= branch
  if (branch !== tree.branch)
    throw notNow(
      `The hub publishes to the branch ${nameOf(tree.branch)}, but ${nameOf(branch)} is checked out: git switch ${nameOf(tree.branch)} goes back, or start the hub again to publish to ${nameOf(branch)}`,
    )
  return { branch, head }
}

/** The error of a git that a person must set up first. @param what a sentence without its end: "…, and try again." follows */
export function notSetUp(what: string, cause: unknown): HubError {
  return new HubError('unavailable', `${what}, and try again.`, { cause, retryAfterSeconds: SETUP_RETRY_SECONDS })
}

/** The error of a state that a person must end first. @param what a sentence without its end */
export function notNow(what: string, cause?: unknown): HubError {
  return new HubError('unavailable', `${what}. Nothing was published.`, {
    cause,
    retryAfterSeconds: SETUP_RETRY_SECONDS,
  })
}

/** One process answers both, so that branch and head belong together; if they did not, moving the branch from that head would fail. */
async function readHead(git: Git, signal?: AbortSignal): Promise<Partial<Standing>> {
  const args = ['rev-parse', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD']
  const { code, stdout } = await git.tryRun(args, signal && { signal })
  if (code !== 0) return {}
  const [head, branch] = stdout.toString().split('\n')
  return { ...(head && { head }), ...(branch?.startsWith('refs/heads/') && { branch }) }
}

/** A branch as people name it. @param branch `refs/heads/…` */
export const nameOf = (branch: string): string => branch.replace(/^refs\/heads\//, '')

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignoreMissing)) !== undefined
}

/** For `catch`: returns undefined for a missing file, and throws everything else again. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return undefined
  throw error
}
