// Builds a repository's outline: the parts for lists and the sitemap. A build keeps the outlines of all repositories in memory, but the content of only one repository at a time.

import {
  type Repository,
  RepositorySummary,
  type Result,
  type VersionRecord,
  type VersionSummary,
} from '../domain/api/schema.ts'
import { modelOf } from '../domain/content/models.ts'
import type { SkillIndexEntry } from '../domain/content/skill.ts'
import { pick } from '../domain/text/json.ts'
import { type RankedRelease, scoreQuality } from './ranking.ts'

/** One version with both of its records. */
interface CatalogueVersion {
  /** Its record in the version list. */
  summary: VersionSummary
  /** Its full record. */
  record: VersionRecord
  /** Its results, newest first; omitted if there are none. */
  results?: readonly Result[]
}

/** All records of one repository. */
export interface RepositoryRecords {
  repository: Repository
  /** The versions, highest first. Yanked versions are included and marked. */
  versions: CatalogueVersion[]
}

/** The parts of a version used for lists, feeds and the sitemap. */
interface Release extends RankedRelease {
  /** Whether it is an Agent Skill, with a SKILL.md. */
  isSkill: boolean
  /** The model in its parameters, or null. */
  model: string | null
}

/** What an include line includes. */
export interface Included {
  repository: string
  range: string
  version: string
}

/** A repository without its content. */
export interface RepositoryOutline {
  summary: RepositorySummary
  /** The versions, highest first. Yanked versions are included and marked. */
  releases: Release[]
  /** Whether it appears in lists, tags, search and the sitemap: not archived, not moved, and with an active version. */
  isListed: boolean
  /** Its labels, each with the digest of its version's content. */
  labelled: readonly { label: string; version: string; content_sha256: string }[]
  /** What its latest version includes, each once; omitted if it includes nothing. */
  includes?: Included[]
  /** The repository that it moved to, if any. */
  movedTo: string | null
  /** The repository to use instead, if any. */
  replacedBy: string | null
  /** Quality score, 0 to 100 (ranking.ts). */
  quality: number
  /** The bytes of all its files in git. */
  bytes: number
  /** The SHA-256 of the files, archives and attestations of its versions, each once; omitted if there are none. */
  blobs?: string[]
  /** The versions with results, highest first; omitted if there are none. */
  tested?: string[]
}

/** A digest that identifies a repository's records. */
export interface RecordDigests {
  /** SHA-256 of the latest content, in hex, or null if there is none. */
  latest: string | null
  /** SHA-256 of the words of the latest content, in hex, or null if there are too few words to recognise a copy. */
  words: string | null
  /** SHA-256 of its record file (data-files.ts), in hex. */
  record: string
  /** Its entry in the owner's skill index, or null if its latest version is not a skill. */
  skill: SkillIndexEntry | null
  /** SHA-256 of the plugin.zip of its latest version, in hex, or null if that is not a skill; omitted where no build made it. */
  plugin?: string | null
}

/** Builds the outline of a repository. @param bytes of all its files in git */
export function outlineRepository({ repository, versions }: RepositoryRecords, bytes: number): RepositoryOutline {
  const summary = summariseRepository(repository)
  const active = versions.filter((version) => !version.summary.yanked)
  const tested = versions.flatMap(({ summary: { version }, results = [] }) => (results.length > 0 ? [version] : []))
  const blobs = new Set(versions.flatMap(({ record }) => listBlobs(record)))
  return {
    summary,
    releases: versions.map(({ summary: { version, published_at, yanked }, record }) => ({
      version,
      previous_version: record.previous_version,
      published_at,
      isYanked: yanked,
      isSkill: Boolean(record.skill),
      model: modelOf(record.parameters),
    })),
    labelled: Object.entries(repository.labels).flatMap(([label, { version }]) => {
      const found = versions.find(({ summary }) => summary.version === version)
      return found ? { label, version, content_sha256: found.summary.content_sha256 } : []
    }),
    ...(repository.includes.length > 0 && { includes: listIncluded(repository) }),
    isListed: repository.status !== 'archived' && repository.moved_to === null && active.length > 0,
    movedTo: repository.moved_to,
    replacedBy: repository.replaced_by,
    bytes,
    ...(blobs.size > 0 && { blobs: [...blobs] }),
    ...(tested.length > 0 && { tested }),
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

/** Lists what a version includes, each once. */
function listIncluded({ includes }: Pick<Repository, 'includes'>): Included[] {
  const included = includes.map((include) => pick(include, ['repository', 'range', 'version']))
  return [...new Map(included.map((one) => [`${one.repository}@${one.range}`, one])).values()]
}

/** Lists the SHA-256 of a version's files, then of its archive, then of its attestations. */
function listBlobs({
  files,
  bundle_sha256,
  attestations,
}: Pick<VersionRecord, 'files' | 'bundle_sha256' | 'attestations'>): string[] {
  const ofFiles = bundle_sha256 === null ? [] : [...files.map(({ sha256 }) => sha256), bundle_sha256]
  return [...ofFiles, ...attestations.map(({ sha256 }) => sha256)]
}

const SUMMARY_KEYS = RepositorySummary.keyof().options

/** Returns the fields of a repository's record that appear in lists. They are picked by name, so that a new field appears in lists only if it is added here. */
function summariseRepository(repository: Repository): RepositorySummary {
  return pick(repository, SUMMARY_KEYS)
}
