// Finds records for every handler: in the built file, or in the fresh copy if a publish is newer.
import type { ListEnvelope } from '../../domain/api/envelope.ts'
import { DATA_FILES } from '../../domain/api/routes.ts'
import type { Repository, TagRecord, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import type { FreshCopies, FreshCopy } from '../../ports/fresh-copies.ts'
import type { Search } from '../../ports/search.ts'
import type { Bytes, SiteFiles } from '../../ports/site-files.ts'
import { parseBuilt, readBuilt } from '../../ports/site-files.ts'
import type { Answer } from '../respond.ts'

/** The sources of a repository's newest state. */
export interface Sources {
  siteFiles: SiteFiles
  fresh: FreshCopies
}

/** The sources of responses. */
export interface ReadDeps extends Sources {
  /** The hub's own base URL, without a trailing slash. */
  baseUrl: string
  /** Opened on first use: most responses need no search. */
  search: () => Search
}

/** The bytes of a response, and where it differs from its route's default media type, caching and headers. */
export type Found = Partial<Answer> & { bytes: Bytes }

/** A repository in the build and in the fresh copies. */
interface Newest {
  /** The built record, or undefined if no build has the repository. */
  built: Bytes | undefined
  /** The copy, if the build has not read its commit. */
  copy: FreshCopy | undefined
}

/** Looks up a repository in the build and among the copies. */
export async function findNewest(owner: string, name: string, { siteFiles, fresh }: Sources): Promise<Newest> {
  const [built, copy] = await Promise.all([siteFiles.read(DATA_FILES.repository(owner, name)), fresh.find(owner, name)])
  return { built, copy }
}

/** A record, as bytes for the response or as a parsed value; created on demand. */
interface FoundRecord<Value> {
  /** The value. */
  value: () => Value
  /** The read API's response that contains it. */
  bytes: () => Bytes
}

/** The most frequently used parts of a repository, parsed from its record only once. */
interface RepositoryFacts
  extends Pick<Repository, 'full_name' | 'labels' | 'latest_version' | 'moved_to' | 'versions'> {
  /** The latest version's content; undefined without a version. */
  latestContent: Bytes | undefined
}

/** A repository that was found. */
export interface FoundRepository extends FoundRecord<Repository> {
  facts: () => RepositoryFacts
}

/** Returns a repository, listed or not; undefined if there is none. */
export async function findRepository(
  owner: string,
  name: string,
  sources: Sources,
): Promise<FoundRepository | undefined> {
  const { built, copy } = await findNewest(owner, name, sources)
  return copy ? repositoryFromCopy(copy.repository) : built && repositoryFromBytes(built)
}

/** Parsed parts by the bytes of the record; hosts cache the bytes of popular files. */
const factsByBytes = new WeakMap<Bytes, RepositoryFacts>()

function repositoryFromBytes(bytes: Bytes): FoundRepository {
  const record = recordFromBytes<Repository>(bytes)
  const facts = () => {
    const known = factsByBytes.get(bytes) ?? factsOf(record.value())
    factsByBytes.set(bytes, known)
    return known
  }
  return { ...record, facts }
}

function repositoryFromCopy(repository: Repository): FoundRepository {
  return { ...recordFromValue(repository, single), facts: () => factsOf(repository) }
}

function factsOf(repository: Repository): RepositoryFacts {
  const { full_name, labels, latest_version, moved_to, versions, content } = repository
  const latestContent = content === null ? undefined : encode(content)
  return { full_name, labels, latest_version, moved_to, versions, latestContent }
}

/** Returns a version, which may be yanked; undefined if there is none. A version never changes, so the first source that has it is correct. */
export async function findVersion(
  owner: string,
  name: string,
  version: string,
  { siteFiles, fresh }: Sources,
): Promise<FoundRecord<VersionRecord> | undefined> {
  const built = await siteFiles.read(DATA_FILES.version(owner, name, version))
  if (built) return recordFromBytes(built)
  const record = await fresh.findVersion(owner, name, version)
  return record && recordFromValue(record, single)
}

/** Returns a repository and its versions, highest first; undefined if there is no such repository. */
export async function findVersions(
  owner: string,
  name: string,
  sources: Sources,
): Promise<{ repository: FoundRepository; versions: FoundRecord<VersionSummary[]> } | undefined> {
  const { built, copy } = await findNewest(owner, name, sources)
  if (copy)
    return { repository: repositoryFromCopy(copy.repository), versions: recordFromValue(copy.versions, onePage) }
  const versions = built && (await sources.siteFiles.read(DATA_FILES.versions(owner, name)))
  return versions && { repository: repositoryFromBytes(built), versions: recordFromBytes(versions) }
}

/** Returns only the content of a version; undefined if there is no such version. */
export async function findContent(
  owner: string,
  name: string,
  version: string,
  { siteFiles, fresh }: Sources,
): Promise<Bytes | undefined> {
  const built = await siteFiles.read(DATA_FILES.rawVersion(owner, name, version))
  if (built) return built
  const record = await fresh.findVersion(owner, name, version)
  return record && encode(record.content)
}

/** Returns every tag, most used first. */
export async function findTags({ siteFiles }: Pick<Sources, 'siteFiles'>): Promise<FoundRecord<TagRecord[]>> {
  return recordFromBytes(await readBuilt(siteFiles, DATA_FILES.tags()))
}

/** Returns a string's UTF-8 bytes. */
export function encode(text: string): Bytes {
  return new TextEncoder().encode(text)
}

function recordFromBytes<Value>(bytes: Bytes): FoundRecord<Value> {
  return { bytes: () => bytes, value: () => parseBuilt<{ data: Value }>(bytes).data }
}

function recordFromValue<Value>(value: Value, wrap: (value: Value) => unknown): FoundRecord<Value> {
  return { value: () => value, bytes: () => encode(JSON.stringify(wrap(value))) }
}

function single<Value>(data: Value) {
  return { data }
}

/** The list of versions is always a single page. */
function onePage<Value>(data: Value[]): ListEnvelope<Value> {
  return { data, meta: { page: 1, pages: 1, total: data.length } }
}
