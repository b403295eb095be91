// Reads from git what a write must know, joined with what the hub serves: a commit by hand may have changed, deleted or moved published versions, and what the hub has anyway needs no call to the git host.

import { mapConcurrently } from '../../concurrency/promises.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { Result } from '../../domain/api/schema.ts'
import { listResults, resultFileOf } from '../../domain/catalogue/results.ts'
import type { ResultEntry, VersionEntry } from '../../domain/content/content-tree.ts'
import { listRemoved, type WrittenFile } from '../../domain/content/prompt-file.ts'
import { formatResultFile, parseResultFile } from '../../domain/content/result-file.ts'
import { LIMITS } from '../../domain/limits.ts'
import { brokenFileError, readListedVersion, recallVersion } from '../../domain/publishing/repository-state.ts'
import { findFilePathProblem, sortFiles, type VersionFileBytes } from '../../domain/values/file-entry.ts'
import { isSuite, type RepositoryPlace, type VersionPlace } from '../../domain/values/names.ts'
import { measure, measureFile } from '../../files/measure.ts'
import { blobId, type CallOptions, decodeText, type FolderState, type GitStore, treeId } from '../../git/git-store.ts'
import type { Sources } from '../hub.ts'
import { findFile } from '../read/files.ts'
import { findVersion, listVersions } from '../read/records.ts'
import { findResults } from '../read/results.ts'

/** Maximum number of files that are read at once. */
const AT_ONCE = 4

/** Where a write reads what there is. */
export type GitSources = Sources & { git: GitStore }

/** Reads a listed version: what the hub's record says or, without one, its file in git. @returns undefined for a version that is not listed */
type ReadVersion = (version: string) => Promise<VersionEntry | string | undefined>

/** Reads another repository at the commit that the attempt builds on. @throws HubError `unavailable` if the branch has moved since, so that the write tries again */
export type ReadOther = (place: RepositoryPlace) => Promise<{
  folder: FolderState
  readVersion: ReadVersion
}>

/** A version, with its files. */
export interface WrittenVersion {
  /** Undefined if it has no file. */
  file: WrittenFile | undefined
  /** The files beside its SKILL.md, sorted by path. */
  files: readonly VersionFileBytes[]
}

/** Reads more of what is in git at the commit that the attempt builds on. */
export interface Readers {
  readVersion: ReadVersion
  /** Does the same, with the files beside its SKILL.md. */
  readWritten: (version: string) => Promise<WrittenVersion>
  readOther: ReadOther
  /** The options of further calls to git, with the deadline of the attempt. */
  call: CallOptions
}

/** Opens the readers of an attempt. What the hub serves of a version counts, whatever git says now. @param folder what the attempt builds on; without a name, it has no versions */
export function openReaders(
  { owner, name = '' }: { owner: string; name: string | undefined },
  folder: FolderState,
  deps: GitSources,
  call: CallOptions,
): Readers {
  const { git } = deps
  const readIn = async (place: RepositoryPlace, { versions }: FolderState, version: string) => {
    const id = versions.get(version)
    if (id === undefined) return undefined
    const record = (await findVersion(place.owner, place.name, version, deps))?.value()
    if (record) return recallVersion(record)
    return decodeText(`${place.owner}/${place.name}@${version}`, await git.readBlob(id, call))
  }
  return {
    call,
    readVersion: (version) => readIn({ owner, name }, folder, version),
    async readWritten(version) {
      const place = { owner, name, version }
      const file = await readIn(place, folder, version)
      if (typeof file !== 'object') return { file, files: await readVersionFiles(place, folder, { git, call }) }
      if (!file.bundle) return { file, files: [] }
      const files = await mapConcurrently(AT_ONCE, file.bundle.files, async ({ path }) => {
        const found = await findFile(place, path, deps)
        return measureFile(path, Uint8Array.from(found!.bytes))
      })
      return { file, files }
    },
    async readOther(place) {
      const other = await git.readFolder(place, call)
      if (other.head !== folder.head) throw new HubError('unavailable', 'The branch has moved. Try again.')
      const joined = await joinServed(place, other, deps)
      return { folder: joined, readVersion: (version) => readIn(place, joined, version) }
    },
  }
}

/** The ID of a version file that git does not list, although the hub serves it. */
const NOT_LISTED = ''

/** Adds the versions that the hub serves to a listing, and removes those that were taken down and have a file again. */
export async function joinServed(
  { owner, name }: RepositoryPlace,
  folder: FolderState,
  deps: Sources,
): Promise<FolderState> {
  const served = await listVersions(owner, name, deps)
  const removed = folder.index?.includes('removed') ? listRemoved(folder.index) : []
  const versions = new Map(folder.versions)
  for (const { version } of served) if (!versions.has(version)) versions.set(version, NOT_LISTED)
  for (const version of removed) versions.delete(version)
  return { ...folder, versions }
}

/** Where files are read. */
interface FileSources {
  git: Pick<GitStore, 'listFolder' | 'readBlob'>
  call: CallOptions
}

/** Reads the files beside the SKILL.md of a version, sorted by path. @throws HubError `upstream_error` for files that no version may have */
export async function readVersionFiles(
  place: { owner: string; name: string; version: string },
  { folders }: Pick<FolderState, 'folders'>,
  { git, call }: FileSources,
): Promise<VersionFileBytes[]> {
  const id = folders.get(place.version)
  if (id === undefined) return []
  const listed = [...(await git.listFolder(id, call))]
  const wrong = listed.find(([path]) => findFilePathProblem(path) !== undefined)
  if (wrong || listed.length > LIMITS.filesPerVersion)
    throw brokenFileError({ kind: 'version', ...place }, [
      {
        key: 'files',
        message: wrong ? 'expected valid paths' : `expected at most ${LIMITS.filesPerVersion} files`,
      },
    ])
  const files = await mapConcurrently(AT_ONCE, listed, async ([path, blob]) => {
    return measureFile(path, await git.readBlob(blob, { ...call, maxBytes: LIMITS.fileBytes }))
  })
  return sortFiles(files)
}

/** The results of a version in git. */
interface ResultsInGit {
  /** Those that count, newest first. */
  results: Result[]
  /** The text of each result file, by suite, also of those that do not count. */
  texts: ReadonlyMap<string, string>
}

/** The results of a version in git, its digest, and what the hub's records say. */
interface TestedVersion extends ResultsInGit {
  content_sha256: string
  known: readonly Result[]
}

/** Reads a version's digest and results at the commit that an attempt builds on. @throws HubError `upstream_error` for a version that cannot be read; also the errors of git */
export async function readTested(
  { owner, name, version }: VersionPlace,
  folder: Pick<FolderState, 'results'>,
  { readVersion, call }: Pick<Readers, 'readVersion' | 'call'>,
  deps: GitSources,
): Promise<TestedVersion> {
  const { git } = deps
  const { content } = readListedVersion({ owner, name }, version, await readVersion(version))
  const { content_sha256 } = measure(content)
  const known = await findResults(owner, name, version, deps)
  const found = await readResults({ version, content_sha256 }, folder, known, { git, call })
  return { content_sha256, known, ...found }
}

const NONE: ResultsInGit = { results: [], texts: new Map() }

/**
 * Reads the results of a version.
 *
 * @param known the results according to the hub's records
 * @throws like `GitStore.readFolder`
 */
export async function readResults(
  { version, content_sha256 }: { version: string; content_sha256: string },
  folder: Pick<FolderState, 'results'>,
  known: readonly Result[],
  { git, call }: { git: GitStore; call: CallOptions },
): Promise<ResultsInGit> {
  const id = folder.results.get(version)
  if (id === undefined) return NONE
  const files = new Map(known.map((result) => [result.suite, formatResultFile(resultFileOf(result))]))
  const entries = [...files].map(([suite, file]) => ({
    name: `${suite}.yml`,
    id: blobId(Buffer.from(file), id.length),
  }))
  if (known.length > 0 && treeId(entries, id.length) === id)
    return { results: known.filter((result) => result.content_sha256 === content_sha256), texts: files }
  const listed = [...(await git.listFolder(id, call))].flatMap(([path, blob]) => {
    const suite = path.endsWith('.yml') ? path.slice(0, -4) : ''
    return isSuite(suite) ? [[suite, blob] as const] : []
  })
  const texts = new Map<string, string>()
  // The same suites count as in a build, which sorts them by name.
  for (const [suite, blob] of listed.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, LIMITS.suitesPerVersion)) {
    const bytes = await git.readBlob(blob, call)
    texts.set(suite, Buffer.from(bytes).toString())
  }
  const found = [...texts].flatMap(([suite, text]): ResultEntry[] => {
    const { value } = parseResultFile(text)
    return value ? [{ ...value, version, suite }] : []
  })
  return { results: listResults({ version, content_sha256 }, found), texts }
}
