// Owns what stands in every data file: the read answers of a whole catalogue, one file after the other.

import { membershipsPath } from '../access/memberships.ts'
import { listEnvelope } from '../api/envelope.ts'
import { LIMITS } from '../api/limits.ts'
import { describeApi } from '../api/openapi.ts'
import { DATA_FILES, SORTS } from '../api/routes.ts'
import type { MirrorEntry, RepositorySummary } from '../api/schema.ts'
import type { Catalogue } from './catalogue.ts'
import { compareNeighbours } from './difference.ts'
import type { CatalogueEntry } from './entry.ts'
import type { RecordDigests, RepositoryRecords } from './outline.ts'
import { compareUpdates } from './ranking.ts'

/** A file to be written: its path from the site's root and its text. */
export type DataFile = readonly [path: string, text: string]

/** Computes the SHA-256 of a text's bytes in UTF-8, as lower-case hexadecimal. Handed in, because `domain` imports nothing of Node. */
export type Digest = (text: string) => string

/** A file that holds parts of several repositories. */
export interface SharedFile {
  /** From the site's root. */
  path: string
  /** Stands for the text: as long as it is the same, so is the text. Undefined when nothing does. */
  key: string | undefined
  /** Makes the text. */
  text: () => string
}

/** Every data file of a catalogue. The same catalogue gives the same files in the same order. docs/contract.md section 4. */
export function* listDataFiles(catalogue: Catalogue, digest: Digest): Generator<DataFile> {
  for (const { path, text } of listSharedFiles(catalogue, digest)) yield [path, text()]
  for (const entry of catalogue.entries.values()) yield* listRepositoryFiles(entry)
}

/** The files that hold parts of several repositories: lists, tags, owners and the index. None of them is made before its text is asked for. */
export function* listSharedFiles(catalogue: Catalogue, digest: Digest): Generator<SharedFile> {
  const { entries, listed, users, tags, memberships, baseUrl } = catalogue
  const digestsOf = ({ full_name }: RepositorySummary) => findDigests(entries.get(full_name)!, digest)
  const describe = (summary: RepositorySummary): MirrorEntry => {
    const { latest, record } = digestsOf(summary)
    return { ...summary, latest_sha256: latest, record_sha256: record }
  }
  const names = new Map(listed.top.map((summary) => [summary, shortenDigest(digestsOf(summary).summary)]))
  const nameAll = (summaries: readonly RepositorySummary[]) => summaries.map((summary) => names.get(summary)).join(' ')
  const lists = { name: nameAll, format: rememberTexts() }
  const plain = (path: string, text: string): SharedFile => ({ path, key: text, text: () => text })
  yield {
    path: DATA_FILES.index(),
    key: listed.top.map((summary) => digestsOf(summary).record).join(' '),
    text: () => formatEnvelope(listed.top.map(describe), onlyPageOf(listed.top), JSON.stringify),
  }
  for (const sort of SORTS) yield* paginate(listed[sort], (page) => DATA_FILES.list(sort, page), lists)
  yield listRecent(DATA_FILES.recent(), listed.top, lists)
  yield plain(DATA_FILES.tags(), onOnePage(tags))
  yield* listTagFiles(catalogue, lists)
  yield plain(
    DATA_FILES.users(),
    onOnePage([...users.values()].map(({ handle, repos_count }) => ({ handle, repos_count }))),
  )
  for (const user of users.values())
    yield {
      path: DATA_FILES.user(user.handle),
      key: `${JSON.stringify({ ...user, repos: [] })} ${nameAll(user.repos)}`,
      text: () => formatRecord(user),
    }
  for (const [login, owners] of memberships) yield plain(membershipsPath(login), JSON.stringify(owners))
  yield plain(DATA_FILES.openapi(), JSON.stringify(describeApi(baseUrl)))
}

/** Enough of a digest to tell the states of one thing apart: 88 bits. */
export const shortenDigest = (sha256: string) => sha256.slice(0, 22)

/** Digests what stands for the records of a repository. */
export function digestRecords(
  { repository }: Pick<RepositoryRecords, 'repository'>,
  summary: RepositorySummary,
  digest: Digest,
): RecordDigests {
  return {
    latest: repository.content_sha256,
    record: digest(formatRecord(repository)),
    summary: digest(JSON.stringify(summary)),
  }
}

/** Weak: an entry that stays the same from one build to the next is not digested again. */
const digested = new WeakMap<CatalogueEntry, RecordDigests>()

function findDigests(entry: CatalogueEntry, digest: Digest): RecordDigests {
  const known = entry.stored?.kept.digests ?? digested.get(entry)
  if (known) return known
  const found = digestRecords(entry, entry.summary, digest)
  digested.set(entry, found)
  return found
}

const formatRecord = (record: object) => JSON.stringify({ data: record })

/** The data files of one repository. */
export function* listRepositoryFiles({ repository, versions }: RepositoryRecords): Generator<DataFile> {
  const { owner, name } = repository
  const records = versions.map(({ record }) => record)
  yield [DATA_FILES.repository(owner, name), formatRecord(repository)]
  yield [DATA_FILES.versions(owner, name), onOnePage(versions.map(({ summary }) => summary))]
  yield [DATA_FILES.changes(owner, name), onOnePage(compareNeighbours(records))]
  if (repository.content !== null) yield [DATA_FILES.raw(owner, name), repository.content]
  for (const record of records) {
    yield [DATA_FILES.version(owner, name, record.version), formatRecord(record)]
    yield [DATA_FILES.rawVersion(owner, name, record.version), record.content]
  }
}

/** The envelope of a list that has no second page, as text. */
export function onOnePage(records: readonly object[]): string {
  return formatEnvelope(records, onlyPageOf(records), JSON.stringify)
}

const onlyPageOf = ({ length }: readonly object[]) => ({ page: 1, size: Math.max(1, length), total: length })

/** Makes a function that says a summary's text: it stands in up to thirty lists, and is made for the first. */
function rememberTexts(): (record: object) => string {
  const texts = new Map<object, string>()
  return (record) => {
    const text = texts.get(record) ?? JSON.stringify(record)
    texts.set(record, text)
    return text
  }
}

function formatEnvelope(
  records: readonly object[],
  place: { page: number; size: number; total: number },
  format: (record: object) => string,
): string {
  const { meta } = listEnvelope([], place)
  return `{"data":[${records.map((record) => format(record)).join(',')}],"meta":${JSON.stringify(meta)}}`
}

interface ListTools {
  /** Says a text that stands for some summaries in their order. */
  name: (summaries: readonly RepositorySummary[]) => string
  format: (record: object) => string
}

function* listTagFiles({ tags, listed }: Catalogue, tools: ListTools): Generator<SharedFile> {
  for (const sort of SORTS) {
    const tagged = new Map<string, RepositorySummary[]>(tags.map(({ name }) => [name, []]))
    for (const summary of listed[sort]) for (const tag of summary.tags) tagged.get(tag)!.push(summary)
    if (sort === 'top')
      for (const [tag, summaries] of tagged) yield listRecent(DATA_FILES.recentlyTagged(tag), summaries, tools)
    for (const [tag, summaries] of tagged)
      yield* paginate(summaries, (page) => DATA_FILES.tagged(tag, sort, page), tools)
  }
}

/** Prompts in a list of those with the newest versions: as many as a feed has entries. */
const MAX_RECENT = 30

function listRecent(path: string, summaries: readonly RepositorySummary[], { name, format }: ListTools): SharedFile {
  const recent = [...summaries].sort(compareUpdates).slice(0, MAX_RECENT)
  return { path, key: name(recent), text: () => formatEnvelope(recent, onlyPageOf(recent), format) }
}

/** Page 1 exists even when it is empty. */
function* paginate(
  summaries: readonly RepositorySummary[],
  pathOf: (page: number) => string,
  { name, format }: ListTools,
): Generator<SharedFile> {
  const [{ pageSize: size }, total] = [LIMITS, summaries.length]
  for (let page = 1; page === 1 || (page - 1) * size < total; page++) {
    const records = summaries.slice((page - 1) * size, page * size)
    yield {
      path: pathOf(page),
      key: `${total} ${name(records)}`,
      text: () => formatEnvelope(records, { page, size, total }, format),
    }
  }
}
