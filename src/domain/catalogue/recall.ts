// Makes the files of a repository of its records again: what a hub goes on serving when a file is broken was kept as records alone.
import type { Repository, VersionRecord, VersionSummary } from '../api/schema.ts'
import type { RepositoryEntry } from '../content/content-tree.ts'

/** The records of one repository, as its data files have them. */
interface RecordedRepository {
  repository: Repository
  versions: readonly { summary: VersionSummary; record: VersionRecord }[]
}

/** The inverse of making records: the same records can be made of what this gives. */
export function recallRepository({ repository, versions }: RecordedRepository): RepositoryEntry {
  const { owner, name, title, description, tags, license, status, status_message, labels, readme, moved_to } =
    repository
  // Records that were kept before there were forks have none.
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
          // Records that were kept before there were chat prompts have none.
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
