// Implements the git store with a local working tree: reads the head commit, and writes commits to the index and the working tree.
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError } from '../domain/api/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { openFolder } from '../files/plain-files.ts'
import { createGit, type Git } from './git-command.ts'
import { commitFiles, finishPublish, hasNotStarted, withWriteErrors } from './git-commit.ts'
import { GitFailure, OutputTooLong } from './git-failure.ts'
import {
  fileTooLongError,
  findVersionFolders,
  findVersions,
  formatMessage,
  listChangedFiles,
  listReadPaths,
  notAFileError,
  notFilesError,
  parseMessage,
} from './git-files.ts'
import { findPublishing, makeOwnFolder, tryToWrite } from './git-index-lock.ts'
import { countCommits } from './git-maintenance.ts'
import { listTree, readObjects } from './git-objects.ts'
import { checkBranch, checkWorkTree, gitNotOpened, gitNotSetUp, readHead, type WorkTree } from './git-standing.ts'
import { decodeText, type FolderQuery, type FolderState, type GitStore, type PublishMark } from './git-store.ts'
import { listEntries } from './git-trees.ts'
import { withLock } from './process-lock.ts'

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
   * Completes a publish that was interrupted. Call it on startup, and before the content folder is read for a build.
   *
   * @throws HubError `unavailable` if this is not possible now; in that case, published versions may be missing from the content folder
   */
  finishPublishes(): Promise<void>
  /** Checks that a publish could be written: nobody holds the index for longer than a git command takes, and the disk has space. @throws HubError `unavailable` with the fix */
  checkWriting(): Promise<void>
  /** Returns whether nothing is left to complete and the branch of the hub is checked out. Starts no process. */
  isSettled(): Promise<boolean>
}

/** Maximum number of publishes that are read from the history. docs/contract.md section 7. */
const PUBLISHES_REMEMBERED = 100
/** Maximum number of times to read the head while others commit. */
const MAX_READS = 10
/** Maximum size of a file or folder, with the line that git writes before it. A folder of a thousand versions has a twentieth of this. */
const MAX_OBJECT_BYTES = LIMITS.requestBytes + 256

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
  const locate = async (): Promise<WorkTree> => {
    known ??= await findWorkTree(contentDir, environment)
    return known
  }
  const finish = async (tree: WorkTree) => inTurn(tree, () => finishPublish(tree, warn))
  const noteCommit = countCommits(warn)
  const convertErrors = <Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> =>
    work().catch((cause: unknown) => {
      throw toGitError(cause, contentDir, signal)
    })
  return {
    finishPublishes: () =>
      convertErrors(undefined, async () => {
        const tree = await locate()
        await finish(tree)
        await checkWorkTree(tree)
      }),
    checkWriting: () =>
      convertErrors(undefined, async () => {
        const tree = await locate()
        await withWriteErrors(() => tryToWrite(tree))
      }),
    isSettled: () =>
      locate()
        .then(async (tree) => (await findPublishing(tree)) === undefined && (await checkBranch(tree)) !== undefined)
        .catch(() => false),
    readFolder: (question, { signal }) =>
      convertErrors(signal, async () => {
        const tree = await locate()
        // What a killed process has committed is written to the working tree first; otherwise, its files would never appear there.
        if (!isReadOnly && (await findPublishing(tree)) !== undefined) await finish(tree)
        return await readFolder(tree, question, signal)
      }),
    readBlob: (id, { signal, maxBytes = LIMITS.requestBytes }) =>
      convertErrors(signal, async () => {
        const { git } = await locate()
        if (!/^[0-9a-f]{40,64}$/.test(id)) throw new Error('expected the id of a blob')
        const tooLong = refuseLonger(`The file with the ID ${id}`, maxBytes)
        return await git.run(['cat-file', 'blob', id], { signal, maxBytes }).catch(tooLong)
      }),
    listFolder: (id, { signal }) =>
      convertErrors(signal, async () => {
        const { git } = await locate()
        if (!/^[0-9a-f]{40,64}$/.test(id)) throw new Error('expected the id of a tree')
        const files = [...(await listTree(git, id, [], signal))]
        if (files.some(([, { mode }]) => !mode.startsWith('100'))) throw notFilesError()
        return new Map(files.map(([path, file]) => [path, file.id]))
      }),
    commit: (additions, { signal }) => {
      const files = listChangedFiles(additions)
      const message = formatMessage(additions.message)
      if (signal.aborted) return Promise.resolve({ kind: 'busy', retryAfterSeconds: 1 })
      return convertErrors(undefined, async () => {
        const tree = await locate()
        return inTurn(tree, async () => {
          if ((await findPublishing(tree)) !== undefined) await finishPublish(tree, warn)
          const outcome = await commitFiles(tree, additions, files, message, warn)
          if (outcome.kind === 'committed') noteCommit(tree.git)
          return outcome
        })
      })
    },
  }
}

/** Runs work that writes to git, while no other hub process writes. */
function inTurn<Value>(tree: WorkTree, work: () => Promise<Value>): Promise<Value> {
  return withWriteErrors(async () => {
    await makeOwnFolder(tree)
    return withLock(join(tree.ownFolder, 'turn'), work)
  })
}

async function findWorkTree(contentDir: string, environment: LocalGitOptions['environment']): Promise<WorkTree> {
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
  const places = { ownFolder: join(gitFolder, 'prompt-hub'), indexLock: join(gitFolder, 'index.lock') }
  return { git: createGit(folder, environment), folder, gitFolder, ...places, prefix, branch: undefined }
}

async function readFolder(tree: WorkTree, question: FolderQuery, signal: AbortSignal): Promise<FolderState> {
  const { git, prefix } = tree
  const { repository, history, ownerIndex: ownerPath } = listReadPaths(question)
  await checkBranch(tree, signal)
  const paths = [
    ownerPath,
    ...(repository ? [repository.index, repository.versions, repository.results, repository.folder] : []),
  ]
  const read = readAtHead(tree, paths, signal).catch(
    refuseLonger(`A file or folder of ${history}`, LIMITS.requestBytes),
  )
  const [head, ownerIndex, index, folder, resultFolder, whole] = await read
  const publishes = question.withPublishes ? await readPublishes(git, head, `${prefix}${history}`, signal) : []
  const textOf = (path: string, found: typeof folder): string | undefined => {
    if (found && found.type !== 'blob') throw notAFileError(path)
    if (found && found.bytes.length > LIMITS.requestBytes)
      throw fileTooLongError(`content/${path}`, LIMITS.requestBytes)
    return found && decodeText(path, found.bytes)
  }
  const entriesOf = (found: typeof folder) =>
    found?.type === 'tree' ? listEntries(found) : { files: new Map(), folders: new Map() }
  const { files, folders } = entriesOf(folder)
  return {
    head,
    headMs: undefined,
    nowMs: undefined,
    publishes,
    versions: findVersions(question, files),
    folders: findVersionFolders(folders),
    tree: whole?.type === 'tree' ? whole.id : undefined,
    results: findVersionFolders(entriesOf(resultFolder).folders),
    index: repository && textOf(repository.index, index),
    ownerIndex: textOf(ownerPath, ownerIndex),
  }
}

/** Reads objects of the head by path. One process reads them all, with the head before and after them, so that they belong to the same commit. */
async function readAtHead({ git, prefix }: WorkTree, paths: readonly string[], signal: AbortSignal) {
  const names = ['HEAD', ...paths.map((path) => `HEAD:${prefix}${path}`), 'HEAD']
  for (let attempt = 0; attempt < MAX_READS; attempt++) {
    const run = { signal, maxBytes: names.length * MAX_OBJECT_BYTES }
    const [head, ...found] = await readObjects(git, names, run).catch(async (error: unknown) => {
      if (error instanceof GitFailure) await readHead(git, signal)
      throw error
    })
    // That says what is wrong.
    if (head === undefined) await readHead(git, signal)
    else if (head.id === found.pop()?.id) return [head.id, ...found] as const
  }
  throw new HubError('unavailable', 'The branch moved while it was read. Try again.')
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

/** Converts an error of the git process to an error of the port. */
function toGitError(cause: unknown, contentDir: string, signal: AbortSignal | undefined): HubError {
  if (cause instanceof HubError) return cause
  if (signal?.aborted) return new HubError('unavailable', 'Reading git took too long. Try again.', { cause })
  // A process cannot start without its program, nor without its folder.
  if (hasNotStarted(cause))
    return existsSync(contentDir)
      ? gitNotSetUp('Git was not found. Install git', cause)
      : gitNotSetUp('The content folder was removed. Restore it', cause)
  return new HubError('upstream_error', 'Git failed. See the hub’s log for the reason.', { cause })
}
