// Makes the outline of a repository: what lists and the sitemap say of it. A build holds outlines of all repositories, and texts of one at a time.
import { pick } from '../api/envelope.ts'
import { type Repository, RepositorySummary, type VersionRecord, type VersionSummary } from '../api/schema.ts'
import type { SkillIndexEntry } from '../content/skill.ts'
import { type RankedRelease, scoreQuality } from './ranking.ts'

/** One version with both of its records. */
interface CatalogueVersion {
  /** As it stands in the list. */
  summary: VersionSummary
  /** As it stands alone. */
  record: VersionRecord
}

/** Every record that is answered about one repository. */
export interface RepositoryRecords {
  repository: Repository
  /** Highest first, yanked ones included and marked. */
  versions: CatalogueVersion[]
}

/** What lists, feeds and the sitemap say of a version. */
interface Release extends RankedRelease {
  published_by: string
  changelog: string
}

/** A repository without its texts. */
export interface RepositoryOutline {
  summary: RepositorySummary
  /** Highest first, yanked ones included and marked. */
  releases: Release[]
  /** Whether it stands in lists, tags, search and the sitemap: not archived, not moved, and with an active version. */
  isListed: boolean
  /** The repository that it moved to, if it did. */
  movedTo: string | null
  /** The repository to use instead, if there is one. */
  replacedBy: string | null
  /** The version that it began as a copy of, if it did: owner/name@x.y.z. */
  forkedFrom: string | null
  /** How complete it is, 0 to 100 (ranking.ts). */
  quality: number
}

/** What stands for the records of a repository. */
export interface RecordDigests {
  /** SHA-256 of the latest content, in hex, or null when there is none. */
  latest: string | null
  /** SHA-256 of the file of its record (data-files.ts), in hex. */
  record: string
  /** Its entry in the index of its owner's skills, or null when its latest version is none. */
  skill: SkillIndexEntry | null
}

/** Outlines a repository. */
export function outlineRepository({ repository, versions }: RepositoryRecords): RepositoryOutline {
  const summary = summariseRepository(repository)
  const active = versions.filter((version) => !version.summary.yanked)
  return {
    summary,
    releases: versions.map(({ summary: { version, published_at, published_by, changelog, yanked }, record }) => ({
      ...{ version, previous_version: record.previous_version, published_at, published_by, changelog },
      isYanked: yanked,
    })),
    isListed: repository.status !== 'archived' && repository.moved_to === null && active.length > 0,
    movedTo: repository.moved_to,
    replacedBy: repository.replaced_by,
    forkedFrom: repository.forked_from,
    quality: scoreQuality({
      summary,
      hasReadme: repository.readme !== '',
      variables: repository.variables,
      versions: active.map(({ record: { changelog, provenance } }) => ({
        changelog,
        hasProvenance: provenance !== null,
      })),
    }),
  }
}

const SUMMARY_KEYS = RepositorySummary.keyof().options

/** The part of a repository's record that stands in lists, picked by name, so that a new field of the record reaches lists only when it is named here. */
function summariseRepository(repository: Repository): RepositorySummary {
  return pick(repository, SUMMARY_KEYS)
}
