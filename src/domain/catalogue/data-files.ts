// Says what stands in every data file: the read answers of a whole catalogue, one file after the other.

import { membershipsPath } from '../access/memberships.ts'
import { listEnvelope } from '../api/envelope.ts'
import { LIMITS } from '../api/limits.ts'
import { describeApi } from '../api/openapi.ts'
import { DATA_FILES, SORTS } from '../api/routes.ts'
import type { MirrorEntry, RepositorySummary } from '../api/schema.ts'
import type { Catalogue } from './catalogue.ts'
import { compareNeighbours } from './difference.ts'
import type { RecordDigests, RepositoryOutline, RepositoryRecords } from './outline.ts'
import { compareUpdates } from './ranking.ts'

/** A file to be written: its path from the site's root and its text. */
export type DataFile = readonly [path: string, text: string]

/** Computes the SHA-256 of a text's bytes in UTF-8, as lower-case hexadecimal. Handed in, because `domain` imports nothing of Node. */
export type Digest = (text: string) => string

/** Every data file of a catalogue. The same catalogue gives the same files in the same order. docs/contract.md section 4. */
export function* listDataFiles(catalogue: Catalogue, digest: Digest): Generator<DataFile> {
  yield* listSharedFiles(catalogue, digest)
  for (const entry of catalogue.entries.values()) yield* listRepositoryFiles(entry)
}

/** The files that hold parts of several repositories: lists, tags, owners and the index. */
export function* listSharedFiles(catalogue: Catalogue, digest: Digest): Generator<DataFile> {
  const { entries, listed, users, tags, memberships, baseUrl } = catalogue
  const describe = (summary: RepositorySummary): MirrorEntry => {
    const entry = entries.get(summary.full_name)!
    const { latest, record } = entry.digests ?? digestRecords(entry, digest)
    return { ...summary, latest_sha256: latest, record_sha256: record }
  }
  const format = rememberTexts()
  yield [DATA_FILES.index(), formatEnvelope(listed.top.map(describe), onlyPageOf(listed.top), JSON.stringify)]
  for (const sort of SORTS) yield* paginate(listed[sort], (page) => DATA_FILES.list(sort, page), format)
  yield listRecent(DATA_FILES.recent(), listed.top, format)
  yield [DATA_FILES.tags(), onOnePage(tags)]
  yield* listTagFiles(catalogue, format)
  yield [DATA_FILES.users(), onOnePage([...users.values()].map(({ handle, repos_count }) => ({ handle, repos_count })))]
  for (const user of users.values()) yield [DATA_FILES.user(user.handle), formatRecord(user)]
  for (const [login, owners] of memberships) yield [membershipsPath(login), JSON.stringify(owners)]
  yield [DATA_FILES.openapi(), JSON.stringify(describeApi(baseUrl))]
}

/** Digests what stands for the records of a repository. */
export function digestRecords({ repository }: Pick<RepositoryRecords, 'repository'>, digest: Digest): RecordDigests {
  return { latest: repository.content_sha256, record: digest(formatRecord(repository)) }
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

type Format = (record: object) => string

function* listTagFiles({ tags, listed }: Catalogue, format: Format): Generator<DataFile> {
  for (const sort of SORTS) {
    const tagged = new Map<string, RepositorySummary[]>(tags.map(({ name }) => [name, []]))
    for (const summary of listed[sort]) for (const tag of summary.tags) tagged.get(tag)!.push(summary)
    if (sort === 'top')
      for (const [tag, summaries] of tagged) yield listRecent(DATA_FILES.recentlyTagged(tag), summaries, format)
    for (const [tag, summaries] of tagged)
      yield* paginate(summaries, (page) => DATA_FILES.tagged(tag, sort, page), format)
  }
}

/** Prompts in a list of those with the newest versions: as many as a feed has entries. */
const MAX_RECENT = 30

function listRecent(path: string, summaries: readonly RepositorySummary[], format: Format): DataFile {
  const recent = [...summaries].sort(compareUpdates).slice(0, MAX_RECENT)
  return [path, formatEnvelope(recent, onlyPageOf(recent), format)]
}

/** Page 1 exists even when it is empty. */
function* paginate(
  summaries: readonly RepositorySummary[],
  pathOf: (page: number) => string,
  format: Format,
): Generator<DataFile> {
  const [{ pageSize: size }, total] = [LIMITS, summaries.length]
  for (let page = 1; page === 1 || (page - 1) * size < total; page++) {
    const records = summaries.slice((page - 1) * size, page * size)
    yield [pathOf(page), formatEnvelope(records, { page, size, total }, format)]
  }
}

/** The paths of the data files of one repository, in the order of `listRepositoryFiles`. */
export function listRepositoryPaths({ summary, releases }: Pick<RepositoryOutline, 'summary' | 'releases'>): string[] {
  const { owner, name, latest_version } = summary
  return [
    DATA_FILES.repository(owner, name),
    DATA_FILES.versions(owner, name),
    DATA_FILES.changes(owner, name),
    ...(latest_version === null ? [] : [DATA_FILES.raw(owner, name)]),
    ...releases.flatMap(({ version }) => [
      DATA_FILES.version(owner, name, version),
      DATA_FILES.rawVersion(owner, name, version),
    ]),
  ]
}
