// Owns the set of all repositories as readers see it: latest versions, visibility, lists, tags and users, concluded from the parsed files.

import { listMemberships } from '../access/memberships.ts'
import { pick } from '../api/envelope.ts'
import { type Addresses, addressesBelow } from '../api/record-links.ts'
import type { Sort } from '../api/routes.ts'
import {
  type Repository,
  RepositorySummary,
  type TagRecord,
  type User,
  type VersionRecord,
  type VersionSummary,
} from '../api/schema.ts'
import type { ContentTree, RepositoryEntry, VersionEntry } from '../content/content-tree.ts'
import { type RepositoryFile, UNSAID } from '../content/prompt-file.ts'
import type { Stats } from '../content/values.ts'
import type { Equivalents } from '../search/equivalents.ts'
import { compareText, compareUpdates, type RankedRepository, rank } from './ranking.ts'
import { describeRepository, recordVersion, summariseVersion } from './repository-records.ts'
import { compareVersions } from './versions.ts'

/** One version with both of its records. */
export interface CatalogueVersion {
  /** As it stands in the list. */
  summary: VersionSummary
  /** As it stands alone. */
  record: VersionRecord
}

/** One repository with every record that is answered about it. */
export interface CatalogueEntry {
  summary: RepositorySummary
  repository: Repository
  /** Highest first, yanked ones included and marked. */
  versions: CatalogueVersion[]
  /** Whether it stands in lists, tags, search and the sitemap: not archived, not moved, and with an active version. */
  isListed: boolean
  /** The repository to use instead, as its page says. */
  replacedBy: string | null
  /** Why an older state is served than the files have, as sentences for its page; empty when the newest is served. */
  broken: readonly string[]
  /** Changes whenever anything in here may; absent when that cannot be told. */
  digest?: string
}

/** All repositories, and every list made of them. */
export interface Catalogue {
  baseUrl: string
  /** By full name, in the order of names. */
  entries: ReadonlyMap<string, CatalogueEntry>
  /** The listed ones, in each order. */
  listed: Readonly<Record<Sort, readonly RepositorySummary[]>>
  /** Highest count first, then by name. */
  tags: readonly TagRecord[]
  /** By handle, in the order of names. */
  users: ReadonlyMap<string, User>
  /** Owners by the login of each of their members, in the order of names. */
  memberships: ReadonlyMap<string | number, readonly string[]>
  /** What means the same to people who search. */
  equivalents: Equivalents
}

/** What a catalogue depends on beside the files. */
interface CatalogueOptions {
  /** The hub's own address, without a final slash. */
  baseUrl: string
  /** The build's day in UTC, `YYYY-MM-DD`: with the files, it alone decides the order of `trending`. */
  day: string
  /** What is wrong with files whose last good state is served instead, by full name. */
  broken?: ReadonlyMap<string, readonly string[]>
}

/**
 * Concludes the catalogue from files that satisfy the rules. A repository that is the same object as before, with the same counts, becomes the same
 * entry as before.
 */
export function buildCatalogue(tree: ContentTree, { baseUrl, day, broken }: CatalogueOptions): Catalogue {
  const addresses = addressesBelow(baseUrl)
  const entries = new Map<string, CatalogueEntry>()
  const ranked: RankedRepository[] = []
  for (const [fullName, files] of sortByKey(tree.repositories)) {
    const entry = keepEntry(files, {
      baseUrl,
      stats: tree.usage.get(fullName) ?? null,
      broken: broken?.get(fullName) ?? [],
    })
    entries.set(fullName, entry)
    if (entry.isListed) ranked.push(rankable(entry))
  }
  const listed = rank(ranked, day)
  return {
    baseUrl,
    entries,
    listed,
    tags: countTags(listed.top, addresses),
    users: buildUsers(tree, entries, listed.top, addresses),
    memberships: listMemberships(tree),
    equivalents: tree.equivalents,
  }
}

/** Weak, so that entries of repositories that are gone are freed. */
const kept = new WeakMap<RepositoryEntry, { given: string; entry: CatalogueEntry }>()

function keepEntry(
  files: RepositoryEntry,
  { baseUrl, stats, broken }: { baseUrl: string; stats: Stats | null; broken: readonly string[] },
): CatalogueEntry {
  const given = JSON.stringify([baseUrl, stats, broken])
  const before = kept.get(files)
  if (before?.given === given) return before.entry
  const made = { ...buildEntry(files, stats, addressesBelow(baseUrl)), broken }
  const entry = files.digest === undefined ? made : { ...made, digest: `${files.digest} ${given}` }
  kept.set(files, { given, entry })
  return entry
}

/** Makes every record of one repository. @param files at least one version */
export function buildEntry(files: RepositoryEntry, stats: Stats | null, addresses: Addresses): CatalogueEntry {
  const { owner, name } = files
  const file: RepositoryFile = files.file ?? UNSAID
  const ordered = [...files.versions].sort((a, b) => compareVersions(a.version, b.version))
  const isYanked = ({ version }: VersionEntry) => Object.hasOwn(file.yanked, version)
  const latest = ordered.find((version) => !isYanked(version))
  const versions = ordered.map((version, index) => ({
    summary: summariseVersion(version, file, addresses.version(owner, name, version.version)),
    record: recordVersion(version, ordered[index + 1]?.version ?? null, files, addresses),
  }))
  const summaries = versions.map(({ summary }) => summary)
  const repository = describeRepository({ owner, name, file, versions: summaries, latest, stats }, addresses)
  return {
    summary: summariseRepository(repository),
    repository,
    versions,
    isListed: file.status !== 'archived' && file.moved_to === null && latest !== undefined,
    replacedBy: file.replaced_by,
    broken: [],
  }
}

const SUMMARY_KEYS = RepositorySummary.keyof().options

/** The part of a repository's record that stands in lists, picked by name, so that a new field of the record reaches lists only when it is named here. */
function summariseRepository(repository: Repository): RepositorySummary {
  return pick(repository, SUMMARY_KEYS)
}

function rankable({ summary, repository, versions }: CatalogueEntry): RankedRepository {
  const active = versions
    .filter((version) => !version.summary.yanked)
    .map(({ record }) => ({
      version: record.version,
      previous_version: record.previous_version,
      published_at: record.published_at,
      changelog: record.changelog,
      hasProvenance: record.provenance !== null,
    }))
  return { summary, hasReadme: repository.readme !== '', variables: repository.variables, versions: active }
}

function countTags(listed: readonly RepositorySummary[], addresses: Addresses): TagRecord[] {
  const counts = new Map<string, number>()
  for (const { tags } of listed) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts]
    .map(([name, count]) => ({ name, count, url: addresses.tag(name) }))
    .sort((a, b) => b.count - a.count || compareText(a.name, b.name))
}

function buildUsers(
  tree: ContentTree,
  entries: Catalogue['entries'],
  listed: readonly RepositorySummary[],
  addresses: Addresses,
): Map<string, User> {
  const reposOf = new Map<string, RepositorySummary[]>()
  for (const handle of tree.owners.keys()) reposOf.set(handle, [])
  for (const { summary } of entries.values()) if (!reposOf.has(summary.owner)) reposOf.set(summary.owner, [])
  for (const summary of listed) reposOf.get(summary.owner)!.push(summary)
  const users = new Map<string, User>()
  for (const [handle, repos] of sortByKey(reposOf)) {
    const file = tree.owners.get(handle)
    users.set(handle, {
      handle,
      name: file?.name ?? null,
      bio: file?.bio || null,
      website: file?.website ?? null,
      avatar_url: file?.avatar_url ?? null,
      html_url: addresses.userPage(handle),
      repos_count: repos.length,
      repos: repos.sort(compareUpdates),
    })
  }
  return users
}

function sortByKey<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => compareText(a, b))
}
