// The table of the API's routes, and the paths of skills. route-schemas.ts describes parameters and responses; addresses.ts lists all other routes.
import { ATTESTATION_MEDIA_TYPE, isAttestationName } from '../values/attestation-name.ts'
import { isFilePath } from '../values/file-entry.ts'
import { isName, isOwner, isProposalId, isSuite, isTag, isVersion } from '../values/names.ts'
import type { CacheClass } from './caching.ts'

/** An HTTP method that at least one route supports. */
export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The methods of every read route. */
export const READ_METHODS = ['GET', 'HEAD', 'OPTIONS'] as const satisfies readonly Method[]

/** The values of a path's parameters. */
export type PathParameters = Readonly<Record<string, string>>

/** What one method does at one path of the API. */
export interface Route {
  /** A stable name: the operation ID in OpenAPI, and the label in metrics. */
  id: string
  /** A GET route also answers HEAD; every path answers OPTIONS. */
  method: Exclude<Method, 'HEAD' | 'OPTIONS'>
  /** The path, with parameters in braces. */
  path: string
  /** What serves the route; on Netlify, `publish` also serves checks. */
  by: 'read' | 'export' | 'check' | 'publish' | 'proposals'
  summary: string
  /** How long a response to GET is valid. */
  cache: CacheClass
  mediaType: 'application/json' | 'text/plain' | 'application/gzip' | typeof ATTESTATION_MEDIA_TYPE
}

/** @param more how the route differs from a read with a changing JSON response */
const read = <Id extends string>(
  id: Id,
  path: string,
  summary: string,
  more: Partial<Pick<Route, 'cache' | 'mediaType'>> = {},
) => ({
  ...({ method: 'GET', path, by: 'read', summary, cache: 'changing', mediaType: 'application/json', ...more } as const),
  id,
})

/** @param by a publish, unless the function that serves the route is another */
const route = <Id extends string, By extends Exclude<Route['by'], 'read'>>(
  id: Id,
  method: Route['method'],
  path: string,
  summary: string,
  by: By,
) => ({ id, method, path, by, summary, cache: 'changing' as const, mediaType: 'application/json' as const })

const write = <Id extends string>(id: Id, method: Route['method'], path: string, summary: string) =>
  route(id, method, path, summary, 'publish')

/** Every route of the API. OpenAPI, the reference, the list of addresses and the handlers derive from it. docs/contract.md sections 4 and 7. */
export const ROUTES = {
  listRepositories: read('listRepositories', '/api/v1/repos', 'List, search and filter repositories'),
  getRepository: read('getRepository', '/api/v1/repos/{owner}/{name}', 'Get a repository with its latest content'),
  deleteRepository: write('deleteRepository', 'DELETE', '/api/v1/repos/{owner}/{name}', 'Delete a new repository'),
  changeRepository: write('changeRepository', 'PATCH', '/api/v1/repos/{owner}/{name}', 'Update a repository'),
  listVersions: read('listVersions', '/api/v1/repos/{owner}/{name}/versions', 'List the versions of a repository'),
  publishVersion: write('publishVersion', 'POST', '/api/v1/repos/{owner}/{name}/versions', 'Publish a new version'),
  getVersion: read('getVersion', '/api/v1/repos/{owner}/{name}/versions/{version}', 'Get one version', {
    cache: 'immutable',
  }),
  deleteVersion: write(
    'deleteVersion',
    'DELETE',
    '/api/v1/repos/{owner}/{name}/versions/{version}',
    'Delete a new version',
  ),
  getFile: read(
    'getFile',
    '/api/v1/repos/{owner}/{name}/versions/{version}/files/{path}',
    'Get a file of an Agent Skill',
    { cache: 'immutable', mediaType: 'text/plain' },
  ),
  getArchive: read(
    'getArchive',
    '/api/v1/repos/{owner}/{name}/versions/{version}/archive',
    'Get an Agent Skill with all its files, as a tar archive',
    { cache: 'immutable', mediaType: 'application/gzip' },
  ),
  listAttestations: read(
    'listAttestations',
    '/api/v1/repos/{owner}/{name}/versions/{version}/attestations',
    'List the attestations of a version',
    { cache: 'immutable' },
  ),
  getAttestation: read(
    'getAttestation',
    '/api/v1/repos/{owner}/{name}/versions/{version}/attestations/{attestation}',
    'Get an attestation of a version, a Sigstore bundle',
    { cache: 'immutable', mediaType: ATTESTATION_MEDIA_TYPE },
  ),
  listCapabilities: read(
    'listCapabilities',
    '/api/v1/repos/{owner}/{name}/versions/{version}/capabilities',
    'List what a version can do, or what it can do that another cannot',
  ),
  listResults: read(
    'listResults',
    '/api/v1/repos/{owner}/{name}/versions/{version}/results',
    'List the results of test suites for a version',
  ),
  recordResult: write(
    'recordResult',
    'PUT',
    '/api/v1/repos/{owner}/{name}/versions/{version}/results/{suite}',
    'Record the result of a test suite for a version',
  ),
  removeResult: write(
    'removeResult',
    'DELETE',
    '/api/v1/repos/{owner}/{name}/versions/{version}/results/{suite}',
    'Remove the result of a test suite for a version',
  ),
  getRaw: read('getRaw', '/api/v1/repos/{owner}/{name}/raw', 'Get the raw content', { mediaType: 'text/plain' }),
  listActivity: read('listActivity', '/api/v1/repos/{owner}/{name}/activity', 'List a repository’s activity'),
  listDependents: read(
    'listDependents',
    '/api/v1/repos/{owner}/{name}/dependents',
    'List the prompts that include this one',
  ),
  listTags: read('listTags', '/api/v1/tags', 'List all tags with their counts'),
  getUser: read('getUser', '/api/v1/users/{handle}', 'Get an owner’s profile'),
  changeOwner: write('changeOwner', 'PATCH', '/api/v1/users/{handle}', 'Update an owner'),
  listLabelled: read('listLabelled', '/api/v1/users/{handle}/labels/{label}', 'List an owner’s prompts at a label'),
  setLabels: write('setLabels', 'PUT', '/api/v1/users/{handle}/labels/{label}', 'Move a label of several prompts'),
  listWebhooks: write('listWebhooks', 'GET', '/api/v1/users/{handle}/webhooks', 'List the webhooks of an owner'),
  setWebhook: write('setWebhook', 'PUT', '/api/v1/users/{handle}/webhooks/{webhook}', 'Set a webhook of an owner'),
  removeWebhook: write(
    'removeWebhook',
    'DELETE',
    '/api/v1/users/{handle}/webhooks/{webhook}',
    'Remove a webhook of an owner',
  ),
  getOpenapi: read('getOpenapi', '/api/v1/openapi.json', 'Get this OpenAPI document'),
  setLabel: write('setLabel', 'PUT', '/api/v1/repos/{owner}/{name}/labels/{label}', 'Point a label at a version'),
  removeLabel: write('removeLabel', 'DELETE', '/api/v1/repos/{owner}/{name}/labels/{label}', 'Remove a label'),
  yankVersion: write('yankVersion', 'PUT', '/api/v1/repos/{owner}/{name}/versions/{version}/yank', 'Yank a version'),
  unyankVersion: write(
    'unyankVersion',
    'DELETE',
    '/api/v1/repos/{owner}/{name}/versions/{version}/yank',
    'Unyank a version',
  ),
  // `format` has no entry in FORMATS, so that an unknown format gets a message of its own.
  exportVersion: route(
    'exportVersion',
    'GET',
    '/api/v1/repos/{owner}/{name}/versions/{version}/export/{format}',
    'Get a version in another tool’s format',
    'export',
  ),
  checkVersion: route(
    'checkVersion',
    'POST',
    '/api/v1/repos/{owner}/{name}/check',
    'Check what publishing would do',
    'check',
  ),
  proposeVersion: write('proposeVersion', 'POST', '/api/v1/repos/{owner}/{name}/proposals', 'Propose a new version'),
  listProposals: route(
    'listProposals',
    'GET',
    '/api/v1/repos/{owner}/{name}/proposals',
    'List the open proposals of a repository',
    'proposals',
  ),
  getProposal: route(
    'getProposal',
    'GET',
    '/api/v1/repos/{owner}/{name}/proposals/{proposal}',
    'Get a proposal, and what accepting it would do',
    'proposals',
  ),
  getProposalRaw: route(
    'getProposalRaw',
    'GET',
    '/api/v1/repos/{owner}/{name}/proposals/{proposal}/raw',
    'Get the proposed content',
    'proposals',
  ),
  acceptProposal: write(
    'acceptProposal',
    'POST',
    '/api/v1/repos/{owner}/{name}/proposals/{proposal}/accept',
    'Accept a proposal, which publishes it',
  ),
  rejectProposal: write(
    'rejectProposal',
    'POST',
    '/api/v1/repos/{owner}/{name}/proposals/{proposal}/reject',
    'Reject a proposal',
  ),
} satisfies Record<string, Route>

/** The name of a route. */
export type RouteId = keyof typeof ROUTES
/** A route in the table. */
type ApiRoute = (typeof ROUTES)[RouteId]

type IdsBy<By extends Route['by']> = { [Id in RouteId]: (typeof ROUTES)[Id]['by'] extends By ? Id : never }[RouteId]
/** The name of a route that returns published data. */
export type ReadId = IdsBy<'read'>
/** The name of a route that changes published data. */
export type WriteId = IdsBy<'publish'>
/** The name of a route that reads proposals. */
export type ProposalReadId = IdsBy<'proposals'>

/** The routes that return published data. */
export const READS = Object.values(ROUTES).filter((one): one is (typeof ROUTES)[ReadId] => one.by === 'read')

/** Returns whether a segment of a path is a valid value. */
type Format = (segment: string) => boolean

/** The format of each parameter. */
const FORMATS: Readonly<Record<string, Format>> = {
  owner: isOwner,
  handle: isOwner,
  name: isName,
  version: isVersion,
  label: isTag,
  webhook: isTag,
  suite: isSuite,
  path: isFilePath,
  attestation: isAttestationName,
  proposal: isProposalId,
}

/** Returns whether all parameters of a path have their format. */
export function areValid(parameters: PathParameters): boolean {
  for (const name in parameters) if (FORMATS[name]?.(parameters[name]!) === false) return false
  return true
}

/** A path of the API, and what its methods do. */
export interface ApiPath {
  path: string
  /** The routes by method. */
  routes: ReadonlyMap<string, ApiRoute>
  /** The supported methods, with HEAD and OPTIONS. */
  methods: readonly Method[]
}

const WRITE_METHODS = ['POST', 'PATCH', 'PUT', 'DELETE'] as const satisfies readonly Method[]

function methodsOf(routes: ApiPath['routes']): Method[] {
  const writes = WRITE_METHODS.filter((method) => routes.has(method))
  return routes.has('GET') ? [...READ_METHODS, ...writes] : [...writes, 'OPTIONS']
}

/** Every path of the API. */
export const API_PATHS: readonly ApiPath[] = Array.from(
  Map.groupBy(Object.values<ApiRoute>(ROUTES), ({ path }) => path),
  ([path, all]) => {
    const routes = new Map<string, ApiRoute>(all.map((one) => [one.method, one]))
    return { path, routes, methods: methodsOf(routes) }
  },
)

/** Returns a path in lower case, except for the path of a file, which may have upper-case letters. */
export function lowerCasePath(path: string): string {
  const [, place = path, file = ''] =
    /^(\/api\/v1\/repos\/(?:[^/]+\/){2}versions\/[^/]+\/files\/)(.*)$/is.exec(path) ?? []
  return place.toLowerCase() + file
}

/** The folders of indexes of skills: that of discovery 0.2.0, and that of older clients. */
const SKILL_FOLDERS = ['agent-skills', 'skills'] as const

/** The paths of Agent Skills, which are below the paths of pages. docs/contract.md section 4 */
export const SKILL_PATHS = [
  ...['', '/{owner}', '/{owner}/{name}/v/{version}'].map((of) => `${of}/.claude-plugin/marketplace.json`),
  '/{owner}/{name}/v/{version}/plugin.json',
  '/{owner}/{name}/v/{version}/plugin.zip',
  '/{owner}/{name}/SKILL.md',
  '/{owner}/{name}/v/{version}/SKILL.md',
  ...SKILL_FOLDERS.flatMap((folder) => [
    ...['', '/{owner}', '/{owner}/{name}', '/{owner}/{name}/v/{version}'].map(
      (of) => `${of}/.well-known/${folder}/index.json`,
    ),
    ...['/{owner}', '/{owner}/{name}', '/{owner}/{name}/v/{version}'].flatMap((of) => [
      `${of}/.well-known/${folder}/{skill}/SKILL.md`,
      `${of}/.well-known/${folder}/{skill}/{path}`,
    ]),
    `/{owner}/{name}/v/{version}/.well-known/${folder}/{archive}`,
  ]),
  '/{owner}/{name}/v/{version}/{path}',
] as const

/** Where `npx skills find` searches. docs/channels.md */
export const SKILL_SEARCH_PATH = '/api/search'

/** The paths that npm, pnpm and bun request of a registry at `/npm`: the first is `@owner%2fname`. docs/channels.md */
export const NPM_PATHS = ['/npm/{package}', '/npm/{scope}/{name}', '/npm/{scope}/{name}/-/{file}'] as const

/** What git requests of a repository over HTTP, below `/skills.git` and `/{owner}/skills.git`. docs/channels.md */
export const GIT_SERVICES = ['info/refs', 'git-upload-pack', 'git-receive-pack'] as const

/** The paths that APM requests of a registry at `/api/apm`. docs/contract.md section 4 */
export const APM_PATHS = [
  '/api/apm/v1/packages/{owner}/{name}/versions',
  '/api/apm/v1/packages/{owner}/{name}/versions/{version}/download',
] as const
