// Reads a catalogue repository from its data files on demand.

import type { CatalogueEntry } from '../catalogue/entry.ts'
import type { RecordDigests, RepositoryOutline, RepositoryRecords } from '../catalogue/outline.ts'
import { listPages } from '../catalogue/published/data-files.ts'
import { DATA_FILES } from '../domain/api/data-paths.ts'
import type { Repository, Result, VersionRecord, VersionSummary } from '../domain/api/schema.ts'
import type { RepositoryEntry } from '../domain/content/content-tree.ts'
import { recallFile, recallVersion } from '../domain/publishing/repository-state.ts'
import { pick } from '../domain/text/json.ts'

/** Reads a file of the site that is being built; returns undefined if there is none. */
type ReadFile = (path: string) => string | undefined

/** Creates an entry whose records are read on demand. */
export function readEntry(outline: RepositoryOutline, digests: RecordDigests, read: ReadFile): CatalogueEntry {
  return {
    ...outline,
    digests,
    get repository() {
      return readRepositoryRecord(outline, read)
    },
    get versions() {
      return readVersions(outline, read)
    },
  }
}

/** Reconstructs a repository's files from its served records: a hub that keeps serving a repository with an invalid file has only these. */
export function restoreEntry(outline: RepositoryOutline, read: ReadFile): RepositoryEntry {
  return restoreRepository({ repository: readRepositoryRecord(outline, read), versions: readVersions(outline, read) })
}

/** The records of one repository, from its data files. */
interface RecordedRepository {
  repository: Repository
  versions: readonly { summary: VersionSummary; record: VersionRecord; results?: readonly Result[] }[]
}

/** Reconstructs the files. Building records from the result produces the same records. */
export function restoreRepository({ repository, versions }: RecordedRepository): RepositoryEntry {
  const tested = versions.flatMap(({ results = [] }) => results)
  return {
    ...(tested.length > 0 && { results: tested }),
    ...pick(repository, ['owner', 'name']),
    file: recallFile(
      repository,
      versions.map(({ summary }) => summary),
    ),
    versions: versions.map(({ record }) => recallVersion(record)),
  }
}

function readRepositoryRecord({ summary: { owner, name } }: RepositoryOutline, read: ReadFile): Repository {
  return readData(DATA_FILES.repository(owner, name), read)
}

function readVersions(
  { summary: { owner, name }, releases, tested = [] }: RepositoryOutline,
  read: ReadFile,
): RepositoryRecords['versions'] {
  const pages = listPages(releases.length).map((page) => DATA_FILES.versionPage(owner, name, page))
  const summaries = pages.flatMap((path): VersionSummary[] => readData(path, read))
  return summaries.map((summary) => {
    const record: VersionRecord = readData(DATA_FILES.version(owner, name, summary.version), read)
    const results: Result[] = tested.includes(summary.version)
      ? readData(DATA_FILES.results(owner, name, summary.version), read)
      : []
    return { summary, record, ...(results.length > 0 && { results }) }
  })
}

/** Reads a data file. Its content is not validated, because this code wrote it from values of the same type. */
function readData<Value>(path: string, read: ReadFile): Value {
  return JSON.parse(read(path)!).data
}
