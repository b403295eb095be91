// Builds one repository in the catalogue from its files: its records, and the outline for lists and feeds.
import { type Addresses, addressesBelow } from '../api/record-links.ts'
import type { RepositoryEntry, VersionEntry } from '../content/content-tree.ts'
import { DEFAULT_REPOSITORY_FILE, type RepositoryFile } from '../content/prompt-file.ts'
import type { Stats } from '../content/values.ts'
import { outlineRepository, type RecordDigests, type RepositoryOutline, type RepositoryRecords } from './outline.ts'
import { describeRepository, recordVersion, summariseVersion } from './repository-records.ts'
import { compareVersions } from './versions.ts'

/** One repository with its outline and records. */
export interface CatalogueEntry extends RepositoryOutline, RepositoryRecords {
  /** The digest of its records, if known; computed otherwise. */
  digests?: RecordDigests
}

/** What an entry depends on, apart from its files. */
interface EntryParts {
  /** The hub's own base URL, without a trailing slash. */
  baseUrl: string
  stats: Stats | null
}

/** Builds an entry. @param files must contain at least one version */
export function makeEntry(files: RepositoryEntry, { stats, baseUrl }: EntryParts): CatalogueEntry {
  const records = makeRecords(files, stats, addressesBelow(baseUrl))
  return { ...outlineRepository(records), ...records }
}

/** Builds all records of one repository. */
function makeRecords(files: RepositoryEntry, stats: Stats | null, addresses: Addresses): RepositoryRecords {
  const { owner, name, versions: given } = files
  const file: RepositoryFile = files.file ?? DEFAULT_REPOSITORY_FILE
  const ordered = [...given].sort((a, b) => compareVersions(a.version, b.version))
  const isYanked = ({ version }: VersionEntry) => Object.hasOwn(file.yanked, version)
  const latest = ordered.find((version) => !isYanked(version))
  const versions = ordered.map((version, index) => ({
    summary: summariseVersion(version, file, addresses.version(owner, name, version.version)),
    record: recordVersion(version, ordered[index + 1]?.version ?? null, files, addresses),
  }))
  const summaries = versions.map(({ summary }) => summary)
  return {
    repository: describeRepository({ owner, name, file, versions: summaries, latest, stats }, addresses),
    versions,
  }
}
