// Generates the data files of a catalogue, which contain the responses of the read API: those of one repository here, those that combine several in shared-files.ts.

import { DATA_FILES } from '../../domain/api/data-paths.ts'
import { MAX_ACTIVITIES } from '../../domain/catalogue/activity.ts'
import { compareNeighbours } from '../../domain/catalogue/difference.ts'
import { sortResults } from '../../domain/catalogue/results.ts'
import { rowOf } from '../../domain/catalogue/version-row.ts'
import { describeSkill, formatSkill, latestSkill } from '../../domain/content/skill.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Catalogue } from '../catalogue.ts'
import { joinWords } from '../originals.ts'
import type { RecordDigests, RepositoryOutline, RepositoryRecords } from '../outline.ts'
import { formatChanges, formatEnvelope, formatRecord, onOnePage } from './format-data.ts'
import { findSharedData, type History, listHistoryFiles, listSharedData } from './shared-files.ts'

/** A file to write: its path relative to the site's root, and its text. */
export type DataFile = readonly [path: string, text: string]

/** Computes the SHA-256 of a string's UTF-8 bytes, in lowercase hexadecimal. Passed in, because the catalogue is pure: it imports nothing from Node. */
type Digest = (text: string) => string

/** Generates every data file of a catalogue. The same catalogue produces the same files in the same order. docs/contract.md section 4. */
export function* listDataFiles(catalogue: Catalogue, digest: Digest, history?: History): Generator<DataFile> {
  const entries = new Map(
    catalogue.entries
      .entries()
      .map(([name, entry]) => [name, { ...entry, digests: entry.digests ?? digestRecords(entry, digest) }]),
  )
  const known = { ...catalogue, entries }
  for (const path of listSharedData(known)) yield [path, findSharedData(known, path)!]
  if (history) for (const { path, format } of listHistoryFiles(known, history)) yield [path, format()]
  for (const entry of entries.values()) yield* listRepositoryFiles(entry)
}

/** Computes a digest that identifies a repository's records. */
export function digestRecords({ repository }: Pick<RepositoryRecords, 'repository'>, digest: Digest): RecordDigests {
  const skill = latestSkill(repository)
  const words = joinWords(repository.content ?? '')
  return {
    latest: repository.content_sha256,
    words: words === undefined ? null : digest(words),
    record: digest(formatRecord(repository)),
    skill: skill ? describeSkill(skill, digest) : null,
  }
}

/** Lists the data files of a version alone. They stay the same as long as its files and the next lower version do. */
export function listVersionPaths(owner: string, name: string, version: string): string[] {
  return [DATA_FILES.version, DATA_FILES.rawVersion, DATA_FILES.skill, DATA_FILES.capabilities].map((pathOf) =>
    pathOf(owner, name, version),
  )
}

/** Generates the data files of one repository. @param unchanged the versions whose own files are left out */
export function* listRepositoryFiles(
  { repository, versions }: RepositoryRecords,
  unchanged: ReadonlySet<string> = new Set(),
): Generator<DataFile> {
  const { owner, name } = repository
  const records = versions.map(({ record }) => record)
  yield [DATA_FILES.repository(owner, name), formatRecord(repository)]
  const summaries = versions.map(({ summary }) => summary)
  yield [DATA_FILES.versions(owner, name), onOnePage(summaries.map(rowOf))]
  for (const page of listPages(summaries.length)) {
    const place = { page, size: LIMITS.versionPageSize, total: summaries.length }
    const shown = summaries.slice((page - 1) * LIMITS.versionPageSize, page * LIMITS.versionPageSize)
    yield [DATA_FILES.versionPage(owner, name, page), formatEnvelope(shown, place, JSON.stringify)]
  }
  yield [DATA_FILES.changes(owner, name), formatChanges(compareNeighbours(records), records.length)]
  if (repository.content !== null) yield [DATA_FILES.raw(owner, name), repository.content]
  for (const record of records) {
    if (unchanged.has(record.version)) continue
    yield [DATA_FILES.version(owner, name, record.version), formatRecord(record)]
    yield [DATA_FILES.rawVersion(owner, name, record.version), record.content]
    if (record.skill)
      yield [DATA_FILES.skill(owner, name, record.version), formatSkill({ ...record, skill: record.skill })]
  }
  yield* listResultFiles({ repository, versions })
}

/** Lists the numbers of the pages with a repository's versions. */
export function listPages(versions: number): number[] {
  return Array.from({ length: Math.ceil(versions / LIMITS.versionPageSize) }, (_, index) => index + 1)
}

/** Generates the files with the results of a repository: those of each version, and the newest of all versions. */
function* listResultFiles({ repository: { owner, name }, versions }: RepositoryRecords): Generator<DataFile> {
  const tested = versions.flatMap(({ summary: { version }, results = [] }) =>
    results.length > 0 ? [{ version, results }] : [],
  )
  if (tested.length === 0) return
  for (const { version, results } of tested) yield [DATA_FILES.results(owner, name, version), onOnePage(results)]
  const newest = sortResults(tested.flatMap(({ results }) => results)).slice(0, MAX_ACTIVITIES)
  yield [DATA_FILES.newestResults(owner, name), onOnePage(newest)]
}

/** Lists the paths of one repository's data files: those of `listRepositoryFiles` in its order, then those of what its skills can do, of their files, and of the lists for APM and npm. */
export function listRepositoryPaths({
  summary,
  releases,
  blobs = [],
  tested = [],
}: Pick<RepositoryOutline, 'summary' | 'releases' | 'blobs' | 'tested'>): string[] {
  const { owner, name, latest_version } = summary
  return [
    DATA_FILES.repository(owner, name),
    DATA_FILES.versions(owner, name),
    ...listPages(releases.length).map((page) => DATA_FILES.versionPage(owner, name, page)),
    DATA_FILES.changes(owner, name),
    ...(latest_version === null ? [] : [DATA_FILES.raw(owner, name)]),
    ...releases.flatMap(({ version, isSkill }) => [
      DATA_FILES.version(owner, name, version),
      DATA_FILES.rawVersion(owner, name, version),
      ...(isSkill ? [DATA_FILES.skill(owner, name, version)] : []),
    ]),
    ...tested.map((version) => DATA_FILES.results(owner, name, version)),
    ...(tested.length > 0 ? [DATA_FILES.newestResults(owner, name)] : []),
    ...releases.flatMap(({ version, isSkill }) => (isSkill ? [DATA_FILES.capabilities(owner, name, version)] : [])),
    ...blobs.map((sha256) => DATA_FILES.blob(owner, name, sha256)),
    ...(releases.some(({ isSkill }) => isSkill) ? [DATA_FILES.apm(owner, name)] : []),
    DATA_FILES.npm(owner, name),
  ]
}
