// Implements the git store with GitHub: one GraphQL query per folder, one mutation per commit. Verifies the hash of each blob.
import { LRUCache } from 'lru-cache'
import * as z from 'zod'
import { HubError } from '../domain/api/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import {
  blobId,
  type CallOptions,
  type CommitOutcome,
  decodeText,
  fileTooLongError,
  findVersions,
  formatMessage,
  type GitStore,
  listChangedFiles,
  listReadPaths,
  notAFileError,
  notFilesError,
  parseMessage,
} from '../git/git-store.ts'
import { connectGitHub, type GitHubConnection, type GitHubOptions, type HostFacts } from './github-connection.ts'
import {
  BLOB_QUERY,
  BlobAnswer,
  type BlobFile,
  COMMIT_MUTATION,
  CommitAnswer,
  FOLDER_QUERY,
  FolderAnswer,
  RestBlob,
  RestTree,
  verifiedBytes,
} from './github-queries.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Size of the cached blobs, which never change: 64 of the longest contents. */
const KEPT_BYTES = 64 * LIMITS.contentBytes
/** Maximum accepted pause, because GitHub's limits reset every hour. */
const MAX_PAUSE_MS = 3_600_000

/** Returns the git store for a branch of a repository on GitHub. Each function makes one call; the caller decides about retries. */
export function openGitHub(options: GitHubOptions): GitStore & { hostFacts: () => HostFacts } {
  const { repository, branch } = options
  const [owner = '', name = ''] = repository.split('/')
  const place = { owner, name }
  const { connect, hostTime, hostFacts } = connectGitHub(options)
  const kept = new LRUCache<string, Bytes>({ maxSize: KEPT_BYTES, sizeCalculation: ({ length }) => length + 1 })
  /** When the pause that GitHub requested ends, by the monotonic clock. Calls made before then would be rejected and prolong the pause. */
  let pauseEndsMs = 0
  const secondsOfPause = () => Math.max(0, Math.ceil((pauseEndsMs - performance.now()) / 1000))

  const keep = (id: string, bytes: Bytes): Bytes => {
    kept.set(id, bytes)
    return bytes
  }
  const fetchBytes = async (octokit: GitHubConnection, id: string, request: CallOptions): Promise<Bytes> => {
    const route = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}'
    const answer = await octokit.request(route, { owner, repo: name, file_sha: id, request })
    const bytes = Uint8Array.from(Buffer.from(RestBlob.parse(answer.data).content, 'base64'))
    if (blobId(bytes) !== id) throw new Error('the bytes of a blob do not match its ID')
    return keep(id, bytes)
  }
  const readText = async (
    octokit: GitHubConnection,
    path: string,
    file: z.infer<typeof BlobFile>,
    request: CallOptions,
  ) => {
    if (!file) return undefined
    if (!file.object) throw notAFileError(path)
    if (file.object.byteSize > LIMITS.requestBytes) throw fileTooLongError(`content/${path}`, LIMITS.requestBytes)
    return decodeText(path, verifiedBytes(file.object) ?? (await fetchBytes(octokit, file.object.oid, request)))
  }

  /** Classifies a failure, and starts the pause that it requests. */
  const judge = async (thrown: unknown) => {
    // Imported on the first failure, because most calls succeed.
    const { classifyFailure, toPortError } = await import('./github-failures.ts')
    const failure = classifyFailure(thrown, Date.now())
    if (failure.kind === 'limited') {
      const ms = Math.min(failure.retryAfterSeconds * 1000, MAX_PAUSE_MS)
      pauseEndsMs = Math.max(pauseEndsMs, performance.now() + ms)
    }
    return { failure, error: toPortError(failure, thrown) }
  }
  const asRead = async <Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> => {
    const leftSeconds = secondsOfPause()
    if (leftSeconds > 0) throw pauseError(leftSeconds)
    try {
      signal.throwIfAborted()
      return await work()
    } catch (thrown) {
      if (thrown instanceof HubError) throw thrown
      throw (await judge(thrown)).error
    }
  }
  /** Connects before a mutation is sent. Nothing can have been written at this point, so a failure either means that the host is busy or is permanent. */
  const connectToWrite = async (signal: AbortSignal): Promise<GitHubConnection | CommitOutcome> => {
    const busy = (retryAfterSeconds: number): CommitOutcome => ({ kind: 'busy', retryAfterSeconds })
    const leftSeconds = secondsOfPause()
    if (leftSeconds > 0) return busy(leftSeconds)
    try {
      const octokit = await connect(signal)
      return signal.aborted ? busy(1) : octokit
    } catch (thrown) {
      const { failure, error } = await judge(thrown)
      if (failure.kind === 'refused' || failure.kind === 'absent') throw error
      return busy(failure.kind === 'limited' ? failure.retryAfterSeconds : 1)
    }
  }

  return {
    hostFacts,
    readFolder: (question, request) =>
      asRead(request.signal, async () => {
        const octokit = await connect(request.signal)
        const { repository: paths, history, ownerIndex } = listReadPaths(question)
        const answer = await octokit.graphql<unknown>(FOLDER_QUERY, {
          ...place,
          branch: `refs/heads/${branch}`,
          history: `content/${history}`,
          // Ignored for an owner, but the query requires them.
          versions: `content/${paths?.versions ?? ownerIndex}`,
          results: `content/${paths?.results ?? ownerIndex}`,
          folder: `content/${paths?.folder ?? ownerIndex}`,
          index: `content/${paths?.index ?? ownerIndex}`,
          ownerIndex: `content/${ownerIndex}`,
          withRepository: paths !== undefined,
          withPublishes: question.withPublishes ?? false,
          request,
        })
        const target = FolderAnswer.parse(answer).repository.ref?.target
        if (!target)
          throw new HubError(
            'upstream_error',
            'The branch that the hub publishes to does not exist. Create it with a first commit.',
          )
        return {
          head: target.oid,
          headMs: target.committedDate,
          nowMs: hostTime(),
          ...findVersions(target.versions?.object?.entries ?? [], target.results?.object?.entries ?? []),
          tree: target.folder?.object?.oid,
          index: paths && (await readText(octokit, paths.index, target.index ?? null, request)),
          ownerIndex: await readText(octokit, ownerIndex, target.ownerIndex, request),
          publishes: (target.history?.nodes ?? [])
            .filter((mark) => mark !== null)
            .map(({ oid, url, message, committedDate }) => ({
              sha: oid,
              url,
              atMs: committedDate,
              ...parseMessage(message),
            })),
        }
      }),

    readBlob: async (id, { signal, maxBytes = LIMITS.requestBytes }) => {
      const known = kept.get(id)
      if (known && known.length <= maxBytes) return known
      return await asRead(signal, async () => {
        const request = { signal }
        const octokit = await connect(request.signal)
        const answer = await octokit.graphql<unknown>(BLOB_QUERY, { ...place, id, request })
        const blob = BlobAnswer.parse(answer).repository.object
        if (!blob) throw new HubError('upstream_error', 'The git host lists a file but did not return it. Try again.')
        if (blob.byteSize > maxBytes) throw fileTooLongError(`The file with the ID ${id}`, maxBytes)
        const bytes = blob.oid === id ? verifiedBytes(blob) : undefined
        return bytes ? keep(id, bytes) : await fetchBytes(octokit, id, request)
      })
    },

    listFolder: (id, request) =>
      asRead(request.signal, async () => {
        const octokit = await connect(request.signal)
        const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}'
        const answer = await octokit.request(route, { owner, repo: name, tree_sha: id, recursive: 'true', request })
        const { tree, truncated } = RestTree.parse(answer.data)
        const files = tree.filter(({ type }) => type !== 'tree')
        if (truncated || files.some(({ mode }) => !mode.startsWith('100'))) throw notFilesError()
        return new Map(files.map(({ path, sha }) => [path, sha]))
      }),

    commit: async (additions, request) => {
      const files = listChangedFiles(additions)
      const message = formatMessage(additions.message)
      const octokit = await connectToWrite(request.signal)
      if ('kind' in octokit) return octokit
      const input = {
        branch: { repositoryNameWithOwner: repository, branchName: branch },
        expectedHeadOid: additions.base.head,
        message,
        fileChanges: {
          additions: files.flatMap(({ path, bytes }) =>
            bytes ? [{ path: `content/${path}`, contents: Buffer.from(bytes).toString('base64') }] : [],
          ),
          deletions: files.flatMap(({ path, bytes }) => (bytes ? [] : [{ path: `content/${path}` }])),
        },
      }
      try {
        const answer = CommitAnswer.parse(await octokit.graphql<unknown>(COMMIT_MUTATION, { input, request }))
        // The next publish to the repository compares with this version, so caching it here saves a fetch.
        for (const { path, bytes } of files) if (bytes && /\.(?:md|yml)$/.test(path)) keep(blobId(bytes), bytes)
        return committed(answer)
      } catch (thrown) {
        // GitHub may send the commit together with an error about one of its fields; in that case, the commit exists.
        const made = z.object({ data: CommitAnswer }).safeParse(thrown)
        if (made.success) return committed(made.data.data)
        const { failure, error } = await judge(thrown)
        if (failure.kind === 'moved') return failure
        if (failure.kind === 'limited') return { ...failure, kind: 'busy' }
        if (failure.kind === 'refused') throw error
        return { kind: 'unknown', cause: error.cause }
      }
    },
  }
}

function committed({ createCommitOnBranch: { commit } }: z.infer<typeof CommitAnswer>): CommitOutcome {
  return { kind: 'committed', sha: commit.oid, url: commit.url, atMs: commit.committedDate }
}

function pauseError(leftSeconds: number): HubError {
  return new HubError('unavailable', `The git host is limiting requests. Try again in ${leftSeconds} s.`, {
    retryAfterSeconds: leftSeconds,
  })
}
