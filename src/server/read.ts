// Owns the read API: from an address to the file that answers it, or to a JSON error that says what to do.
import { z } from 'zod'
import { HubError } from '../domain/errors.ts'
import { printable } from '../domain/problems.ts'
import type { RateLimiter } from '../domain/rate-limit.ts'
import { DATA_FILES, matchRoute, type PathParameters, ROUTES, type RouteId } from '../domain/routes.ts'
import { listEnvelope, Meta, Repository, type RepositorySummary, single } from '../domain/schema.ts'
import type { Search } from '../domain/search.ts'
import type { Bytes, SiteFiles } from '../domain/site-files.ts'
import { isTag, LIMITS } from '../domain/values.ts'
import { type ListQuery, readListQuery, readVersionQuery } from './list-query.ts'
import {
  type Answer,
  repositoryTag,
  respondToOptions,
  respondWith,
  respondWithError,
  respondWithRedirect,
  toHubError,
} from './respond.ts'

/** What reading needs. */
export interface ReadDependencies {
  /** The hub's own address, without a final slash. */
  baseUrl: string
  siteFiles: SiteFiles
  /** Opened on first use: most answers need no search. */
  search: () => Search
  limiter: RateLimiter
  /** As the platform gives it; a header never decides it. */
  clientAddress: string
}

const READ_METHODS = ['GET', 'HEAD', 'OPTIONS'] as const

/** Answers one request to the read API. Never throws: everything becomes an answer. @param connect makes the dependencies; what it throws is answered too */
export async function answerRead(request: Request, connect: () => ReadDependencies): Promise<Response> {
  const url = new URL(request.url)
  const route = matchRoute(url.pathname)
  const { owner, name } = route?.parameters ?? {}
  const cacheTag = owner && name ? repositoryTag(owner, name) : undefined
  try {
    if (request.method === 'OPTIONS') return respondToOptions(methodsOf(route?.id))
    if (!route) return answerUnknown(request, url)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw refuseMethod(request.method, route.id)
    const dependencies = connect()
    const waitSeconds = dependencies.limiter.take(dependencies.clientAddress)
    if (waitSeconds > 0) throw refuseRate(waitSeconds)
    const { mediaType, cache } = ROUTES[route.id]
    return respondWith(request, {
      mediaType,
      cache,
      cacheTag,
      ...(await ANSWERS[route.id](route.parameters, url.searchParams, dependencies)),
    })
  } catch (thrown) {
    return respondWithError(request, toHubError(thrown), cacheTag)
  }
}

/** Answers an address at which nothing is, as JSON: below /api and /data no reader ever meets a page. */
export function answerNotFound(request: Request): Response {
  if (request.method === 'OPTIONS') return respondToOptions(READ_METHODS)
  return respondWithError(
    request,
    new HubError(
      'not_found',
      `There is nothing at ${printable(new URL(request.url).pathname)}. The addresses are listed at /api/v1/openapi.json.`,
    ),
  )
}

/** Answers a request that the platform's own limit turned away. */
export function answerRateLimited(request: Request): Response {
  return respondWithError(request, refuseRate(60))
}

/** The bytes, and what differs from the route's own way of answering. */
type Found = Partial<Answer> & { bytes: Bytes }

type MakeAnswer = (parameters: PathParameters, query: URLSearchParams, dependencies: ReadDependencies) => Promise<Found>

const ANSWERS: Readonly<Record<RouteId, MakeAnswer>> = {
  listRepositories: async (_parameters, query, dependencies) => answerList(readListQuery(query), dependencies),
  getRepository: async ({ owner = '', name = '' }, _query, { siteFiles }) => ({
    bytes: await readOr(siteFiles, DATA_FILES.repository(owner, name), () => noRepository(owner, name)),
  }),
  listVersions: async ({ owner = '', name = '' }, _query, { siteFiles }) => ({
    bytes: await readOr(siteFiles, DATA_FILES.versions(owner, name), () => noRepository(owner, name)),
  }),
  getVersion: async ({ owner = '', name = '', version = '' }, _query, { siteFiles }) => ({
    bytes: await readOr(siteFiles, DATA_FILES.version(owner, name, version), () => noVersion(owner, name, version)),
  }),
  getRaw: async ({ owner = '', name = '' }, query, { siteFiles }) => {
    const version = readVersionQuery(query)
    if (version === undefined) return answerLatest(owner, name, siteFiles)
    const bytes = await readOr(siteFiles, DATA_FILES.rawVersion(owner, name, version), () =>
      noVersion(owner, name, version),
    )
    return { bytes, cache: 'immutable', headers: { 'X-Prompt-Version': version } }
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

/** The bare content does not say its number, so the record is asked for it: one file tells both, and they cannot disagree. */
async function answerLatest(owner: string, name: string, siteFiles: SiteFiles): Promise<Found> {
  const record = await readOr(siteFiles, DATA_FILES.repository(owner, name), () => noRepository(owner, name))
  const { latest_version: latest } = parseJson(record, single(Repository.pick({ latest_version: true }))).data
  if (latest === null)
    throw new HubError(
      'not_found',
      `${owner}/${name} has no active version. Its versions are at /api/v1/repos/${owner}/${name}/versions; give one as ?version=.`,
    )
  const bytes = await readBuilt(siteFiles, DATA_FILES.rawVersion(owner, name, latest))
  return { bytes, headers: { 'X-Prompt-Version': latest } }
}

async function answerList(query: ListQuery, { baseUrl, siteFiles, search }: ReadDependencies): Promise<Found> {
  const { page, sort, q, tags } = query
  const { pageSize: size } = LIMITS
  if (q !== '' || tags.length > 1) {
    const { matches, total } = search().find({ text: q, tags, sort, offset: (page - 1) * size, limit: size })
    return answerEnvelope(matches, total, query, baseUrl)
  }
  const [tag] = tags
  if (tag !== undefined && !isTag(tag)) return answerEnvelope([], 0, query, baseUrl)
  const order = sort ?? 'top'
  const pathOf = (number: number) =>
    tag === undefined ? DATA_FILES.list(order, number) : DATA_FILES.tagged(tag, order, number)
  const bytes = await siteFiles.read(pathOf(page))
  if (bytes) return { bytes, headers: linkHeader(parseJson(bytes, OnlyMeta).meta.pages, query, baseUrl) }
  // Past the end, the first page tells how many there are; when even that is missing, nothing carries the tag.
  const first = page === 1 ? undefined : await siteFiles.read(pathOf(1))
  return answerEnvelope([], first ? parseJson(first, OnlyMeta).meta.total : 0, query, baseUrl)
}

const OnlyMeta = z.object({ meta: Meta })

function answerEnvelope(records: RepositorySummary[], total: number, query: ListQuery, baseUrl: string): Found {
  const envelope = listEnvelope(records, { page: query.page, size: LIMITS.pageSize, total })
  return {
    bytes: new TextEncoder().encode(JSON.stringify(envelope)),
    headers: linkHeader(envelope.meta.pages, query, baseUrl),
  }
}

/** RFC 8288. Past the end, `prev` leads back to the last page. */
function linkHeader(pages: number, { page, sort, q, tags }: ListQuery, baseUrl: string): Record<string, string> {
  const linkTo = (target: number, relation: string) => {
    const url = new URL(ROUTES.listRepositories.path, baseUrl)
    if (q !== '') url.searchParams.set('q', q)
    for (const tag of tags) url.searchParams.append('tag', tag)
    if (sort) url.searchParams.set('sort', sort)
    url.searchParams.set('page', String(target))
    return `<${url}>; rel="${relation}"`
  }
  const links: string[] = []
  if (page < pages) links.push(linkTo(page + 1, 'next'))
  if (page > 1 && pages > 0) links.push(linkTo(Math.min(page - 1, pages), 'prev'))
  return links.length === 0 ? {} : { Link: links.join(', ') }
}

/** Reads a file that names something the client asked for. @param absent the error when there is no such thing */
async function readOr(siteFiles: SiteFiles, path: string, absent: () => HubError): Promise<Bytes> {
  const bytes = await siteFiles.read(path)
  if (!bytes) throw absent()
  return bytes
}

/** Reads a file that every build writes: without it, the site is broken or only half there. */
function readBuilt(siteFiles: SiteFiles, path: string): Promise<Bytes> {
  return readOr(
    siteFiles,
    path,
    () =>
      new HubError('unavailable', 'The catalogue cannot be read just now. Try again in a few seconds.', {
        cause: `missing ${path}`,
        retryAfterSeconds: 5,
      }),
  )
}

function parseJson<Schema extends z.ZodType>(bytes: Bytes, schema: Schema): z.output<Schema> {
  return schema.parse(JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)))
}

/** Upper case in an address that would otherwise be right is a slip, whatever stands behind the address. */
function answerUnknown(request: Request, url: URL): Response {
  const lowerCase = url.pathname.toLowerCase()
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead && matchRoute(lowerCase) ? respondWithRedirect(lowerCase + url.search) : answerNotFound(request)
}

function methodsOf(route: RouteId | undefined): readonly string[] {
  return route === 'listVersions' ? [...READ_METHODS, 'POST'] : READ_METHODS
}

function refuseMethod(method: string, route: RouteId): HubError {
  const allow = methodsOf(route)
  return new HubError('method_not_allowed', `${printable(method)} is not possible here. Use ${allow.join(', ')}.`, {
    allow,
  })
}

function refuseRate(waitSeconds: number): HubError {
  return new HubError(
    'rate_limited',
    `Too many requests from this address. Try again in ${waitSeconds} s, and keep answers as Cache-Control allows.`,
    { retryAfterSeconds: waitSeconds },
  )
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
