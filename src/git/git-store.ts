// The interface to git, the only source of truth: reads a repository at the branch head, and commits only if that is still the head. Also what its drivers share: paths, the files of a commit, and messages.
import { createHash, type Hash } from 'node:crypto'
import { HubError } from '../domain/api/errors.ts'
import { formatPath, type Place, parsePath } from '../domain/content/content-path.ts'
import { attestationName } from '../domain/values/attestation-name.ts'
import { isName, isOwner, isVersion } from '../domain/values/names.ts'

/** A commit that changed this repository's folder, or the owner's file; the hub's commits are recognised by their trailers. */
export interface PublishMark {
  /** The commit in hex: 40 digits, or 64 in a local SHA-256 repository. */
  sha: string
  /** URL of the commit's web page, or null. */
  url: string | null
  /** The trailers of the message, by name: `Version`, `Operation-Id`, `Idempotency-Key`, `Request-Digest`, `Published-By`. */
  trailers: ReadonlyMap<string, string>
  /** The subject line, which the hub writes: `Publish {owner}/{name} {version}`, or `Update {owner}/{name}` for `index.md` alone. */
  headline: string
  /** When the git host made the commit; see `FolderState.headMs`. */
  atMs: number | undefined
}

/** A repository's entire folder at one commit. */
export interface FolderState {
  /** The commit of this snapshot, and the only parent on which additions may be committed. */
  head: string
  /** When the git host made that commit, by the host's clock, in milliseconds since 1970; undefined if this machine is the host. */
  headMs: number | undefined
  /** The git host's time when the snapshot was read, in milliseconds since 1970; undefined if this machine is the host. */
  nowMs: number | undefined
  /** The blob ID of each version file, by version number. */
  versions: ReadonlyMap<string, string>
  /** The tree ID of the folder with a version's files, by version number. */
  folders: ReadonlyMap<string, string>
  /** The tree ID of the repository's whole folder; undefined if there is none. */
  tree: string | undefined
  /** The tree ID of the folder with a version's results, by version number. */
  results: ReadonlyMap<string, string>
  /** The text of `content/{owner}/{name}/index.md`; undefined if there is none. */
  index: string | undefined
  /** The text of `content/{owner}/index.md`; undefined if there is none. */
  ownerIndex: string | undefined
  /** Commits that changed the folder or, without a name, the owner's `index.md`, newest first; empty unless requested. */
  publishes: readonly PublishMark[]
}

/** What to read. */
export interface FolderQuery {
  owner: string
  /** Undefined reads only the owner's `index.md`: there are then no versions and no `index`. */
  name: string | undefined
  /** Whether to read the last 100 commits from the history of the repository's folder or, without a name, of the owner's `index.md`. */
  withPublishes?: boolean
}

/** What to commit: only files below `content/{owner}/{name}/`, the `index.md` of `others` and, without a name, the owner's. Nothing is deleted but what `deleted` and `result` name, and nothing is committed to any other head. */
export interface Additions {
  owner: string
  name: string | undefined
  /**
   * The snapshot on which the commit is based: its head must still be the head, and its listing must not contain the version. If a driver's host replaces files silently, the driver uses the listing to ensure that it replaces none.
   */
  base: Pick<FolderState, 'head' | 'versions'>
  /** The subject and trailers; they contain no user text. */
  message: { headline: string; trailers: readonly (readonly [name: string, value: string])[] }
  /** The new version's file, the files beside its SKILL.md, and its attestations; must not be in the listing of `base`. */
  version:
    | {
        version: string
        text: string
        files?: readonly { path: string; bytes: Uint8Array<ArrayBuffer> }[]
        /** The text of each attestation. */
        attestations?: readonly string[]
      }
    | undefined
  /** The new text of `index.md`, if it changes. */
  index: string | undefined
  /** The result of a test suite for a version in the listing of `base`; without `text`, the result is deleted. */
  result?: { version: string; suite: string; text: string | undefined }
  /** The files of the folder that are deleted, which takes an entry in the `removed` of `index`: paths relative to the repository's folder. */
  deleted?: readonly string[]
  /** Further repositories of the owner whose `index.md` changes in the same commit. */
  others?: readonly { name: string; index: string }[]
}

/** The outcome of a commit. A driver returns `committed` or `moved` only when it is certain; otherwise `unknown`, and the caller checks git. */
export type CommitOutcome =
  | { kind: 'committed'; sha: string; url: string | null; atMs: number | undefined }
  /** The head has moved; nothing was written. */
  | { kind: 'moved' }
  /** Nothing was written; retry after this many seconds. Also returned when a call is aborted before anything was sent. */
  | { kind: 'busy'; retryAfterSeconds: number }
  /** It may or may not have been written: the response was lost or invalid. */
  | { kind: 'unknown'; cause: unknown }

/** The time limit of a call. */
export interface CallOptions {
  /** Aborts the call; a read throws `unavailable`, a commit returns `unknown`, or `busy` if it was certainly not sent. */
  signal: AbortSignal
}

/** The git operations used for publishing. Every driver passes `tests/stores/git-store-contract.ts`. */
export interface GitStore {
  /**
   * Reads a repository's folder at the branch head.
   *
   * @throws HubError `unavailable` when git is down, busy or not set up: with `retryAfterSeconds` if the host requests a pause or someone must fix the setup, without it if the caller can retry immediately; `upstream_error` when the host rejects the call permanently
   */
  readFolder(question: FolderQuery, options: CallOptions): Promise<FolderState>
  /**
   * Reads a file by its blob ID.
   *
   * @returns bytes that may be shared between callers; do not modify them
   * @throws like `readFolder`; HubError `upstream_error` for a file with more than `maxBytes` (default: those of the longest request), which is not read
   */
  readBlob(id: string, options: CallOptions & { maxBytes?: number }): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Lists the files in a folder and its subfolders, by path, with their blob IDs.
   *
   * @throws like `readFolder`; HubError `upstream_error` if there is something other than files and folders
   */
  listFolder(id: string, options: CallOptions): Promise<ReadonlyMap<string, string>>
  /**
   * Commits files if the head has not changed.
   *
   * @throws HubError `upstream_error` when the host rejects the call permanently, `unavailable` when someone must act first (an uncommitted file would be overwritten); nothing was written in either case
   * @throws Error for invalid additions: nothing to commit, a malformed name, an existing version
   */
  commit(additions: Additions, options: CallOptions): Promise<CommitOutcome>
}

/**
 * Decodes a text file.
 *
 * @param path for the error message
 * @throws HubError `upstream_error` when the bytes are not UTF-8, because writing them back would change them
 */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new HubError('upstream_error', `${path} is not valid UTF-8 in git. Fix the file there first.`, { cause })
  }
}

/** Starts computing a blob ID; the blob's bytes are then passed to the returned hash. @param hexDigits as for `blobId` */
export function beginBlobId(size: number, hexDigits: number): Hash {
  return createHash(hexDigits === 64 ? 'sha256' : 'sha1').update(`blob ${size}\0`)
}

/** Computes a blob ID. @param hexDigits 40, or 64 in a SHA-256 repository */
export function blobId(bytes: Uint8Array, hexDigits = 40): string {
  return beginBlobId(bytes.length, hexDigits).update(bytes).digest('hex')
}

/** Computes the tree ID of a folder that has only files, none of them executable. @param files their names, in ASCII, and blob IDs @param hexDigits as for `blobId` */
export function treeId(files: readonly { name: string; id: string }[], hexDigits = 40): string {
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const entries = sorted.flatMap(({ name, id }) => [Buffer.from(`100644 ${name}\0`), Buffer.from(id, 'hex')])
  const body = Buffer.concat(entries)
  const hash = createHash(hexDigits === 64 ? 'sha256' : 'sha1')
  return hash.update(`tree ${body.length}\0`).update(body).digest('hex')
}

/** A file that a commit adds, replaces or deletes. */
export interface ChangedFile {
  path: string
  /** Undefined if the commit deletes the file. */
  bytes: Uint8Array<ArrayBuffer> | undefined
}

/**
 * Lists the files of a commit: never another text for an existing version, and outside of the repository's folder only the `index.md` of others.
 *
 * @returns paths relative to the content folder, and the file contents
 * @throws Error when there is nothing to commit, a name is malformed, or the version exists; any of these is a bug
 */
export function listChangedFiles(additions: Additions): ChangedFile[] {
  const { owner, name, base, version, index, result, deleted = [], others = [] } = additions
  const files: ChangedFile[] = []
  const add = (place: Place, content: string | Uint8Array<ArrayBuffer> | undefined) => {
    const path = formatPath(place)
    if (parsePath(path).problems) throw new Error('a path must consist of valid names only')
    files.push({ path, bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content })
  }
  if (version !== undefined) {
    if (name === undefined) throw new Error('an owner has no versions')
    if (base.versions.has(version.version))
      throw new Error(`${owner}/${name}@${version.version} already exists, and versions are never overwritten`)
    const place = { owner, name, version: version.version }
    // The files come first, so that nobody who reads the folder meanwhile sees a version without its files.
    for (const { path, bytes } of version.files ?? []) add({ kind: 'file', ...place, path }, bytes)
    for (const [at, text] of (version.attestations ?? []).entries())
      add({ kind: 'attestation', ...place, file: attestationName(at) }, text)
    add({ kind: 'version', ...place }, version.text)
  }
  if (index !== undefined)
    add(name === undefined ? { kind: 'owner', owner } : { kind: 'repository', owner, name }, index)
  for (const other of others) add({ kind: 'repository', owner, name: other.name }, other.index)
  if (deleted.length > 0 && (name === undefined || index === undefined))
    throw new Error('what is deleted belongs to a repository, whose index.md says so')
  for (const path of deleted) {
    if (path === 'index.md' || path.split('/').some((part) => part === '' || part === '.' || part === '..'))
      throw new Error('a file of the folder other than its index.md is deleted')
    files.push({ path: `${owner}/${name}/${path}`, bytes: undefined })
  }
  if (result !== undefined) {
    if (name === undefined || !base.versions.has(result.version)) throw new Error('a result needs its version')
    add({ kind: 'result', owner, name, version: result.version, suite: result.suite }, result.text)
  }
  if (files.length === 0) throw new Error('there is nothing to commit')
  return files
}

/** Lists the paths to read, relative to the content folder; `folder`, `versions` and `results` are folders, and `history` is a folder or file. `repository` is undefined without a name. @throws Error for a malformed name */
export function listReadPaths({ owner, name }: FolderQuery): {
  history: string
  repository: { folder: string; versions: string; results: string; index: string } | undefined
  ownerIndex: string
} {
  const ownerIndex = `${owner}/index.md`
  if (!isOwner(owner) || (name !== undefined && !isName(name)))
    throw new Error('a path must consist of valid names only')
  if (name === undefined) return { history: ownerIndex, repository: undefined, ownerIndex }
  const folder = `${owner}/${name}`
  const repository = {
    folder,
    versions: `${folder}/versions`,
    results: `${folder}/results`,
    index: `${folder}/index.md`,
  }
  return { history: folder, repository, ownerIndex }
}

/** An entry of a folder: its name, and the ID and type of its object. */
export interface FolderEntry {
  name: string
  oid: string
  /** `blob` for a file or a link, `tree` for a folder, `commit` for a submodule. */
  type: string
}

/** Finds what belongs to versions. @param versions the entries of the folder `versions` @param results those of `results` */
export function findVersions(
  versions: Iterable<FolderEntry>,
  results: Iterable<FolderEntry>,
): Pick<FolderState, 'versions' | 'folders' | 'results'> {
  const found = {
    versions: new Map<string, string>(),
    folders: new Map<string, string>(),
    results: new Map<string, string>(),
  }
  for (const { name, oid, type } of versions)
    if (type === 'tree' && isVersion(name)) found.folders.set(name, oid)
    else if (type === 'blob' && name.endsWith('.md') && isVersion(name.slice(0, -3)))
      found.versions.set(name.slice(0, -3), oid)
  for (const { name, oid, type } of results) if (type === 'tree' && isVersion(name)) found.results.set(name, oid)
  return found
}

/** Returns the error for a folder with a link or a submodule. */
export function notFilesError(): HubError {
  return new HubError(
    'upstream_error',
    'The folder of a version has a link or a submodule in git. Replace it there first.',
  )
}

/** Returns the error for a path where git has something other than a file. If it counted as missing, nobody would be protected by what the file says. */
export function notAFileError(path: string): HubError {
  return new HubError('upstream_error', `content/${path} is not a file in git. Replace it there first.`)
}

/** Returns the error for a file that is longer than any that a hub writes. It is not read, and what it may say is not known. */
export function fileTooLongError(what: string, maxBytes: number): HubError {
  return new HubError(
    'upstream_error',
    `${what} has more than ${maxBytes} bytes in git, which no file of a prompt may have. Shorten or delete it there first.`,
  )
}

const TRAILER = /^([A-Z][A-Za-z-]{0,40}): (.+)$/

/**
 * Formats a commit message.
 *
 * @throws Error when a part contains a line break or another control character, which could forge a trailer
 */
export function formatMessage({ headline, trailers }: Additions['message']): { headline: string; body: string } {
  const lines = trailers.map(([name, value]) => `${name}: ${value}`)
  for (const line of [headline, ...lines])
    if (/\p{Cc}/u.test(line)) throw new Error('a commit message contains a control character')
  for (const line of lines) if (!TRAILER.test(line)) throw new Error('a trailer is malformed')
  return { headline, body: lines.join('\n') }
}

/** Parses a commit message; the inverse of `formatMessage`. Only entire lines below the subject are trailers, and only the first trailer with each name counts. */
export function parseMessage(message: string): Pick<PublishMark, 'headline' | 'trailers'> {
  const [headline = '', ...lines] = message.split(/\r?\n/)
  const trailers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = TRAILER.exec(line) ?? []
    if (name !== undefined && value !== undefined && !trailers.has(name)) trailers.set(name, value)
  }
  return { headline, trailers }
}
