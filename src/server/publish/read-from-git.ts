// Reads the files and the results of a version from git. Results that the hub has anyway are used, without a call to the git host, if git lists the same bytes.

import { mapConcurrently } from '../../concurrency/promises.ts'
import type { Result } from '../../domain/api/schema.ts'
import { listResults, resultFileOf } from '../../domain/catalogue/results.ts'
import type { ResultEntry } from '../../domain/content/content-tree.ts'
import { formatResultFile, parseResultFile } from '../../domain/content/result-file.ts'
import { LIMITS } from '../../domain/limits.ts'
import { brokenFileError, readListedVersion } from '../../domain/publishing/repository-state.ts'
import { findFilePathProblem, sortFiles, type VersionFileBytes } from '../../domain/values/file-entry.ts'
import { isSuite, type VersionPlace } from '../../domain/values/names.ts'
import { measure, measureFile } from '../../files/measure.ts'
import { blobId, type CallOptions, type FolderState, type GitStore, treeId } from '../../git/git-store.ts'
import type { Sources } from '../hub.ts'
import { findResults } from '../read/results.ts'

/** Maximum number of files that are read at once. */
const AT_ONCE = 4

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
  { readVersion, call }: { readVersion: (version: string) => Promise<string | undefined>; call: CallOptions },
  deps: Sources & { git: GitStore },
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
