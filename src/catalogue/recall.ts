// Reconstructs a repository's files from its records: a hub that keeps serving a repository with an invalid file has only the repository's records.

import type { Repository, Result, VersionRecord, VersionSummary } from '../domain/api/schema.ts'
import type { RepositoryEntry } from '../domain/content/content-tree.ts'
import { recallFile, recallVersion } from '../domain/publishing/repository-state.ts'
import { pick } from '../domain/text/json.ts'

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
