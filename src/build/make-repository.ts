// Generates the data files of one repository, and the data that the next update needs.

import { makeEntry } from '../catalogue/entry.ts'
import type { RepositoryOutline, RepositoryRecords } from '../catalogue/outline.ts'
import { type DataFile, digestRecords, listRepositoryFiles } from '../catalogue/published/data-files.ts'
import type { openBundles } from '../content/version-files.ts'
import { DATA_FILES } from '../domain/api/data-paths.ts'
import { capabilitiesEnvelope } from '../domain/api/envelope.ts'
import type { Repository, VersionRecord } from '../domain/api/schema.ts'
import type { RepositoryEntry } from '../domain/content/content-tree.ts'
import { findModelStatus, type Models } from '../domain/content/models.ts'
import { inspectVersion } from '../domain/inspect/inspect-version.ts'
import { type ArchivedFile, packSkill } from '../files/archive.ts'
import { digestText } from '../files/measure.ts'
import { listForApm } from '../skills/apm.ts'
import { formatPackument, type PackageDigests } from '../skills/npm.ts'
import { digestPackage, packPackage } from '../skills/npm-package.ts'
import { digestPlugin } from '../skills/plugin.ts'
import type { StoredRepository } from './data-sink.ts'

/** A data file that is not text: its path, and a function that makes its bytes. */
type BundleFile = readonly [path: string, bytesOf: () => Uint8Array]

/** The sources of a repository's records other than its files. `stats` are its download counts and `added` the times at which its versions came to the branch, as JSON; `readFile` reads a file of a skill; `unchanged` are the versions whose own files are left out, `packages` the digests of their npm packages, and `before` what the previous update stored. */
interface Context {
  baseUrl: string
  stats: string
  added: string
  models: Models
  readFile: ReturnType<typeof openBundles>
  unchanged: ReadonlySet<string>
  packages: ReadonlyMap<string, PackageDigests>
  before: Pick<StoredRepository, 'outline' | 'digests'> | undefined
}

/** Generates a repository's data files and stored data. */
export function makeRepository(
  files: RepositoryEntry,
  { baseUrl, stats, added, models, readFile, unchanged, packages, before }: Context,
): {
  repository: Repository
  files: Iterable<DataFile>
  bundles: Iterable<BundleFile>
  part: Omit<StoredRepository, 'marks'>
} {
  const given = { baseUrl, stats: JSON.parse(stats), added: JSON.parse(added), models }
  const { repository, versions, ...outline } = makeEntry(files, given)
  const statuses = formatStatuses(outline, models)
  const latest = versions.find(({ record }) => record.version === repository.latest_version)?.record
  const isSame = latest && unchanged.has(latest.version) && before?.outline.summary.latest_version === latest.version
  const known = isSame ? before?.digests.plugin : undefined
  const plugin = known === undefined && latest ? digestPluginOf(latest, readFile) : (known ?? null)
  const digests = { ...digestRecords({ repository }, digestText), plugin }
  const part = { stats, added, models: statuses, outline, digests }
  // A copy is returned, because strings sliced from a file's content would keep the whole content in memory.
  const bundles = listBundleFiles(
    versions.map(({ record }) => record),
    readFile,
  )
  const texts = function* (): Generator<DataFile> {
    const records = { repository, versions }
    yield* listRepositoryFiles(records, unchanged)
    yield* listCapabilityFiles(versions, { readFile, unchanged })
    yield* listApmFiles(records)
    yield makeNpmFile(records, { baseUrl, readFile, packages })
  }
  return { repository, files: texts(), bundles, part: JSON.parse(JSON.stringify(part)) }
}

/** Makes the list of versions for npm. @param packages the digests that are known; all others take reading the whole version */
export function makeNpmFile(
  { repository, versions }: RepositoryRecords,
  { baseUrl, readFile, packages }: Pick<Context, 'baseUrl' | 'readFile' | 'packages'>,
): DataFile {
  const { owner, name } = repository
  const digests = new Map(
    versions.map(({ record }) => [record.version, packages.get(record.version) ?? digestRead(record, readFile)]),
  )
  const summaries = versions.map(({ summary }) => summary)
  return [DATA_FILES.npm(owner, name), formatPackument({ repository, versions: summaries }, digests, baseUrl)]
}

const digestRead = (record: VersionRecord, readFile: Context['readFile']): PackageDigests =>
  digestPackage(packPackage(record, readFiles(record, readFile)))

function digestPluginOf(record: VersionRecord, readFile: Context['readFile']): string | null {
  const { skill } = record
  return skill && digestPlugin({ ...record, skill }, readFiles(record, readFile))
}

const readFiles = (record: VersionRecord, readFile: Context['readFile']): ArchivedFile[] =>
  record.files.map((file) => ({ path: file.path, bytes: readFile(record, file) }))

/** Generates the lists of what skills can do. */
export function* listCapabilityFiles(
  versions: RepositoryRecords['versions'],
  { readFile, unchanged }: Pick<Context, 'readFile' | 'unchanged'>,
): Generator<DataFile> {
  for (const { record } of versions) {
    if (!record.skill || unchanged.has(record.version)) continue
    const capabilities = inspectVersion(record, readFiles(record, readFile), digestText)
    yield [
      DATA_FILES.capabilities(record.owner, record.name, record.version),
      JSON.stringify(capabilitiesEnvelope(capabilities)),
    ]
  }
}

/** Generates the list of versions for APM, if any version is a skill. */
export function* listApmFiles({ repository, versions }: RepositoryRecords): Generator<DataFile> {
  const { owner, name, full_name } = repository
  const text = listForApm(full_name, versions)
  if (text !== undefined) yield [DATA_FILES.apm(owner, name), text]
}

/** Generates the files of skills, their archives and attestations, each once, because versions share files. */
export function* listBundleFiles(
  records: readonly VersionRecord[],
  readFile: ReturnType<typeof openBundles>,
): Generator<BundleFile> {
  const done = new Set<string>()
  for (const record of records) {
    const { owner, name, files, bundle_sha256, skill } = record
    for (const { name: attestation, sha256 } of record.attestations) {
      if (done.has(sha256)) continue
      done.add(sha256)
      yield [DATA_FILES.blob(owner, name, sha256), () => readFile(record, { attestation, sha256 })]
    }
    if (bundle_sha256 === null || !skill) continue
    const bytesOf = (file: (typeof files)[number]) => readFile(record, file)
    const pack = () =>
      packSkill(
        { ...record, skill },
        files.map((file) => ({ path: file.path, bytes: bytesOf(file) })),
      )
    const makers = [...files.map((file) => [file.sha256, () => bytesOf(file)] as const), [bundle_sha256, pack] as const]
    for (const [sha256, make] of makers) {
      if (done.has(sha256)) continue
      done.add(sha256)
      yield [DATA_FILES.blob(owner, name, sha256), make]
    }
  }
}

/** Formats what is announced about the models of a repository's versions; empty if nothing is, as for nearly every repository. */
export function formatStatuses({ releases }: Pick<RepositoryOutline, 'releases'>, models: Models): string {
  const known = releases.flatMap(({ model }) => findModelStatus(models, model) ?? [])
  return known.length === 0 ? '' : JSON.stringify(known)
}
