// Owns what each address of the read API answers: the built file, or the fresh copy where a publish is ahead of the build.
import { HubError } from '../../domain/api/errors.ts'
import { DATA_FILES, type PathParameters, type RouteId } from '../../domain/api/routes.ts'
import { listEnvelope, Repository, single } from '../../domain/api/schema.ts'
import type { FreshCopies } from '../../ports/fresh-copies.ts'
import type { Search } from '../../ports/search.ts'
import type { Bytes, SiteFiles } from '../../ports/site-files.ts'
import type { Answer } from '../respond.ts'
import { parseJsonFile, readBuilt, readOr } from '../site-json.ts'
import { answerList } from './list.ts'
import { readListQuery, readVersionQuery } from './list-query.ts'
import { findRepository } from './newest-record.ts'

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
    const { built, copy } = await findRepository(owner, name, tools)
    const bytes = copy ? toBytes({ data: copy.repository }) : built
    if (!bytes) throw noRepository(owner, name)
    return { bytes }
  },
  listVersions: async ({ owner = '', name = '' }, _query, tools) => {
    const { copy } = await findRepository(owner, name, tools)
    if (copy)
      return {
        bytes: toBytes(
          listEnvelope(copy.versions, { page: 1, size: copy.versions.length, total: copy.versions.length }),
        ),
      }
    return { bytes: await readOr(tools.siteFiles, DATA_FILES.versions(owner, name), () => noRepository(owner, name)) }
  },
  getVersion: async ({ owner = '', name = '', version = '' }, _query, tools) => {
    const built = await tools.siteFiles.read(DATA_FILES.version(owner, name, version))
    return { bytes: built ?? toBytes({ data: await findFreshVersion(owner, name, version, tools) }) }
  },
  getRaw: async ({ owner = '', name = '' }, query, tools) => {
    const asked = readVersionQuery(query)
    const version = asked ?? (await findLatest(owner, name, tools))
    const built = await tools.siteFiles.read(DATA_FILES.rawVersion(owner, name, version))
    const bytes = built ?? new TextEncoder().encode((await findFreshVersion(owner, name, version, tools)).content)
    return { bytes, ...(asked === undefined ? {} : { cache: 'immutable' }), headers: { 'X-Prompt-Version': version } }
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

/** Made once: making a schema costs more than reading by it. */
const OnlyLatest = single(Repository.pick({ latest_version: true }))

/** The bare content does not say its number, so the record is asked for it: content and number cannot disagree. */
async function findLatest(owner: string, name: string, tools: ReadTools): Promise<string> {
  const { built, copy } = await findRepository(owner, name, tools)
  if (!built && !copy) throw noRepository(owner, name)
  const latest = copy ? copy.repository.latest_version : parseJsonFile(built!, OnlyLatest).data.latest_version
  if (latest !== null) return latest
  throw new HubError(
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
