// Finds records for all handlers, in the built file or, if there is a newer publish, in the fresh copy.

import { type Bytes, parseBuilt, readBuilt, type SiteFiles } from '../../built/site-files.ts'
import { addressesBelow, DATA_FILES } from '../../domain/api/data-paths.ts'
import { type ListEnvelope, listEnvelope } from '../../domain/api/envelope.ts'
import type { Repository, TagRecord, User, VersionRecord, VersionRow, VersionSummary } from '../../domain/api/schema.ts'
import type { Profile } from '../../domain/catalogue/owner-records.ts'
import { rowOf } from '../../domain/catalogue/version-row.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { FreshCopy } from '../../state/fresh-copies.ts'
import type { Hub, Sources } from '../hub.ts'
import type { Answer } from '../respond.ts'

/** The fields that most readers of a repository need. */
interface RepositoryFacts
  extends Pick<
    Repository,
    'full_name' | 'labels' | 'latest_version' | 'moved_to' | 'status' | 'versions' | 'versions_count'
  > {
  /** The latest version's content; undefined if there is no version. */
  latestContent: Bytes | undefined
}

/** The bytes of a response, and any media type, caching or headers that differ from the route's defaults. */
export type FoundAnswer = Partial<Answer> & { bytes: Bytes }

/** A repository's built record and fresh copy. */
interface Newest {
  /** The built record; undefined if the build does not include the repository. */
  built: Bytes | undefined
  /** The fresh copy, if the build does not include its commit. */
  copy: FreshCopy | undefined
}

/** Looks up a repository in the build and among the fresh copies. */
export async function findNewest(owner: string, name: string, { siteFiles, fresh }: Sources): Promise<Newest> {
  const [built, copy] = await Promise.all([
    siteFiles.read(DATA_FILES.repository(owner, name)),
    fresh.held?.size === 0 ? undefined : fresh.find('repositories', owner, name),
  ])
  // The last version was deleted, and the build may still have it.
  if (copy?.repository.versions_count === 0) return { built: undefined, copy: undefined }
  return { built, copy }
}

/** A record, available as a parsed value or as a response; both are created on demand. */
interface FoundRecord<Value> {
  /** The parsed record. */
  value: () => Value
  /** The read API's response that contains it. */
  bytes: () => Bytes
}

/** A repository found by `findRepository`. */
export interface FoundRepository extends FoundRecord<Repository> {
  /** Read from the record when it is first asked for, and kept. */
  readonly facts: RepositoryFacts
}

/** Returns a repository, whether or not it is listed; undefined if it does not exist. */
export async function findRepository(
  owner: string,
  name: string,
  sources: Sources,
): Promise<FoundRepository | undefined> {
  const { built, copy } = await findNewest(owner, name, sources)
  const source = copy?.repository ?? built
  return source && openRepository(source)
}

/** Returns the prompt that replaces one, as the build alone says, because no redirect waits for the state. @returns `owner/name`; null if there is none */
export async function findSuccessor(owner: string, name: string, siteFiles: SiteFiles): Promise<string | null> {
  const built = await siteFiles.read(DATA_FILES.repository(owner, name))
  return built ? openRepository(built).facts.moved_to : null
}

/** Repositories by their records, of which hosts keep the popular ones: parsing one may take 0.2 s. */
const opened = new WeakMap<Bytes | Repository, FoundRepository>()

function openRepository(source: Bytes | Repository): FoundRepository {
  const known = opened.get(source)
  if (known) return known
  const record = source instanceof Uint8Array ? recordFromBytes<Repository>(source) : recordFromValue(source, single)
  let facts: RepositoryFacts | undefined
  const repository = {
    ...record,
    get facts() {
      facts ??= pickFacts(record.value())
      return facts
    },
  }
  opened.set(source, repository)
  return repository
}

function pickFacts(repository: Repository): RepositoryFacts {
  const { full_name, labels, latest_version, moved_to, status, versions, versions_count, content } = repository
  const latestContent = content === null ? undefined : encode(content)
  return { full_name, labels, latest_version, moved_to, status, versions, versions_count, latestContent }
}

/** Returns a version, which may be yanked; undefined if it does not exist. A version never changes, so the first source that has it can be used. */
export async function findVersion(
  owner: string,
  name: string,
  version: string,
  { siteFiles, fresh }: Sources,
): Promise<FoundRecord<VersionRecord> | undefined> {
  const built = await siteFiles.read(DATA_FILES.version(owner, name, version))
  if (built) return recordFromBytes(built)
  const copy = await fresh.find('versions', owner, name, version)
  return copy && recordFromValue(copy.version, single)
}

/** Parsed lists of versions, by their bytes or by the copy, which hosts keep: a thousand versions take milliseconds to parse. */
const knownRows = new WeakMap<object, readonly VersionRow[]>()

/** Returns a repository with all of its versions in brief, highest first; undefined if it does not exist. */
export async function findVersions(
  owner: string,
  name: string,
  sources: Sources,
): Promise<{ repository: FoundRepository; versions: readonly VersionRow[] } | undefined> {
  const { built, copy } = await findNewest(owner, name, sources)
  const bytes = copy || !built ? undefined : await sources.siteFiles.read(DATA_FILES.versions(owner, name))
  if (copy) return { repository: openRepository(copy.repository), versions: rowsIn(copy) }
  return bytes && { repository: openRepository(built!), versions: rowsIn(bytes) }
}

/** Returns all versions of a repository in brief, highest first; none if it does not exist. */
export async function listVersions(
  owner: string,
  name: string,
  { siteFiles, fresh }: Sources,
): Promise<readonly VersionRow[]> {
  const copy = fresh.held?.size === 0 ? undefined : await fresh.find('repositories', owner, name)
  const source = copy ?? (await siteFiles.read(DATA_FILES.versions(owner, name)))
  return source ? rowsIn(source) : []
}

/** Returns the versions in brief that a copy or a built list has. */
export function rowsIn(source: FreshCopy | Bytes): readonly VersionRow[] {
  const known = knownRows.get(source)
  if (known) return known
  const rows = 'versions' in source ? source.versions.map(rowOf) : parseBuilt<{ data: VersionRow[] }>(source).data
  knownRows.set(source, rows)
  return rows
}

/** Returns a repository with a page of its versions, highest first; undefined if it does not exist. A page past the end is empty. */
export async function findVersionPage(
  owner: string,
  name: string,
  page: number,
  sources: Sources,
): Promise<{ repository: FoundRepository; versions: FoundRecord<ListEnvelope<VersionSummary>> } | undefined> {
  const { built, copy } = await findNewest(owner, name, sources)
  const place = (total: number) => ({ page, size: LIMITS.versionPageSize, total })
  if (copy) {
    const first = (page - 1) * LIMITS.versionPageSize
    const shown = copy.versions.slice(first, first + LIMITS.versionPageSize)
    const envelope = listEnvelope(shown, place(copy.versions.length))
    return { repository: openRepository(copy.repository), versions: recordFromValue(envelope, asIs) }
  }
  if (!built) return undefined
  const repository = openRepository(built)
  const bytes = await sources.siteFiles.read(DATA_FILES.versionPage(owner, name, page))
  if (bytes) return { repository, versions: { bytes: () => bytes, value: () => parseBuilt(bytes) } }
  const envelope = listEnvelope<VersionSummary>([], place(repository.facts.versions_count))
  return { repository, versions: recordFromValue(envelope, asIs) }
}

/** Returns only the content of a version; undefined if the version does not exist. */
export async function findContent(
  owner: string,
  name: string,
  version: string,
  { siteFiles, fresh }: Sources,
): Promise<Bytes | undefined> {
  const built = await siteFiles.read(DATA_FILES.rawVersion(owner, name, version))
  if (built) return built
  const copy = await fresh.find('versions', owner, name, version)
  return copy && encode(copy.version.content)
}

/** Number of bytes of a text that are decoded for its picture and its first line; lists show less. */
const DECODED_BYTES = 8_000

/** Reads the start of the latest content in the build, from which lists draw its picture and its first line. @returns undefined if there is none, or if it cannot be read: a list is useful without pictures */
export async function findContentStart(
  owner: string,
  name: string,
  { siteFiles }: Pick<Sources, 'siteFiles'>,
): Promise<string | undefined> {
  const bytes = await siteFiles.read(DATA_FILES.raw(owner, name)).catch(() => undefined)
  return bytes && new TextDecoder().decode(bytes.subarray(0, DECODED_BYTES), { stream: true })
}

type UserSources = Sources & Pick<Hub, 'baseUrl'>

/** Returns an owner; undefined if it has neither a file nor a prompt. */
export async function findUser(handle: string, sources: UserSources): Promise<FoundRecord<User> | undefined> {
  const copy = await sources.fresh.find('owners', handle)
  if (copy) return recordFromValue(await showUser(handle, copy.profile, sources), single)
  const built = await sources.siteFiles.read(DATA_FILES.user(handle))
  return built && recordFromBytes(built)
}

/** Builds the record of an owner from its profile and its prompts in the build. */
export async function showUser(handle: string, profile: Profile, sources: UserSources): Promise<User> {
  const [built, { describeOwner }] = await Promise.all([
    sources.siteFiles.read(DATA_FILES.user(handle)),
    import('../../domain/catalogue/owner-records.ts'),
  ])
  const { repos } = built ? parseBuilt<{ data: User }>(built).data : { repos: [] }
  return describeOwner(handle, profile, repos, addressesBelow(sources.baseUrl))
}

/** Returns all tags, most used first. */
export async function findTags({ siteFiles }: Pick<Sources, 'siteFiles'>): Promise<FoundRecord<TagRecord[]>> {
  return recordFromBytes(await readBuilt(siteFiles, DATA_FILES.tags()))
}

/** Encodes a string as UTF-8. */
export function encode(text: string): Bytes {
  return new TextEncoder().encode(text)
}

function recordFromBytes<Value>(bytes: Bytes): FoundRecord<Value> {
  return { bytes: () => bytes, value: () => parseBuilt<{ data: Value }>(bytes).data }
}

/** The bytes of records, by their values: a copy in memory is the same object at each read, and a list of versions may have megabytes. */
const encoded = new WeakMap<object, Bytes>()

function recordFromValue<Value extends object>(value: Value, wrap: (value: Value) => unknown): FoundRecord<Value> {
  return {
    value: () => value,
    bytes() {
      const bytes = encoded.get(value) ?? encode(JSON.stringify(wrap(value)))
      encoded.set(value, bytes)
      return bytes
    },
  }
}

function single<Value>(data: Value) {
  return { data }
}

function asIs<Value>(value: Value): Value {
  return value
}
