// The port of git, the only source of truth: read a repository at the head, commit on exactly that head, and format and parse commit messages.
import { createHash, type Hash } from 'node:crypto'
import { HubError } from '../domain/api/errors.ts'
import { formatPath, type Place, parsePath } from '../domain/content/content-path.ts'

/** One commit that changed this repository's folder; ours are known by their trailers. */
export interface PublishMark {
  /** The commit, in hex: 40 digits, or 64 in a local repository that git was told to keep with SHA-256. */
  sha: string
  /** Address of the commit for people, or null where there is none. */
  url: string | null
  /** The trailers of the message, by name, read as whole lines: `Version`, `Operation-Id`, `Idempotency-Key`, `Request-Digest`, `Published-By`. */
  trailers: ReadonlyMap<string, string>
  /** The headline, which we write ourselves: `Publish {owner}/{name} {version}`, or `Update {owner}/{name}` for `index.md` alone. */
  headline: string
}

/** One repository's folder, everything read under one commit. */
export interface FolderState {
  /** The commit all of this was read at, and the only one that additions may be committed on. */
  head: string
  /** Version number → id of the blob that holds its file. */
  versions: ReadonlyMap<string, string>
  /** The text of `content/{owner}/{name}/index.md`, or undefined when there is none. */
  index: string | undefined
  /** The text of `content/{owner}/index.md`, or undefined when there is none. */
  ownerIndex: string | undefined
  /** Publishes of this repository, newest first; empty unless asked for. */
  publishes: readonly PublishMark[]
}

/** What to read. */
export interface FolderQuestion {
  owner: string
  name: string
  /** Whether to look for publishes in the history, the last 100 of them; with `since`, only those after it. */
  publishes?: { since?: Date }
}

/** What to commit: files below `content/{owner}/{name}/` alone. There is no function that deletes, and none that commits on another head. */
export interface Additions {
  owner: string
  name: string
  /**
   * The state this was decided on, as `readFolder` gave it: its head must still be the head, and its listing must not hold the version.
   * The listing belongs to that head, so this is how a driver whose host replaces files without a word knows that it replaces none.
   */
  base: Pick<FolderState, 'head' | 'versions'>
  /** Headline and trailers; nothing in them comes from a user's text. */
  message: { headline: string; trailers: readonly (readonly [name: string, value: string])[] }
  /** The new version's file; the listing of `base` must not have it. */
  version: { version: string; text: string } | undefined
  /** The new text of `index.md`, when it changes. */
  index: string | undefined
}

/** What became of a commit. A driver says `committed` or `moved` only when it is certain; otherwise it says `unknown`, and the caller looks at git. */
export type CommitOutcome =
  | { kind: 'committed'; sha: string; url: string | null }
  /** The head was another one; nothing was written. */
  | { kind: 'moved' }
  /** Nothing was written, and it makes sense to try again after this many seconds. Also the answer to a call aborted before anything was sent. */
  | { kind: 'busy'; retryAfterSeconds: number }
  /** It may have been written or not: an answer was lost, or made no sense. */
  | { kind: 'unknown'; cause: unknown }

/** How long a call may take. */
export interface CallOptions {
  /** Aborts the call; a read throws `unavailable`, a commit becomes `unknown`, or `busy` while it is known to be unsent. */
  signal: AbortSignal
}

/** Git as publishing needs it. Every driver passes `tests/stores/git-store-contract.ts`. */
export interface GitStore {
  /**
   * Reads one repository's folder at the head of the branch.
   *
   * @throws HubError `unavailable` when git is down, busy or not set up: with `retryAfterSeconds` when the host asks for a pause or a person must
   *   act, without when another try makes sense at once; `upstream_error` when it refuses us for good
   */
  readFolder(question: FolderQuestion, options: CallOptions): Promise<FolderState>
  /**
   * Reads one file's bytes by the id of its blob.
   *
   * @returns bytes that may be the same object each time, so nobody changes them
   * @throws like `readFolder`
   */
  readBlob(id: string, options: CallOptions): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Commits files on exactly the given head.
   *
   * @throws HubError `upstream_error` when the host refuses us for good, `unavailable` when a person must act first (an uncommitted file lies
   *   where ours would); nothing was written in either case
   * @throws Error for additions that no caller may make: nothing to commit, a malformed name, a version that the listing has
   */
  commit(additions: Additions, options: CallOptions): Promise<CommitOutcome>
}

/**
 * The files of a commit: never one that exists as a version, never one outside the repository's folder.
 *
 * @returns paths from the content folder, and texts
 * @throws Error when there is nothing to commit, a name is malformed, or the listing has the version; all of them are faults of ours
 */
export function listAddedFiles({ owner, name, base, version, index }: Additions): { path: string; text: string }[] {
  if (version !== undefined && base.versions.has(version.version))
    throw new Error(`${owner}/${name}@${version.version} exists, and no version is ever overwritten`)
  const files = [
    ...(version === undefined
      ? []
      : [{ path: checkedPath({ kind: 'version', owner, name, version: version.version }), text: version.text }]),
    ...(index === undefined ? [] : [{ path: checkedPath({ kind: 'repository', owner, name }), text: index }]),
  ]
  if (files.length === 0) throw new Error('there is nothing to commit')
  return files
}

/** The paths that a question is about, from the content folder; those of `folder` and `versions` are folders. @throws Error for a malformed name */
export function listReadPaths({ owner, name }: FolderQuestion): {
  folder: string
  versions: string
  index: string
  ownerIndex: string
} {
  const index = checkedPath({ kind: 'repository', owner, name })
  const folder = `${owner}/${name}`
  return { folder, versions: `${folder}/versions`, index, ownerIndex: checkedPath({ kind: 'owner', owner }) }
}

/** Whether an entry of the folder `versions` is a version's file; its number, or undefined for what must not be there. */
export function versionOfEntry({ owner, name }: FolderQuestion, entry: string): string | undefined {
  const place = parsePath(`${owner}/${name}/versions/${entry}`).value
  return place?.kind === 'version' ? place.version : undefined
}

/**
 * Decodes a file that is kept as text.
 *
 * @param path for the sentence
 * @throws HubError `upstream_error` when the bytes are not UTF-8: written back, they would not be the same bytes
 */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new HubError('upstream_error', `${path} is not UTF-8 in git. Correct the file there first.`, { cause })
  }
}

const TRAILER = /^([A-Z][A-Za-z-]{0,40}): (.+)$/

/**
 * Writes a commit's message.
 *
 * @throws Error when a part holds a line end or another control character: it could forge a trailer
 */
export function formatMessage({ headline, trailers }: Additions['message']): { headline: string; body: string } {
  const lines = trailers.map(([name, value]) => `${name}: ${value}`)
  for (const line of [headline, ...lines])
    if (/\p{Cc}/u.test(line)) throw new Error('a message holds a control character')
  for (const line of lines) if (!TRAILER.test(line)) throw new Error('a trailer is malformed')
  return { headline, body: lines.join('\n') }
}

/** Reads a commit's message; the inverse of `formatMessage`. Only whole lines below the headline are trailers, and the first of a name counts. */
export function parseMessage(message: string): Pick<PublishMark, 'headline' | 'trailers'> {
  const [headline = '', ...lines] = message.split(/\r?\n/)
  const trailers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = TRAILER.exec(line) ?? []
    if (name !== undefined && value !== undefined && !trailers.has(name)) trailers.set(name, value)
  }
  return { headline, trailers }
}

function checkedPath(place: Place): string {
  const path = formatPath(place)
  if (parsePath(path).problems) throw new Error('a path is made of checked names alone')
  return path
}

/** Begins the id of a blob of so many bytes, which are then handed to it. @param hexDigits as for `blobId` */
export function beginBlobId(size: number, hexDigits: number): Hash {
  return createHash(hexDigits === 64 ? 'sha256' : 'sha1').update(`blob ${size}\0`)
}

/** The id of a blob. @param hexDigits 40, or 64 in a repository that git was told to keep with SHA-256 */
export function blobId(bytes: Uint8Array, hexDigits = 40): string {
  return beginBlobId(bytes.length, hexDigits).update(bytes).digest('hex')
}
