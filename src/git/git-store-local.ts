// Implements the git store with a local working tree: reads the head commit, and writes commits to the index and the working tree.
import { HubError } from '../domain/api/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Git } from './git-command.ts'
import { commitFiles, findPublishing, finishPublish } from './git-commit.ts'
import { GitFailure, OutputTooLong } from './git-failure.ts'
import { type GitObject, listEntries, listTree, readObjects } from './git-objects.ts'
import { checkBranch, takeTurn, tryToWrite } from './git-ready.ts'
import {
  decodeText,
  type FolderQuery,
  type FolderState,
  fileTooLongError,
  findVersions,
  formatMessage,
  type GitStore,
  listChangedFiles,
  listReadPaths,
  notAFileError,
  notFilesError,
  type PublishMark,
  parseMessage,
} from './git-store.ts'
import { findWorkTree, readHead, toGitError, type WorkTree } from './git-work-tree.ts'

/** The location of the content, and git's environment. */
export interface LocalGitOptions {
  /** The content folder: any folder of a working tree, with any name. */
  contentDir: string
  /** Usually `process.env`, for PATH and HOME; its GIT_* variables are not used. */
  environment: Readonly<Record<string, string | undefined>>
  /** Receives messages for the user; writes to the console by default. */
  warn?: (message: string, cause?: unknown) => void
  /** Leaves an interrupted publish as it is, so that reads write nothing. */
  isReadOnly?: boolean
}

/** The local git store, with a working tree to keep in sync. */
export interface LocalGit extends GitStore {
  /**
   * Completes a publish that was interrupted. Call it on startup, and before the content folder is read for a build. When nothing is left to complete, later calls start no process.
   *
   * @throws HubError `unavailable` if this is not possible now; in that case, published versions may be missing from the content folder
   */
  finishPublishes(): Promise<void>
  /** Checks that a publish could be written, and removes what a killed process left: nobody holds the index for longer than a git command takes, and the disk has space. @throws HubError `unavailable` with the fix */
  checkWriting(): Promise<void>
}

/** A publish creates about seven loose objects; packing this many takes a second or two. */
const COMMITS_BETWEEN = 64
/** Maximum number of publishes that are read from the history. docs/contract.md section 7. */
const PUBLISHES_REMEMBERED = 100
/** Maximum number of times to read the head while others commit. */
const MAX_READS = 10
/** Maximum size of a file or folder, with the line that git writes before it. A folder of a thousand versions has a twentieth of this. */
const MAX_OBJECT_BYTES = LIMITS.requestBytes + 256

const OBJECT_ID = /^[0-9a-f]{40,64}$/

const WRITING = { isWriting: true }

/**
 * The git store for a working tree. It commits to the branch that was checked out when the store was first used, and only while that branch is checked out. The user's other changes, staged or not, are left unchanged; a commit is rejected if it would overwrite an uncommitted file. Several processes may do this at once.
 */
export function openLocalGit({
  contentDir,
  environment,
  warn = console.warn,
  isReadOnly = false,
}: LocalGitOptions): LocalGit {
  let known: WorkTree | undefined
  let hasFinished = false
  let commits = 0
  /** Uses the working tree, and converts errors. @param isWriting whether no other hub process may write meanwhile, and what fails is a write, because of a full disk or missing permissions */
  const use = async <Value>(
    run: (tree: WorkTree) => Promise<Value>,
    { signal, isWriting = false }: { signal?: AbortSignal; isWriting?: boolean } = {},
  ): Promise<Value> => {
    try {
      known ??= await findWorkTree(contentDir, environment)
      using _turn = isWriting ? await takeTurn(known) : undefined
      return await run(known)
    } catch (cause) {
      if (cause instanceof HubError) throw cause
      if (signal?.aborted) throw new HubError('unavailable', 'Reading git took too long. Try again.', { cause })
      throw toGitError(cause, contentDir, isWriting)
    }
  }
  const finish = () => use((tree) => finishPublish(tree, warn), WRITING)
  return {
    async finishPublishes() {
      if (hasFinished && !(await use(findPublishing))) await use(checkBranch)
      else {
        await finish()
        await use(checkHead)
        hasFinished = true
      }
    },
    async checkWriting() {
      await use(async (tree) => {
        await finishPublish(tree, warn)
        await tryToWrite(tree)
      }, WRITING)
      await use(checkHead)
    },
    readFolder: (question, { signal }) =>
      use(
        async (tree) => {
          // What a killed process has committed is written to the working tree first; otherwise, its files would never appear there.
          if (!isReadOnly && (await findPublishing(tree))) await finish()
          return await readFolder(tree, question, signal)
        },
        { signal },
      ),
    readBlob: (id, { signal, maxBytes = LIMITS.requestBytes }) =>
      use(
        ({ git }) => {
          if (!OBJECT_ID.test(id)) throw new Error('expected the id of a blob')
          const tooLong = refuseLonger(`The file with the ID ${id}`, maxBytes)
          return git.run(['cat-file', 'blob', id], { signal, maxBytes }).catch(tooLong)
        },
        { signal },
      ),
    listFolder: (id, { signal }) =>
      use(
        async ({ git }) => {
          if (!OBJECT_ID.test(id)) throw new Error('expected the id of a tree')
          const files = [...(await listTree(git, id, [], signal))]
          if (files.some(([, { mode }]) => !mode.startsWith('100'))) throw notFilesError()
          return new Map(files.map(([path, file]) => [path, file.id]))
        },
        { signal },
      ),
    commit: (additions, { signal }) => {
      const files = listChangedFiles(additions)
      const message = formatMessage(additions.message)
      if (signal.aborted) return Promise.resolve({ kind: 'busy', retryAfterSeconds: 1 })
      return use(async (tree) => {
        if (await findPublishing(tree)) await finishPublish(tree, warn)
        const outcome = await commitFiles(tree, additions.base.head, files, message, warn)
        if (outcome.kind === 'committed' && ++commits % COMMITS_BETWEEN === 0)
          maintain(tree.git).catch((cause: unknown) =>
            warn('Git maintenance failed. It runs again after more publishes.', cause),
          )
        return outcome
      }, WRITING)
    },
  }
}

/** Reads the state of git, and the head. @throws HubError like `checkBranch`; also if there is no commit */
async function checkHead(tree: WorkTree): Promise<void> {
  await checkBranch(tree)
  await readHead(tree.git)
}

/** Runs maintenance now, in small steps, unless the user's git configuration disables it (`maintenance.auto`) or another process is running it. @throws GitFailure */
export async function maintain(git: Git): Promise<void> {
  if ((await git.find(['config', '--type=bool', '--get', 'maintenance.auto'])) === 'false') return
  // Git limits each step to 50,000 objects, and to packs of at most 2 GB in total. Only one thread is used, so that the remaining CPU cores are available for publishing.
  const modest = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=100m']
  const tasks = ['--task=loose-objects', '--task=incremental-repack']
  await git.run([...modest, 'maintenance', 'run', '--auto', '--quiet', ...tasks])
  // With a Bloom filter of each commit's paths, finding the last publishes of a repository does not walk the whole history.
  await git.run(['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress'])
}

async function readFolder(tree: WorkTree, question: FolderQuery, signal: AbortSignal): Promise<FolderState> {
  const { git, prefix } = tree
  const { repository, history, ownerIndex: ownerPath } = listReadPaths(question)
  await checkBranch(tree, signal)
  const paths = [
    ownerPath,
    ...(repository ? [repository.index, repository.versions, repository.results, repository.folder] : []),
  ]
  // One process reads them all, with the head before and after them, so that they belong to the same commit.
  const names = ['HEAD', ...paths.map((path) => `HEAD:${prefix}${path}`), 'HEAD']
  const run = { signal, maxBytes: names.length * MAX_OBJECT_BYTES }
  for (let attempt = 0; attempt < MAX_READS; attempt++) {
    const [head, ...found] = await readObjects(git, names, run).catch(async (error: unknown) => {
      // That says what is wrong.
      if (error instanceof GitFailure) await readHead(git, signal)
      return refuseLonger(`A file or folder of ${history}`, LIMITS.requestBytes)(error)
    })
    if (head === undefined) await readHead(git, signal)
    if (head === undefined || head.id !== found.pop()?.id) continue
    const [ownerIndex, index, versions, results, folder] = found
    return {
      head: head.id,
      headMs: undefined,
      nowMs: undefined,
      publishes: question.withPublishes ? await readPublishes(git, head.id, `${prefix}${history}`, signal) : [],
      ...findVersions(listEntries(versions), listEntries(results)),
      tree: folder?.type === 'tree' ? folder.id : undefined,
      index: repository && textOf(repository.index, index),
      ownerIndex: textOf(ownerPath, ownerIndex),
    }
  }
  throw new HubError('unavailable', 'The branch moved while it was read. Try again.')
}

function textOf(path: string, found: GitObject | undefined): string | undefined {
  if (found === undefined) return undefined
  if (found.type !== 'blob') throw notAFileError(path)
  if (found.bytes.length > LIMITS.requestBytes) throw fileTooLongError(`content/${path}`, LIMITS.requestBytes)
  return decodeText(path, found.bytes)
}

/** Converts the error for too long an output; throws any other error again. */
const refuseLonger = (what: string, maxBytes: number) => (thrown: unknown) => {
  throw thrown instanceof OutputTooLong ? fileTooLongError(what, maxBytes) : thrown
}

async function readPublishes(git: Git, head: string, path: string, signal: AbortSignal): Promise<PublishMark[]> {
  const args = ['log', '-z', '--no-color', '--format=%H%n%B', `-n${PUBLISHES_REMEMBERED}`]
  const log = await git.run([...args, head, '--', path], { signal })
  return log
    .toString()
    .split('\0')
    .filter((commit) => commit !== '')
    .map((commit) => {
      const end = commit.indexOf('\n')
      return { sha: commit.slice(0, end), url: null, atMs: undefined, ...parseMessage(commit.slice(end + 1)) }
    })
}
