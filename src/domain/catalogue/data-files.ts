// Owns what stands in every data file: the read answers of a whole catalogue, one file after the other.

import { membershipsPath } from '../access/memberships.ts'
import { listEnvelope } from '../api/envelope.ts'
import { LIMITS } from '../api/limits.ts'
import { describeApi } from '../api/openapi.ts'
import { DATA_FILES, SORTS } from '../api/routes.ts'
import type { MirrorEntry, RepositorySummary } from '../api/schema.ts'
import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import { compareNeighbours } from './difference.ts'

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
  const entries = catalogue.listed.top.map(({ full_name }) =>
    describeForMirrors(catalogue.entries.get(full_name)!, digest),
  )
  yield [DATA_FILES.index(), formatEnvelope(entries, onlyPageOf(entries), formatOnce)]
  for (const sort of SORTS) yield* paginate(catalogue.listed[sort], (page) => DATA_FILES.list(sort, page))
  yield [DATA_FILES.tags(), onOnePage(catalogue.tags)]
  yield* listTagFiles(catalogue)
  for (const user of catalogue.users.values()) yield [DATA_FILES.user(user.handle), formatRecord(user)]
  for (const [login, owners] of catalogue.memberships) yield [membershipsPath(login), JSON.stringify(owners)]
  yield [DATA_FILES.openapi(), JSON.stringify(describeApi(catalogue.baseUrl))]
}

/** Weak: an entry that stays the same from one build to the next is not digested again. */
const mirrored = new WeakMap<CatalogueEntry, MirrorEntry>()

function describeForMirrors(entry: CatalogueEntry, digest: Digest): MirrorEntry {
  const known = mirrored.get(entry)
  if (known) return known
  const { summary, repository } = entry
  const made: MirrorEntry = {
    ...summary,
    latest_sha256: repository.content_sha256,
    record_sha256: digest(formatRecord(repository)),
  }
  mirrored.set(entry, made)
  return made
}

const formatRecord = (record: object) => JSON.stringify({ data: record })

/** The data files of one repository. */
export function* listRepositoryFiles({ repository, versions }: CatalogueEntry): Generator<DataFile> {
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

/** Weak: a summary stands in up to thirty lists and is the same object in all of them, and in those of the next build. What stands in one file alone is not kept. */
const texts = new WeakMap<object, string>()

function formatOnce(record: object): string {
  const text = texts.get(record) ?? JSON.stringify(record)
  texts.set(record, text)
  return text
}

function formatEnvelope(
  records: readonly object[],
  place: { page: number; size: number; total: number },
  format: (record: object) => string,
): string {
  const { meta } = listEnvelope([], place)
  return `{"data":[${records.map((record) => format(record)).join(',')}],"meta":${JSON.stringify(meta)}}`
}

function* listTagFiles({ tags, listed }: Catalogue): Generator<DataFile> {
  for (const sort of SORTS) {
    const tagged = new Map<string, RepositorySummary[]>(tags.map(({ name }) => [name, []]))
    for (const summary of listed[sort]) for (const tag of summary.tags) tagged.get(tag)!.push(summary)
    for (const [tag, summaries] of tagged) yield* paginate(summaries, (page) => DATA_FILES.tagged(tag, sort, page))
  }
}

/** Page 1 exists even when it is empty. */
function* paginate(summaries: readonly RepositorySummary[], pathOf: (page: number) => string): Generator<DataFile> {
  const { pageSize: size } = LIMITS
  for (let page = 1; page === 1 || (page - 1) * size < summaries.length; page++) {
    const records = summaries.slice((page - 1) * size, page * size)
    yield [pathOf(page), formatEnvelope(records, { page, size, total: summaries.length }, formatOnce)]
  }
}
