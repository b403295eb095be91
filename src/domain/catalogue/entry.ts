// Owns one repository of the catalogue: its outline, which is at hand, and its records, which are held or made of its files whenever they are asked for.
import { type Addresses, addressesBelow } from '../api/record-links.ts'
import type { KeptOutline, RepositoryEntry, VersionEntry } from '../content/content-tree.ts'
import { type RepositoryFile, UNSAID } from '../content/prompt-file.ts'
import type { Stats } from '../content/values.ts'
import { type Digest, digestRecords } from './data-files.ts'
import { outlineRepository, type RepositoryOutline, type RepositoryRecords } from './outline.ts'
import { describeRepository, recordVersion, summariseVersion } from './repository-records.ts'
import { compareVersions } from './versions.ts'

/** One repository with its outline and every record that is answered about it. */
export interface CatalogueEntry extends RepositoryOutline, RepositoryRecords {
  /** Why an older state is served than the files have, as sentences for its page; empty when the newest is served. */
  broken: readonly string[]
  /** Changes whenever anything in here may; absent when that cannot be told. */
  digest?: string
  /** What it was made of, when its records are made anew whenever they are asked for. */
  stored?: StoredFiles
}

/** Files that are kept somewhere, and what was concluded from them. */
export type StoredFiles = Pick<RepositoryEntry, 'owner' | 'name' | 'digest'> & { kept: KeptOutline }

/** What an entry is made of beside its files. */
export interface EntryParts {
  /** The hub's own address, without a final slash. */
  baseUrl: string
  stats: Stats | null
  broken: readonly string[]
}

/** Weak, so that entries of repositories that are gone are freed. */
const made = new WeakMap<RepositoryEntry, { given: string; entry: CatalogueEntry }>()

/** Makes an entry; files that are the same object as before, with the same parts, become the same entry as before. */
export function keepEntry(files: RepositoryEntry, parts: EntryParts): CatalogueEntry {
  const given = nameParts(parts)
  const before = made.get(files)
  if (before?.given === given) return before.entry
  const more = { broken: parts.broken, ...(files.digest !== undefined && { digest: `${files.digest} ${given}` }) }
  const { kept } = files
  const entry = kept?.given === given ? openEntry(files, kept, parts, more) : { ...holdEntry(files, parts), ...more }
  made.set(files, { given, entry })
  return entry
}

/** Concludes from the files of a repository what is to be kept of it. */
export function concludeEntry(files: RepositoryEntry, parts: EntryParts, digest: Digest): KeptOutline {
  const { repository, versions, ...outline } = holdEntry(files, parts)
  return { given: nameParts(parts), outline, digests: digestRecords({ repository }, outline.summary, digest) }
}

/** Stands for the parts, to see whether an outline that was kept is still true. */
export const nameParts = ({ baseUrl, stats, broken }: EntryParts): string => JSON.stringify([baseUrl, stats, broken])

type More = Pick<CatalogueEntry, 'broken' | 'digest'>

/** The records that were asked for last: whoever asks for one asks for the others of the same repository next. */
let opened: { entry: object; records: RepositoryRecords } | undefined

function openEntry(files: RepositoryEntry, kept: KeptOutline, parts: EntryParts, more: More): CatalogueEntry {
  const open = () => {
    if (opened?.entry !== entry)
      opened = { entry, records: makeRecords(files, parts.stats, addressesBelow(parts.baseUrl)) }
    return opened.records
  }
  const entry: CatalogueEntry = {
    ...{ ...kept.outline, ...more, stored: { owner: files.owner, name: files.name, digest: files.digest, kept } },
    get repository() {
      return open().repository
    },
    get versions() {
      return open().versions
    },
  }
  return entry
}

function holdEntry(files: RepositoryEntry, { stats, baseUrl }: EntryParts): RepositoryOutline & RepositoryRecords {
  const { status, replaced_by } = files.file ?? UNSAID
  const records = makeRecords(files, stats, addressesBelow(baseUrl))
  const outline = outlineRepository(records, { isArchived: status === 'archived', replacedBy: replaced_by })
  return { ...outline, ...records }
}

/** Makes every record of one repository. @param files at least one version */
function makeRecords(files: RepositoryEntry, stats: Stats | null, addresses: Addresses): RepositoryRecords {
  const { owner, name, versions: given } = files
  const file: RepositoryFile = files.file ?? UNSAID
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
