// The table of read routes, with their paths, data files and cache classes. route-schemas.ts describes their parameters; addresses.ts lists all other routes.
import { isFilePath } from '../values/file-path.ts'
import { isName, isOwner, isTag, isVersion } from '../values/names.ts'

/** An HTTP method that at least one route supports. */
export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The methods of every read route. */
export const READ_METHODS = ['GET', 'HEAD', 'OPTIONS'] as const satisfies readonly Method[]

/** Headers of every API response, including errors. docs/contract.md section 4. */
export const COMMON_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Content-Disposition, ETag, Export-Lost, Idempotency-Replayed, Link, Location, Repr-Digest, Retry-After, Unencoded-Digest, X-Prompt-Deprecated, X-Prompt-Version, X-Prompt-Yanked',
  'X-Content-Type-Options': 'nosniff',
} as const

/** How long a response is valid: `immutable` means forever, `changing` until the next build or publish. docs/contract.md section 4. */
export type CacheClass = 'immutable' | 'changing'

/** The Cache-Control value of each class. docs/contract.md section 4 */
export const CACHE_CONTROL: Readonly<Record<CacheClass, string>> = {
  immutable: 'public, max-age=31536000, immutable',
  changing: 'public, max-age=60, stale-while-revalidate=600',
}

/** The Cache-Control value of changing responses for shared caches that are not purged: after a minute, they revalidate before responding. */
export const SHARED_CACHE_CONTROL = 'public, max-age=60'

/** Returns the cache tag of all responses about a repository. Neither the owner nor the name contains an underscore. */
export function repositoryCacheTag(owner: string, name: string): string {
  return `repo_${owner}_${name}`
}

/** Returns the cache tags of an owner's page and of a tag's pages. */
export const ownerCacheTag = (owner: string): string => `owner_${owner}`
export const tagCacheTag = (tag: string): string => `tag_${tag}`

/** Query parameters that change the response; caches ignore all others. */
export const VARYING_PARAMETERS = ['page', 'sort', 'q', 'tag', 'version', 'label', 'at'] as const

/** The No-Vary-Search value, for caches that support the standard: no other parameter changes the response. https://httpwg.org/http-extensions/draft-ietf-httpbis-no-vary-search.html */
export const NO_VARY_SEARCH = `params, except=(${VARYING_PARAMETERS.map((name) => `"${name}"`).join(' ')})`

/** The sort orders of a list. */
export const SORTS = ['top', 'trending', 'new'] as const
/** A sort order. */
export type Sort = (typeof SORTS)[number]

/** The values of a path's parameters. */
export type PathParameters = Readonly<Record<string, string>>

/** A route of the read API. */
export interface Route {
  /** A stable name, used as the operation ID in OpenAPI. */
  id: string
  /** The path, with parameters in braces. */
  path: string
  /** Includes POST where versions can be published, and PATCH where a repository or an owner can be changed. */
  methods: readonly Method[]
  summary: string
  cache: CacheClass
  mediaType: 'application/json' | 'text/plain' | 'application/gzip'
}

/** @param more how the route differs from a read-only route with a changing JSON response */
const route = <Id extends string>(id: Id, path: string, summary: string, more: Partial<Route> = {}) => ({
  ...({ path, methods: READ_METHODS, summary, cache: 'changing', mediaType: 'application/json', ...more } as const),
  id,
})

/** Every read route. docs/contract.md section 4. */
export const ROUTES = {
  listRepositories: route('listRepositories', '/api/v1/repos', 'List, search and filter repositories'),
  getRepository: route('getRepository', '/api/v1/repos/{owner}/{name}', 'Get a repository with its latest content', {
    methods: [...READ_METHODS, 'PATCH'],
  }),
  listVersions: route('listVersions', '/api/v1/repos/{owner}/{name}/versions', 'List the versions of a repository', {
    methods: [...READ_METHODS, 'POST'],
  }),
  getVersion: route('getVersion', '/api/v1/repos/{owner}/{name}/versions/{version}', 'Get one version', {
    cache: 'immutable',
  }),
  getFile: route(
    'getFile',
    '/api/v1/repos/{owner}/{name}/versions/{version}/files/{path}',
    'Get a file of an Agent Skill',
    { cache: 'immutable', mediaType: 'text/plain' },
  ),
  getArchive: route(
    'getArchive',
    '/api/v1/repos/{owner}/{name}/versions/{version}/archive',
    'Get an Agent Skill with all its files, as a tar archive',
    { cache: 'immutable', mediaType: 'application/gzip' },
  ),
  getRaw: route('getRaw', '/api/v1/repos/{owner}/{name}/raw', 'Get the raw content', { mediaType: 'text/plain' }),
  listActivity: route('listActivity', '/api/v1/repos/{owner}/{name}/activity', 'List a repository’s activity'),
  listTags: route('listTags', '/api/v1/tags', 'List all tags with their counts'),
  getUser: route('getUser', '/api/v1/users/{handle}', 'Get an owner’s profile', {
    methods: [...READ_METHODS, 'PATCH'],
  }),
  listLabelled: route('listLabelled', '/api/v1/users/{handle}/labels/{label}', 'List an owner’s prompts at a label'),
  getOpenapi: route('getOpenapi', '/api/v1/openapi.json', 'Get this OpenAPI document'),
} satisfies Record<string, Route>

/** The route that returns a version in another tool's format; any non-empty segment matches `format`. docs/contract.md section 4 */
export const EXPORT_ROUTE = {
  path: '/api/v1/repos/{owner}/{name}/versions/{version}/export/{format}',
  methods: READ_METHODS,
} as const

/** The route that says what a publish would do. docs/contract.md section 7 */
export const CHECK_ROUTE = {
  path: '/api/v1/repos/{owner}/{name}/check',
  methods: ['POST', 'OPTIONS'],
} as const

/** The name of a route. */
export type RouteId = keyof typeof ROUTES

/** Returns whether versions can be published at a route's path. */
export function isPublishedAt(id: RouteId): boolean {
  const { methods }: Route = ROUTES[id]
  return methods.includes('POST')
}

/** Every route that changes published data. docs/contract.md section 7 */
const MANAGE_ROUTES = {
  changeRepository: { path: '/api/v1/repos/{owner}/{name}', methods: [...READ_METHODS, 'PATCH'] },
  changeOwner: { path: '/api/v1/users/{handle}', methods: [...READ_METHODS, 'PATCH'] },
  manageLabel: { path: '/api/v1/repos/{owner}/{name}/labels/{label}', methods: ['PUT', 'DELETE', 'OPTIONS'] },
  manageYank: { path: '/api/v1/repos/{owner}/{name}/versions/{version}/yank', methods: ['PUT', 'DELETE', 'OPTIONS'] },
} as const satisfies Record<string, { path: string; methods: readonly Method[] }>

/** The name of a write route. */
export type ManageRouteId = keyof typeof MANAGE_ROUTES

interface MatchedManageRoute {
  id: ManageRouteId
  methods: readonly Method[]
  parameters: PathParameters
}

/** Finds the change route of a path. */
export function matchManageRoute(path: string): MatchedManageRoute | undefined {
  return matchManage(path, isParameter)
}

/** Like `matchManageRoute`, but any non-empty segment matches an owner, name, label or version, for callers that reject malformed values with their own message. */
export function matchManageRouteOfAnyNames(path: string): MatchedManageRoute | undefined {
  return matchManage(path, isFilled)
}

function matchManage(path: string, isFit: Fits): MatchedManageRoute | undefined {
  const found = matchIn(COMPILED_MANAGE, path, isFit)
  return found && { ...found, methods: MANAGE_ROUTES[found.id].methods }
}

/** The format of each parameter; segments are never decoded, so a `%` never matches. */
const SEGMENTS: Readonly<Record<string, (segment: string) => boolean>> = {
  owner: isOwner,
  handle: isOwner,
  name: isName,
  version: isVersion,
  label: isTag,
  format: (segment) => segment !== '',
  path: isFilePath,
}

const COMPILED = Object.values(ROUTES).map((route) => ({ id: route.id, segments: route.path.split('/') }))

/** A matched route with its parameter values. */
interface MatchedRoute {
  id: RouteId
  parameters: PathParameters
}

/**
 * Finds the route of a path.
 *
 * @param path as received, undecoded; one trailing slash is ignored
 * @returns undefined for an unknown path
 */
export function matchRoute(path: string): MatchedRoute | undefined {
  return match(path, isParameter)
}

/** Like `matchRoute`, but any non-empty segment matches an owner, name or version, for callers that reject malformed values with their own message. */
export function matchRouteOfAnyNames(path: string): MatchedRoute | undefined {
  return match(path, isFilled)
}

/** Returns a path in lower case, except for the path of a file, which may have upper-case letters. */
export function lowerCasePath(path: string): string {
  const [, place = path, file = ''] =
    /^(\/api\/v1\/repos\/(?:[^/]+\/){2}versions\/[^/]+\/files\/)(.*)$/is.exec(path) ?? []
  return place.toLowerCase() + file
}

/** Returns whether a segment is a valid value of a parameter. */
type Fits = (parameter: string, segment: string) => boolean

const isParameter: Fits = (parameter, segment) => SEGMENTS[parameter]!(segment)
const isFilled: Fits = (_parameter, segment) => segment !== ''

const COMPILED_MANAGE = Object.entries(MANAGE_ROUTES).map(([id, { path }]) => ({
  id: id as ManageRouteId,
  segments: path.split('/'),
}))

const COMPILED_EXPORT = [{ id: undefined, segments: EXPORT_ROUTE.path.split('/') }]

/** Returns which version a path exports, and in which format. */
export function matchExport(path: string): PathParameters | undefined {
  return matchIn(COMPILED_EXPORT, path, isParameter)?.parameters
}

const COMPILED_CHECK = [{ id: undefined, segments: CHECK_ROUTE.path.split('/') }]

/** Returns the owner and name in a path that checks a publish; any non-empty segment matches, for callers that reject malformed values with their own message. */
export function matchCheckOfAnyNames(path: string): PathParameters | undefined {
  return matchIn(COMPILED_CHECK, path, isFilled)?.parameters
}

function match(path: string, isFit: Fits): MatchedRoute | undefined {
  return matchIn(COMPILED, path, isFit)
}

function matchIn<Id>(
  compiled: readonly { id: Id; segments: readonly string[] }[],
  path: string,
  isFit: Fits,
): { id: Id; parameters: PathParameters } | undefined {
  const segments = (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/')
  for (const { id, segments: wanted } of compiled) {
    // Only a path at the end may consist of several segments.
    const isOpen = wanted.at(-1) === '{path}'
    if (isOpen ? wanted.length > segments.length : wanted.length !== segments.length) continue
    const parameters: Record<string, string> = {}
    const matches = wanted.every((part, index) => {
      const segment = part === '{path}' ? segments.slice(index).join('/') : segments[index]!
      if (!part.startsWith('{')) return part === segment
      const parameter = part.slice(1, -1)
      parameters[parameter] = segment
      return isFit(parameter, segment)
    })
    if (matches) return { id, parameters }
  }
  return undefined
}

/** The paths of Agent Skills, which are below the paths of pages. docs/contract.md section 4 */
export const SKILL_PATHS = [
  '/{owner}/{name}/SKILL.md',
  '/{owner}/{name}/v/{version}/SKILL.md',
  ...['', '/{owner}', '/{owner}/{name}', '/{owner}/{name}/v/{version}'].map(
    (of) => `${of}/.well-known/agent-skills/index.json`,
  ),
  ...['/{owner}', '/{owner}/{name}', '/{owner}/{name}/v/{version}'].flatMap((of) => [
    `${of}/.well-known/agent-skills/{skill}/SKILL.md`,
    `${of}/.well-known/agent-skills/{skill}/{path}`,
  ]),
  '/{owner}/{name}/v/{version}/.well-known/agent-skills/{archive}',
  '/{owner}/{name}/v/{version}/{path}',
] as const

const COMPILED_SKILLS = SKILL_PATHS.map((path) => ({ id: path, segments: path.split('/') }))

/** Parses the path of a skill; any non-empty segment matches an owner, name or version. `file` is `index.json`, `SKILL.md`, `{archive}` or `{path}`. */
export function matchSkillPath(path: string): { file: string; parameters: PathParameters } | undefined {
  const found = matchIn(COMPILED_SKILLS, path, isFilled)
  return found && { file: found.id.slice(found.id.lastIndexOf('/') + 1), parameters: found.parameters }
}

/** The paths that APM requests of a registry at `/api/apm`. docs/contract.md section 4 */
export const APM_PATHS = [
  '/api/apm/v1/packages/{owner}/{name}/versions',
  '/api/apm/v1/packages/{owner}/{name}/versions/{version}/download',
] as const

const COMPILED_APM = APM_PATHS.map((path) => ({ id: path, segments: path.split('/') }))

/** Returns the parameters of a path that APM requests. */
export function matchApmPath(path: string): PathParameters | undefined {
  return matchIn(COMPILED_APM, path, isParameter)?.parameters
}

/** The paths of the data files, relative to the site's root. The build writes them, and the read function reads them. docs/contract.md section 4. */
export const DATA_FILES = {
  index: () => '/data/v1/index.json',
  list: (order: Sort | '{sort}', page: number | '{page}') => `/data/v1/lists/${order}/${page}.json`,
  tags: () => '/data/v1/tags.json',
  users: () => '/data/v1/users.json',
  recent: () => '/data/v1/lists/recent.json',
  recentlyTagged: (tag: string) => `/data/v1/tags/${tag}/recent.json`,
  tagged: (tag: string, order: Sort | '{sort}', page: number | '{page}') =>
    `/data/v1/tags/${tag}/${order}/${page}.json`,
  user: (handle: string) => `/data/v1/users/${handle}.json`,
  hubSkills: () => '/data/v1/skills.json',
  labelled: (handle: string, label: string) => `/data/v1/users/${handle}/labels/${label}.json`,
  skills: (owner: string) => `/data/v1/skills/${owner}.json`,
  repository: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}.json`,
  versions: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/versions.json`,
  version: (owner: string, name: string, version: string) => `/data/v1/repos/${owner}/${name}/versions/${version}.json`,
  forks: (owner: string, name: string) => `/data/v1/forks/${owner}/${name}.json`,
  models: () => '/data/v1/models.json',
  /** The file that states how far back the git history goes. */
  history: () => '/data/v1/history.json',
  activity: (owner: string, name: string) => `/data/v1/activity/${owner}/${name}.json`,
  changes: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/changes.json`,
  raw: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/raw.txt`,
  rawVersion: (owner: string, name: string, version: string) => `/data/v1/repos/${owner}/${name}/raw/${version}.txt`,
  skill: (owner: string, name: string, version: string) => `/data/v1/repos/${owner}/${name}/skills/${version}.md`,
  /** A file of a skill, or its archive. The name is its SHA-256, so that no host guesses a type that a browser runs. */
  blob: (owner: string, name: string, sha256: string) => `/data/v1/repos/${owner}/${name}/blobs/${sha256}.bin`,
  /** The versions that APM can install. */
  apm: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/apm.json`,
  openapi: () => '/data/v1/openapi.json',
} as const
