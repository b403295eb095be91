// Reconstructs a repository's files from its records: a hub that keeps serving a repository with an invalid file has only the repository's records.
import { pick } from '../domain/api/envelope.ts'
import type { Repository, Result, VersionRecord, VersionSummary } from '../domain/api/schema.ts'
import type { RepositoryEntry, VersionEntry } from '../domain/content/content-tree.ts'
import { storeAttestations } from '../domain/content/prompt-file.ts'
import { storeSkill } from '../domain/content/skill.ts'
import { recallFile } from '../domain/publishing/repository-state.ts'
import { entriesOf } from '../domain/values/file-entry.ts'

/** The records of one repository, from its data files. */
interface RecordedRepository {
  repository: Repository
  versions: readonly { summary: VersionSummary; record: VersionRecord; results?: readonly Result[] }[]
}

/** The fields of a version file, and those derived from its bytes, that a record repeats unchanged. */
const VERSION_FIELDS = [
  ...(['version', 'content', 'content_sha256', 'size_bytes', 'format', 'variables', 'parameters'] as const),
  ...(['changelog', 'published_at', 'published_by'] as const),
]

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
    versions: versions.map(({ record }) => restoreVersion(record)),
  }
}

/** Reconstructs a version. */
export function restoreVersion(record: VersionRecord): VersionEntry {
  return {
    ...pick(record, VERSION_FIELDS),
    ...(record.provenance !== null && { provenance: record.provenance }),
    ...storeAttestations(record.attestations),
    ...(record.skill && { skill: storeSkill(record.skill) }),
    ...(record.includes.length > 0 && { includes: record.includes }),
    ...(record.bundle_sha256 && { bundle: { sha256: record.bundle_sha256, files: entriesOf(record.files) } }),
  }
}
