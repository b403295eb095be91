// Builds a repository's catalogue entry from its files: its records, and the outline for lists and feeds.
import { addressesBelow } from '../domain/api/data-paths.ts'
import type { Result } from '../domain/api/schema.ts'
import { describeRepository, recordVersion, summariseVersion } from '../domain/catalogue/repository-records.ts'
import { listResults } from '../domain/catalogue/results.ts'
import type { RepositoryEntry } from '../domain/content/content-tree.ts'
import type { Models } from '../domain/content/models.ts'
import { DEFAULT_REPOSITORY_FILE } from '../domain/content/prompt-file.ts'
import type { Stats } from '../domain/values/values.ts'
import { compareVersions } from '../domain/values/versions.ts'
import { outlineRepository, type RecordDigests, type RepositoryOutline, type RepositoryRecords } from './outline.ts'

/** One repository without its records. */
export interface OutlinedEntry extends RepositoryOutline {
  /** The digest of its records; computed if omitted. */
  digests?: RecordDigests
}

/** One repository with its outline and records. */
export interface CatalogueEntry extends OutlinedEntry, RepositoryRecords {}

/** The inputs of an entry other than its files. */
interface EntryParts {
  /** The hub's base URL, without a trailing slash. */
  baseUrl: string
  stats: Stats | null
  models: Models
  /** When the files of its versions came to the branch, by version, as far as git says. */
  added?: Readonly<Record<string, string>>
}

/** Builds an entry. @param files must contain at least one version */
export function makeEntry(files: RepositoryEntry, { stats, baseUrl, models, added = {} }: EntryParts): CatalogueEntry {
  const addresses = addressesBelow(baseUrl)
  const { owner, name, file = DEFAULT_REPOSITORY_FILE } = files
  const ordered = files.versions.toSorted((a, b) => compareVersions(a.version, b.version))
  const latest = ordered.find(({ version }) => !Object.hasOwn(file.yanked, version))
  const versions = ordered.map((version, index) => ({
    summary: summariseVersion(
      version,
      file,
      addresses.version(owner, name, version.version),
      models,
      added[version.version],
    ),
    record: recordVersion(version, ordered[index + 1]?.version ?? null, files, addresses),
    ...resultsOf(listResults(version, files.results)),
  }))
  const results = versions.find(({ summary }) => summary.version === latest?.version)?.results ?? []
  const summaries = versions.map(({ summary }) => summary)
  const repository = describeRepository({ owner, name, file, versions: summaries, latest, results, stats }, addresses)
  return { ...outlineRepository({ repository, versions }, files.bytes ?? 0), repository, versions }
}

const resultsOf = (results: Result[]) => (results.length > 0 ? { results } : {})
