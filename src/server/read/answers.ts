// Owns what each address of the read API answers: the built file, or the fresh copy where a publish is ahead of the build.
import { HubError } from '../../domain/api/errors.ts'
import { addressesBelow } from '../../domain/api/record-links.ts'
import { DATA_FILES, type PathParameters, type RouteId } from '../../domain/api/routes.ts'
import { listEnvelope, Repository, single } from '../../domain/api/schema.ts'
import { splitFullName } from '../../domain/content/names.ts'
import type { FreshCopies } from '../../ports/fresh-copies.ts'
import type { Search } from '../../ports/search.ts'
import type { Bytes, SiteFiles } from '../../ports/site-files.ts'
import type { Answer } from '../respond.ts'
import { parseJsonFile, readBuilt, readOr } from '../site-json.ts'
import { answerList } from './list.ts'
import { readListQuery, readVersionQuery } from './list-query.ts'
import { findNewest } from './newest-record.ts'
import { resolveVersion } from './records.ts'

/** What answers are made from. */
export interface ReadTools {
  /** The hub's own address, without a final slash. */
  baseUrl: string
  siteFiles: SiteFiles
  fresh: FreshCopies
  /** Opened on first use: most answers need no search. */
  search: () => Search
}

/** The bytes, and what differs from the route's own way of answering. */
export type Found = Partial<Answer> & { bytes: Bytes }

type MakeAnswer = (parameters: PathParameters, query: URLSearchParams, tools: ReadTools) => Promise<Found>

/** One way of answering for each route. @throws HubError for what is not there or was asked wrongly */
export const ANSWERS: Readonly<Record<RouteId, MakeAnswer>> = {
  listRepositories: async (_parameters, query, tools) => answerList(readListQuery(query), tools),
  getRepository: async ({ owner = '', name = '' }, _query, tools) => {
    const { built, copy } = await findNewest(owner, name, tools)
    const bytes = copy ? toBytes({ data: copy.repository }) : built
    if (!bytes) throw noRepository(owner, name)
    return { bytes, headers: successorLink(bytes, tools.baseUrl, '') }
  },
  listVersions: async ({ owner = '', name = '' }, _query, tools) => {
    const { built, copy } = await findNewest(owner, name, tools)
    const record = copy ? toBytes({ data: copy.repository }) : built
    const headers = record ? successorLink(record, tools.baseUrl, '/versions') : {}
    if (copy)
      return {
        bytes: toBytes(
          listEnvelope(copy.versions, { page: 1, size: copy.versions.length, total: copy.versions.length }),
        ),
        headers,
      }
    const bytes = await readOr(tools.siteFiles, DATA_FILES.versions(owner, name), () => noRepository(owner, name))
    return { bytes, headers }
  },
  getVersion: async ({ owner = '', name = '', version = '' }, _query, tools) => {
    const built = await tools.siteFiles.read(DATA_FILES.version(owner, name, version))
    return { bytes: built ?? toBytes({ data: await findFreshVersion(owner, name, version, tools) }) }
  },
  getRaw: async ({ owner = '', name = '' }, query, tools) => {
    const asked = readVersionQuery(query)
    if (asked.version !== undefined) {
      const bytes = await readRawVersion(owner, name, asked.version, tools)
      return { bytes, cache: 'immutable', headers: { 'X-Prompt-Version': asked.version } }
    }
    const { built, copy } = await findNewest(owner, name, tools)
    if (!built && !copy) throw noRepository(owner, name)
    const record = copy ? copy.repository : parseJsonFile(built!, OnlyRaw).data
    const version = resolveVersion(record, asked) ?? record.latest_version
    if (version === null) throw noActiveVersion(owner, name)
    // The record holds the latest content: one file is read, and content and number cannot disagree.
    const bytes =
      version === record.latest_version && record.content !== null
        ? new TextEncoder().encode(record.content)
        : await readRawVersion(owner, name, version, tools)
    return { bytes, headers: { 'X-Prompt-Version': version, ...linkTo(record.moved_to, tools.baseUrl, '/raw') } }
  },
  listTags: async (_parameters, _query, { siteFiles }) => ({ bytes: await readBuilt(siteFiles, DATA_FILES.tags()) }),
  getUser: async ({ handle = '' }, _query, { siteFiles }) => ({
    bytes: await readOr(
      siteFiles,
      DATA_FILES.user(handle),
      () => new HubError('not_found', `There is no user ${handle}. Owners are found through /api/v1/repos.`),
    ),
  }),
  getOpenapi: async (_parameters, _query, { siteFiles }) => ({
    bytes: await readBuilt(siteFiles, DATA_FILES.openapi()),
  }),
}

/** A version that was published since the last build. */
async function findFreshVersion(owner: string, name: string, version: string, { fresh }: ReadTools) {
  const record = await fresh.findVersion(owner, name, version)
  if (!record) throw noVersion(owner, name, version)
  return record
}

async function readRawVersion(owner: string, name: string, version: string, tools: ReadTools): Promise<Bytes> {
  const built = await tools.siteFiles.read(DATA_FILES.rawVersion(owner, name, version))
  return built ?? new TextEncoder().encode((await findFreshVersion(owner, name, version, tools)).content)
}

/** Made once: making a schema costs more than reading by it. */
const OnlyRaw = single(
  Repository.pick({ full_name: true, latest_version: true, content: true, labels: true, moved_to: true }),
)
const OnlySuccessor = single(Repository.pick({ moved_to: true }))

/** A record that names a successor holds these bytes; in a text of somebody's, its quotes would be escaped. */
const HAS_SUCCESSOR = Buffer.from('"moved_to":"')
/** One object, so that respond.ts sees that nothing is new. */
const NO_HEADERS: Readonly<Record<string, string>> = {}
/** Each record is looked through once. */
const moved = new WeakMap<Bytes, boolean>()

/** Where a repository that has moved goes on. Hardly any has, so hardly any is parsed for it. RFC 5829 section 3.4 */
function successorLink(record: Bytes, baseUrl: string, rest: string): Readonly<Record<string, string>> {
  const isMoved =
    moved.get(record) ?? Buffer.from(record.buffer, record.byteOffset, record.byteLength).includes(HAS_SUCCESSOR)
  moved.set(record, isMoved)
  if (!isMoved) return NO_HEADERS
  return linkTo(parseJsonFile(record, OnlySuccessor).data.moved_to, baseUrl, rest)
}

function linkTo(successor: string | null, baseUrl: string, rest: string): Record<string, string> {
  const { owner = '', name = '' } = successor === null ? {} : (splitFullName(successor) ?? {})
  if (name === '') return {}
  return { Link: `<${addressesBelow(baseUrl).repository(owner, name).url}${rest}>; rel="successor-version"` }
}

function noActiveVersion(owner: string, name: string): HubError {
  return new HubError(
    'not_found',
    `${owner}/${name} has no active version. Its versions are at /api/v1/repos/${owner}/${name}/versions; give one as ?version=.`,
  )
}

function toBytes(envelope: unknown): Bytes {
  return new TextEncoder().encode(JSON.stringify(envelope))
}

function noRepository(owner: string, name: string): HubError {
  return new HubError('not_found', `There is no repository ${owner}/${name}. Find one through /api/v1/repos?q=….`)
}

function noVersion(owner: string, name: string, version: string): HubError {
  return new HubError(
    'not_found',
    `${owner}/${name} has no version ${version}. Its versions are listed at /api/v1/repos/${owner}/${name}/versions.`,
  )
}
