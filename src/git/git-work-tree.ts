// Finds the user's working tree, and says what is wrong with it or with git, with the fix.
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError } from '../domain/api/errors.ts'
import { openFolder } from '../files/plain-files.ts'
import { createGit, type Git } from './git-command.ts'
import { GitFailure } from './git-failure.ts'

/** A git working tree with a content folder. */
export interface WorkTree {
  /** Git, running in the top folder of the working tree. */
  git: Git
  /** The absolute path of the working tree's top folder. */
  folder: string
  /** The absolute path of this working tree's git directory, which contains its index and HEAD. */
  gitFolder: string
  /** The hub's folder in the git directory. */
  ownFolder: string
  /** The path of the record of the publish that is under way. */
  record: string
  /** The path of the index lock: git's, or the hub's. */
  indexLock: string
  /** The content folder's path in the tree: empty, or with a trailing slash. */
  prefix: string
  /** The branch to publish to, as `refs/heads/…`: the branch that was checked out when it was first read. */
  branch: string | undefined
}

/** Finds the working tree of a content folder. @throws HubError `unavailable` with what must be set up first */
export async function findWorkTree(
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<WorkTree> {
  const content = await realpath(contentDir).catch((cause: unknown) => {
    throw gitNotSetUp('The content folder does not exist. Create it inside a git repository', cause)
  })
  if (!openFolder(contentDir).isPlain(''))
    throw gitNotSetUp(
      'The content folder is a symbolic link. Set CONTENT_DIR to the folder that it points to',
      contentDir,
    )
  const args = ['rev-parse', '--show-toplevel', '--show-prefix', '--absolute-git-dir']
  const { code, stdout, stderr } = await createGit(content, environment).tryRun(args)
  const [folder = '', prefix = '', gitFolder = ''] = stdout.toString().split('\n')
  if (code !== 0 || folder === '') throw gitNotOpened(stderr)
  const ownFolder = join(gitFolder, 'prompt-hub')
  return {
    git: createGit(folder, environment),
    folder,
    gitFolder,
    ownFolder,
    record: join(ownFolder, 'publishing.json'),
    indexLock: join(gitFolder, 'index.lock'),
    prefix,
    branch: undefined,
  }
}

/** Seconds until a retry: someone must set up git first, so an immediate retry is useless. */
const SETUP_RETRY_SECONDS = 60

/** Returns the error for a git repository that someone must set up first. @param what the beginning of a sentence; "…, and try again." follows */
function gitNotSetUp(what: string, cause: unknown): HubError {
  return new HubError('unavailable', `${what}, and try again.`, { cause, retryAfterSeconds: SETUP_RETRY_SECONDS })
}

/** Returns the error for a state that someone must resolve first. @param what the beginning of a sentence */
export function gitNotReady(what: string, cause?: unknown): HubError {
  return new HubError('unavailable', `${what}. Nothing was published.`, {
    cause,
    retryAfterSeconds: SETUP_RETRY_SECONDS,
  })
}

/** Returns the error for something that a publish would overwrite. @param what the beginning of a sentence */
export const mustCommitFirst = (what: string): HubError => gitNotReady(`${what}. Commit, move or remove that first`)

/** Reads the head. @throws HubError `unavailable` if there is none, or if git cannot read it */
export async function readHead(git: Git, signal?: AbortSignal): Promise<string> {
  const { code, stdout, stderr } = await git.tryRun(['rev-parse', '--verify', 'HEAD^{commit}'], signal && { signal })
  if (code === 0) return stdout.toString().trim()
  // Git has the same message for a branch without commits and for a commit whose file is missing.
  const named = await git.tryRun(['rev-parse', '--verify', '--quiet', 'HEAD'])
  if (named.code !== 0 && named.stderr === '')
    throw gitNotSetUp('The git repository of the content has no commits yet. Create a first commit', undefined)
  throw gitNotOpened(stderr)
}

const OWNER_REFUSED = /dubious ownership|unsafe repository/

/** Returns whether git refused a repository because its folder belongs to another user. @param said git's message */
export const isOwnerRefused = (said: string): boolean => OWNER_REFUSED.test(said)

/** What git's messages mean for the hub: the beginning of a sentence; "…, and try again." follows. Messages differ between versions of git. */
const MEANINGS = [
  [
    OWNER_REFUSED,
    "Git refuses to open the content's repository, because the folder belongs to another user. Run this as the user who owns the folder, or add the folder to git's setting safe.directory",
  ],
  [/not a git repository/, 'The content folder is not in a git repository. Run git init, create a first commit'],
] as const

/** Returns the error for a repository that git cannot open or read. @param said git's own message, which only the operator sees, because it contains paths */
export function gitNotOpened(said: string): HubError {
  const [, meaning] = MEANINGS.find(([pattern]) => pattern.test(said)) ?? []
  return gitNotSetUp(
    meaning ?? "Git cannot read the content's repository; see the hub's log for its message. Repair the repository",
    new GitFailure(said.trim()),
  )
}

/** Returns the short name of a branch. @param branch `refs/heads/…` */
export const branchNameOf = (branch: string): string => branch.replace(/^refs\/heads\//, '')

/** Converts an error of the git process or of the file system to an error of the interface. */
export function toGitError(cause: unknown, contentDir: string, isWriting: boolean): HubError {
  const { code, syscall }: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error()
  // A process cannot start without its program, nor without its folder. Of a folder that cannot be made, Node can report ENOENT too.
  if (code === 'ENOENT' && syscall?.startsWith('spawn'))
    return existsSync(contentDir)
      ? gitNotSetUp('Git was not found. Install git', cause)
      : gitNotSetUp('The content folder was removed. Restore it', cause)
  // A full disk or missing permissions are not the client's fault.
  if (isWriting && (cause instanceof GitFailure || syscall !== undefined || code === 'ERR_SQLITE_ERROR'))
    return gitNotReady(
      "The content's git repository cannot be written: its disk may be full or read-only; see the hub's log",
      cause,
    )
  return new HubError('upstream_error', 'Git failed. See the hub’s log for the reason.', { cause })
}
