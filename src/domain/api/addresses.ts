// The table of all addresses of a hub, in addition to the read routes of routes.ts.
import { membershipsPath } from '../access/memberships.ts'
import {
  DATA_FILES,
  EXPORT_ROUTE,
  isPublishedAt,
  type Method,
  READ_METHODS,
  ROUTES,
  type RouteId,
  SKILL_PATHS,
} from './routes.ts'

/** One address, or a family of them. */
export interface Address {
  /** Parameters in braces, each one segment; a final `*` matches anything. */
  path: string
  /** The supported methods; others are rejected. */
  methods: readonly Method[]
  /** A function of `netlify/functions` by its name; `file`, written by the build; `host`, only the Node server. */
  by:
    | 'account'
    | 'editor'
    | 'export'
    | 'file'
    | 'host'
    | 'mcp'
    | 'missing-data'
    | 'pages'
    | 'publish'
    | 'rate-limited'
    | 'read'
  about: string
}

/** Account pages and sign-in, with their methods. docs/contract.md section 7 */
export const ACCOUNT_ADDRESSES = {
  '/settings': ['HEAD', 'GET'],
  '/settings/tokens': ['HEAD', 'GET', 'POST'],
  '/settings/tokens/revoke': ['HEAD', 'GET', 'POST'],
  '/auth/sign-in': ['HEAD', 'GET'],
  '/auth/callback': ['HEAD', 'GET'],
  '/auth/local': ['HEAD', 'GET', 'POST'],
  '/auth/sign-out': ['POST'],
  '/auth/sign-out-everywhere': ['POST'],
} as const satisfies Readonly<Record<string, readonly Method[]>>

/** An account page. */
export type AccountAddress = keyof typeof ACCOUNT_ADDRESSES

/** The methods of the pages for publishing and managing prompts. docs/contract.md section 7 */
export const EDITOR_METHODS = ['GET', 'HEAD', 'POST'] as const satisfies readonly Method[]

/** Health of the Node server. docs/contract.md section 13 */
export const HEALTH_ADDRESS = '/healthz'
/** Metrics of the Node server, if enabled. docs/contract.md section 13 */
export const METRICS_ADDRESS = '/metrics'

const PAGE_METHODS = ['GET', 'HEAD'] as const

const file = (path: string, about: string): Address => ({ path, methods: READ_METHODS, by: 'file', about })
const staticPage = (path: string, about: string): Address => ({ path, methods: PAGE_METHODS, by: 'file', about })
const page = (path: string, about: string): Address => ({ path, methods: PAGE_METHODS, by: 'pages', about })

/** Every address. A family comes after its exceptions. */
export const ADDRESSES: readonly Address[] = [
  ...Object.values(ROUTES).flatMap(({ id, path, summary }): Address[] => listMethods(id, path, summary)),
  { ...EXPORT_ROUTE, by: 'export', about: 'A version in the format of another tool' },
  { path: '/api/*', methods: READ_METHODS, by: 'read', about: 'Unknown addresses: an error as JSON' },
  { path: '/api/*', methods: ['POST'], by: 'publish', about: 'Unknown addresses: an error as JSON' },
  { path: '/mcp', methods: ['POST', 'OPTIONS'], by: 'mcp', about: 'The MCP server' },
  ...Object.entries(ACCOUNT_ADDRESSES).map(
    ([path, methods]): Address => ({ path, methods, by: 'account', about: 'Accounts and sign-in, for browsers' }),
  ),
  { path: '/new', methods: EDITOR_METHODS, by: 'editor', about: 'The form of a new prompt' },
  { path: '/{owner}/{name}/edit', methods: EDITOR_METHODS, by: 'editor', about: 'The form of the next version' },
  { path: '/{owner}/{name}/manage', methods: EDITOR_METHODS, by: 'editor', about: 'Labels, yanks, status and readme' },
  ...listDataAddresses(),
  { path: '/data/*', methods: READ_METHODS, by: 'missing-data', about: 'Unknown addresses: an error as JSON' },
  file('/cli/hubcli', 'The command-line client'),
  file('/cli/releases/{release}/{file}', 'A frozen release of it, with its SHA-256'),
  file('/clients/*', 'Frozen releases of the libraries'),
  file('/docs/mcp/server.json', 'The MCP server, as registries describe it'),
  { path: HEALTH_ADDRESS, methods: PAGE_METHODS, by: 'host', about: 'Health check, on the Node server' },
  { path: METRICS_ADDRESS, methods: ['GET'], by: 'host', about: 'Metrics, on the Node server if enabled' },
  {
    path: '/rate-limited',
    methods: [...READ_METHODS, 'POST'],
    by: 'rate-limited',
    about: 'The response to too many requests',
  },
  page('/search', 'The search page'),
  page('/', 'The front page'),
  staticPage('/docs', 'The documentation'),
  staticPage('/docs/{guide}', 'A guide'),
  page('/tags', 'All tags'),
  page('/tags/{tag}', 'The prompts with a tag'),
  page('/tags/{tag}/feed.xml', 'Feed of new versions with a tag'),
  page('/tags/{tag}/{page}', 'Further pages of a tag'),
  page('/badges/{owner}/{name}.svg', 'The badge of a prompt'),
  page('/badges/{owner}/{name}.png', 'The preview image of links to a prompt'),
  page('/feed.xml', 'Feed of new versions'),
  page('/llms.txt', 'A description of the hub for models'),
  staticPage('/robots.txt', 'Rules for crawlers'),
  staticPage('/sitemap.xml', 'All pages'),
  staticPage('/sitemap-{part}.xml', 'A part of the sitemap, if one file is too small'),
  staticPage('/404', 'The page for unknown addresses'),
  staticPage('/favicon.ico', 'The icon'),
  staticPage('/favicon.svg', 'The icon'),
  staticPage('/card.png', 'The preview image of links'),
  staticPage('/assets/*', 'Styles, scripts, fonts'),
  page('/{owner}', 'The page of an owner'),
  page('/{owner}/feed.xml', 'Feed of an owner’s versions'),
  page('/{owner}/{name}', 'The page of a prompt'),
  page('/{owner}/{name}/feed.xml', 'Feed of a prompt’s versions'),
  page('/{owner}/{name}/v/{version}', 'The page of a version'),
  page('/{owner}/{name}/compare/{pair}', 'What changed from one version to another'),
  page('/{owner}/{name}/compare', 'Redirects a form to the chosen pair'),
  ...SKILL_PATHS.map((path) => page(path, path.endsWith('.md') ? 'An Agent Skill' : 'An index of Agent Skills')),
  page('/{owner}/{name}/{version}', 'Redirects to the page of the version'),
  page('/*', 'The page for unknown addresses'),
]

function listMethods(id: RouteId, path: string, about: string): Address[] {
  const read: Address = { path, methods: READ_METHODS, by: 'read', about }
  return isPublishedAt(id) ? [read, { path, methods: ['POST'], by: 'publish', about: 'Publish a new version' }] : [read]
}

function listDataAddresses(): Address[] {
  const {
    list,
    recent,
    tagged,
    recentlyTagged,
    user,
    users,
    skills,
    repository,
    versions,
    version,
    changes,
    raw,
    rawVersion,
    index,
    tags,
    openapi,
  } = DATA_FILES
  const [owner, name, number] = ['{owner}', '{name}', '{version}']
  return [
    file(index(), 'All repositories in one list, and what a mirror needs to fetch only what changed'),
    file(list('{sort}', '{page}'), 'A page of all repositories'),
    file(recent(), 'The repositories with the newest versions'),
    file(tags(), 'All tags'),
    file(tagged('{tag}', '{sort}', '{page}'), 'A page of the repositories with a tag'),
    file(users(), 'All owners, with the number of their prompts'),
    file(user('{handle}'), 'An owner'),
    file(skills('{handle}'), 'The index of an owner’s Agent Skills'),
    file(recentlyTagged('{tag}'), 'The repositories with a tag and the newest versions'),
    file(repository(owner, name), 'A repository'),
    file(versions(owner, name), 'Its versions'),
    file(version(owner, name, number), 'One version'),
    file(changes(owner, name), 'What each version changed for its callers'),
    file(raw(owner, name), 'The latest content'),
    file(rawVersion(owner, name, number), 'The content of one version'),
    file(openapi(), 'OpenAPI 3.1'),
    file(membershipsPath('{member}'), 'The owners that a login belongs to, for signing in'),
    file('/data/accounts/ids/{member}.json', 'The same, by GitHub account ID'),
  ]
}
