// Owns git as a work tree on this machine: what is read is the head commit, and a commit also shows in index and work tree.
import { realpath } from 'node:fs/promises'
import { HubError } from '../domain/api/errors.ts'
import {
  type Additions,
  type CommitOutcome,
  decodeText,
  type FolderQuestion,
  type FolderState,
  formatMessage,
  type GitStore,
  listAddedFiles,
  listReadPaths,
  type PublishMark,
  parseMessage,
  versionOfEntry,
} from '../ports/git-store.ts'
import { createGit, type Git } from './git-command.ts'
import { writeCommit } from './git-objects.ts'
import { bringIn, findObstacle, readHead, type WorkTree } from './git-work-tree.ts'

/** Where the content lies, and what git may know of the environment. */
export interface LocalGitOptions {
  /** The content folder: any folder of a work tree, under any name. */
  contentDir: string
  /** Usually that of the process, for PATH and HOME; its GIT_* variables are not used. */
  environment: Readonly<Record<string, string | undefined>>
  /** Told what a person should know although the commit stands; the console by default. */
  warn?: (message: string, cause?: unknown) => void
}

/** Setting up git is the work of a person, so asking again at once is of no use. */
const SETUP_RETRY_SECONDS = 60
/** How many publishes a question looks back at. docs/contract.md section 7. */
const PUBLISHES_REMEMBERED = 100

/**
 * The git store over a work tree. It commits on HEAD: on the branch that is checked out, or, where HEAD is detached, on HEAD itself and on no
 * branch, which it warns of. Other changes of the user, staged or not, stay as they are; a file that is not committed and lies
 * where ours would makes it refuse. Several processes may do this at once.
 */
export function openLocalGit({ contentDir, environment, warn = console.warn }: LocalGitOptions): GitStore {
  let known: WorkTree | undefined
  const locate = async (): Promise<WorkTree> => {
    known ??= await findWorkTree(contentDir, environment)
    return known
  }
  return {
    readFolder: (question, { signal }) =>
      sayTrouble(signal, async () => {
        const { git, prefix } = await locate()
        return await readFolder(git, prefix, question, signal)
      }),
    readBlob: (id, { signal }) =>
      sayTrouble(signal, async () => {
        const { git } = await locate()
        if (!/^[0-9a-f]{40,64}$/.test(id)) throw new Error('expected the id of a blob')
        return await git.run(['cat-file', 'blob', id], { signal })
      }),
    commit: (additions, { signal }) => {
      const files = listAddedFiles(additions)
      const message = formatMessage(additions.message)
      if (signal.aborted) return Promise.resolve({ kind: 'busy', retryAfterSeconds: 1 })
      return sayTrouble(undefined, async () => commitFiles(await locate(), additions, files, message, warn))
    },
  }
}

async function findWorkTree(contentDir: string, environment: LocalGitOptions['environment']): Promise<WorkTree> {
  const content = await realpath(contentDir).catch((cause: unknown) => {
    throw notSetUp('The content folder does not exist. Create it inside a git repository', cause)
  })
  const args = ['rev-parse', '--show-toplevel', '--show-prefix', '--absolute-git-dir']
  const { code, stdout, stderr } = await createGit(content, environment).tryRun(args)
  const [folder = '', prefix = '', gitFolder = ''] = stdout.toString().split('\n')
  if (code !== 0 || folder === '')
    throw notSetUp(
      'The content folder lies in no git repository that can be used. Run git init, make a first commit',
      stderr,
    )
  return { git: createGit(folder, environment), folder, gitFolder, prefix }
}

async function readFolder(
  git: Git,
  prefix: string,
  question: FolderQuestion,
  signal: AbortSignal,
): Promise<FolderState> {
  const paths = listReadPaths(question)
  const head = await readHead(git, signal)
  if (head === undefined)
    throw notSetUp('The git repository of the content has no commit yet. Make a first commit', undefined)
  const folder = `${prefix}${paths.versions}/`
  const wanted = [folder, `${prefix}${paths.index}`, `${prefix}${paths.ownerIndex}`]
  const listing = await git.run(['ls-tree', '-z', '--full-tree', head, '--', ...wanted], { signal })
  const blobs = new Map<string, string>()
  for (const line of listing.toString().split('\0')) {
    const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
    if (id !== undefined && path !== undefined) blobs.set(path, id)
  }
  const readText = async (path: string): Promise<string | undefined> => {
    const id = blobs.get(`${prefix}${path}`)
    return id === undefined ? undefined : decodeText(path, await git.run(['cat-file', 'blob', id], { signal }))
  }
  const [index, ownerIndex, publishes] = await Promise.all([
    readText(paths.index),
    readText(paths.ownerIndex),
    question.publishes ? readPublishes(git, head, `${prefix}${paths.folder}/`, question.publishes.since, signal) : [],
  ])
  const versions = [...blobs].flatMap(([path, id]) => {
    const version = path.startsWith(folder) ? versionOfEntry(question, path.slice(folder.length)) : undefined
    return version === undefined ? [] : [[version, id] as const]
  })
  return { head, versions: new Map(versions), index, ownerIndex, publishes }
}

async function readPublishes(
  git: Git,
  head: string,
  folder: string,
  since: Date | undefined,
  signal: AbortSignal,
): Promise<PublishMark[]> {
  // --since reads a date as people write it, and takes one far ahead for now.
  const limits = [`-n${PUBLISHES_REMEMBERED}`, ...(since ? [`--max-age=${Math.floor(since.getTime() / 1000)}`] : [])]
  const log = await git.run(['log', '-z', '--no-color', '--format=%H%n%B', ...limits, head, '--', folder], { signal })
  return log
    .toString()
    .split('\0')
    .filter((commit) => commit !== '')
    .map((commit) => {
      const end = commit.indexOf('\n')
      return { sha: commit.slice(0, end), url: null, ...parseMessage(commit.slice(end + 1)) }
    })
}

async function commitFiles(
  tree: WorkTree,
  { base }: Additions,
  files: readonly { path: string; text: string }[],
  { headline, body }: { headline: string; body: string },
  warn: NonNullable<LocalGitOptions['warn']>,
): Promise<CommitOutcome> {
  const { git, prefix } = tree
  const placed = files.map(({ path, text }) => ({ path: `${prefix}${path}`, text }))
  const paths = placed.map(({ path }) => path)
  const obstacle = await findObstacle(tree, base.head, paths)
  // What lies in the way may be another process's publish, so the head is looked at after it, and a moved head explains it.
  if ((await readHead(git)) !== base.head) return { kind: 'moved' }
  if (obstacle)
    throw new HubError('unavailable', `${obstacle}. Commit, move or remove that first; nothing was published.`, {
      retryAfterSeconds: SETUP_RETRY_SECONDS,
    })
  const message = body === '' ? `${headline}\n` : `${headline}\n\n${body}\n`
  const sha = await writeCommit(git, { parent: base.head, files: placed, message })
  const outcome = await moveHead(git, { from: base.head, to: sha, reason: headline })
  if (outcome.kind === 'committed') await showCommit(tree, sha, paths, warn)
  return outcome
}

/** The compare-and-swap. git's exit status says only that something went wrong, so history is asked what. */
async function moveHead(
  git: Git,
  { from, to, reason }: { from: string; to: string; reason: string },
): Promise<CommitOutcome> {
  const committed = { kind: 'committed', sha: to, url: null } as const
  const { code } = await git.tryRun(['update-ref', '-m', reason, 'HEAD', to, from])
  if (code === 0) return committed
  try {
    if ((await git.tryRun(['merge-base', '--is-ancestor', to, 'HEAD'])).code === 0) return committed
    // The head still being the old one means that another process held the branch's lock for a moment.
    return (await readHead(git)) === from ? { kind: 'busy', retryAfterSeconds: 1 } : { kind: 'moved' }
  } catch (cause) {
    return { kind: 'unknown', cause }
  }
}

/** The commit stands whatever happens here, so trouble is told to a person and not to the caller. */
async function showCommit(
  tree: WorkTree,
  sha: string,
  paths: readonly string[],
  warn: NonNullable<LocalGitOptions['warn']>,
): Promise<void> {
  try {
    await bringIn(tree, paths)
    if ((await tree.git.tryRun(['symbolic-ref', '--quiet', 'HEAD'])).code === 1)
      warn(`HEAD is detached, so the commit ${sha} is on no branch. git switch -c <branch> keeps it.`)
  } catch (cause) {
    warn(
      `${paths.join(', ')} was committed, but could not be brought into the work tree. git checkout HEAD -- <path> does it.`,
      cause,
    )
  }
}

/** Turns what git's process ran into into errors of the port. */
async function sayTrouble<Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof HubError) throw cause
    if (signal?.aborted) throw new HubError('unavailable', 'Reading git took too long. Try again.', { cause })
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      throw notSetUp('git was not found, or the content folder vanished. Install git', cause)
    throw new HubError('upstream_error', 'git refused to work on the content. The log says why.', { cause })
  }
}

function notSetUp(what: string, cause: unknown): HubError {
  return new HubError('unavailable', `${what}, and try again.`, { cause, retryAfterSeconds: SETUP_RETRY_SECONDS })
}
