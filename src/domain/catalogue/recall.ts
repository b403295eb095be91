// Reconstructs a repository's files from its records: a hub that keeps serving a repository with a broken file has only its records.
import type { Repository, VersionRecord, VersionSummary } from '../api/schema.ts'
import type { RepositoryEntry } from '../content/content-tree.ts'

/** The records of one repository, from its data files. */
interface RecordedRepository {
  repository: Repository
  versions: readonly { summary: VersionSummary; record: VersionRecord }[]
}

/** Reconstructs the files. Building records from the result produces the same records. */
export function restoreRepository({ repository, versions }: RecordedRepository): RepositoryEntry {
  const { owner, name, title, description, tags, license, status, status_message, labels, readme, moved_to } =
    repository
  // Records created before forks existed lack this field.
  const { replaced_by, forked_from = null, advisories } = repository
  const yanked = versions.flatMap(({ summary: { version, yank_reason } }) =>
    yank_reason === null ? [] : [[version, yank_reason] as const],
  )
  return {
    ...{ owner, name },
    file: {
      ...{ title, description, tags, license, status, status_message, labels, readme, moved_to },
      replaced_by,
      forked_from,
      yanked: Object.fromEntries(yanked),
      advisories: advisories.map(({ versions: _, ...advisory }) => advisory),
    },
    versions: versions.map(({ record }) => {
      const { version, content, content_sha256, size_bytes, variables, parameters } = record
      const { changelog, published_at, published_by, provenance } = record
      return {
        ...{
          version,
          content,
          content_sha256,
          size_bytes,
          // Records created before chat prompts existed lack this field.
          format: record.format ?? 'text',
          variables,
          parameters,
          changelog,
          published_at,
          published_by,
        },
        ...(provenance !== null && { provenance }),
        ...(record.skill && { skill: record.skill }),
      }
    }),
  }
}
