// What the drivers for git share: the files of a commit and the paths to read, both below the content folder, and commit messages.
import { HubError } from '../domain/api/errors.ts'
import { formatPath, type Place, parsePath } from '../domain/content/content-path.ts'
import { attestationName } from '../domain/values/attestation-name.ts'
import { isName, isOwner, isVersion } from '../domain/values/names.ts'
import type { Additions, FolderQuery, FolderState, PublishMark } from './git-store.ts'

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
