// What the drivers for git share: the files of a commit and the paths to read, both below the content folder, and commit messages.
import { HubError } from '../domain/api/errors.ts'
import { formatPath, type Place, parsePath } from '../domain/content/content-path.ts'
import { attestationName } from '../domain/values/attestation-name.ts'
import { isVersion } from '../domain/values/names.ts'
import type { Additions, FolderQuery, FolderState, PublishMark } from './git-store.ts'

/** A file that a commit adds, replaces or deletes. */
export interface ChangedFile {
  path: string
  /** Undefined if the commit deletes the file. */
  bytes: Uint8Array<ArrayBuffer> | undefined
  /** What the file was: its text, or the ID of its blob. */
  before: string | { id: string } | undefined
}

/**
 * Lists the files of a commit: never another text for an existing version, and outside of the repository's folder only the `index.md` of others.
 *
 * @returns paths relative to the content folder, the file contents, and those in `base`; undefined if the file is new
 * @throws Error when there is nothing to commit, a name is malformed, or the version exists; any of these is a bug
 */
export function listChangedFiles({
  owner,
  name,
  base,
  version,
  index,
  result,
  deleted = new Map(),
  others = [],
}: Additions): ChangedFile[] {
  const encode = (text: string) => new TextEncoder().encode(text)
  if (version !== undefined && base.versions.has(version.version))
    throw new Error(`${owner}/${name}@${version.version} already exists, and versions are never overwritten`)
  if (version !== undefined && name === undefined) throw new Error('an owner has no versions')
  const files: ChangedFile[] = []
  if (version !== undefined && name !== undefined) {
    const place = { owner, name, version: version.version }
    // The files come first, so that nobody who reads the folder meanwhile sees a version without its files.
    for (const { path, bytes } of version.files ?? [])
      files.push({ path: checkedPath({ kind: 'file', ...place, path }), bytes, before: undefined })
    version.attestations?.forEach((text, index) => {
      const path = checkedPath({ kind: 'attestation', ...place, file: attestationName(index) })
      files.push({ path, bytes: encode(text), before: undefined })
    })
    files.push({ path: checkedPath({ kind: 'version', ...place }), bytes: encode(version.text), before: undefined })
  }
  if (index !== undefined) {
    const before = name === undefined ? base.ownerIndex : base.index
    files.push({ path: checkedPath(placeOf({ owner, name })), bytes: encode(index), before })
  }
  for (const other of others)
    files.push({
      path: checkedPath({ kind: 'repository', owner, name: other.name }),
      bytes: encode(other.index),
      before: other.before,
    })
  if (deleted.size > 0 && (name === undefined || index === undefined))
    throw new Error('what is deleted belongs to a repository, whose index.md says so')
  for (const [path, id] of deleted) {
    if (path === 'index.md' || path.split('/').some((part) => part === '' || part === '.' || part === '..'))
      throw new Error('a file of the folder other than its index.md is deleted')
    files.push({ path: `${owner}/${name}/${path}`, bytes: undefined, before: { id } })
  }
  if (result !== undefined) {
    if (name === undefined || !base.versions.has(result.version)) throw new Error('a result needs its version')
    const { version: tested, suite, text, before } = result
    if (text === undefined && before === undefined) throw new Error('there is no result to delete')
    files.push({
      path: checkedPath({ kind: 'result', owner, name, version: tested, suite }),
      bytes: text === undefined ? undefined : encode(text),
      before,
    })
  }
  if (files.length === 0) throw new Error('there is nothing to commit')
  return files
}

/** Returns the place of the `index.md` of a repository or, without a name, of the owner. */
function placeOf({ owner, name }: Pick<FolderQuery, 'owner' | 'name'>): Place {
  return name === undefined ? { kind: 'owner', owner } : { kind: 'repository', owner, name }
}

/** Lists the paths to read, relative to the content folder; `versions` and `results` are folders, and `history` is a folder or file. `repository` is undefined without a name. @throws Error for a malformed name */
export function listReadPaths({ owner, name }: FolderQuery): {
  history: string
  repository: { folder: string; versions: string; results: string; index: string } | undefined
  ownerIndex: string
} {
  const ownerIndex = checkedPath({ kind: 'owner', owner })
  if (name === undefined) return { history: ownerIndex, repository: undefined, ownerIndex }
  const index = checkedPath({ kind: 'repository', owner, name })
  const history = `${owner}/${name}`
  const repository = { folder: history, versions: `${history}/versions`, results: `${history}/results`, index }
  return { history, repository, ownerIndex }
}

/** Returns the error for a folder with a link or a submodule. */
export function notFilesError(): HubError {
  return new HubError(
    'upstream_error',
    'The folder of a version has a link or a submodule in git. Replace it there first.',
  )
}

/** The name of an entry in a folder, and the ID of its object. */
type Entry = readonly [name: string, id: string]

/** Finds the version files in the `versions` folder. @param files its files */
export function findVersions({ owner, name }: FolderQuery, files: Iterable<Entry>): FolderState['versions'] {
  const found = [...files].flatMap(([entry, id]) => {
    const place = parsePath(`${owner}/${name}/versions/${entry}`).value
    return place?.kind === 'version' ? [[place.version, id] as const] : []
  })
  return new Map(found)
}

/** Finds the folders that are named for versions. */
export const findVersionFolders = (folders: Iterable<Entry>): FolderState['folders'] =>
  new Map([...folders].filter(([name]) => isVersion(name)))

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

function checkedPath(place: Place): string {
  const path = formatPath(place)
  if (parsePath(path).problems) throw new Error('a path must consist of valid names only')
  return path
}
