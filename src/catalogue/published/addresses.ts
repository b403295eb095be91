// A hub's complete route table: the read routes in routes.ts plus all others.
import { membershipsPath, trustedJobsPath } from '../../domain/access/memberships.ts'
import { DATA_FILES, unlistedPath } from '../../domain/api/data-paths.ts'
import {
  APM_PATHS,
  GIT_SERVICES,
  type Method,
  NPM_PATHS,
  READ_METHODS,
  ROUTES,
  SKILL_PATHS,
  SKILL_SEARCH_PATH,
} from '../../domain/api/routes.ts'
import { usagePath } from '../../domain/catalogue/usage.ts'
import { SUGGESTIONS_ADDRESS } from '../../domain/search/suggestions.ts'

/** One route, or a family of routes. */
export interface Address {
  /** Parameters are in braces, and each matches one segment; a trailing `*` matches anything. */
  path: string
  /** The supported methods; others are rejected. */
  methods: readonly Method[]
  /** What serves the route: a function in `netlify/functions` (by name), a file that the build writes (`file`), or only the Node server (`host`). */
  by:
    | 'account'
    | 'editor'
    | 'export'
    | 'file'
    | 'host'
    | 'mcp'
    | 'pages'
    | 'proposals'
    | 'publish'
    | 'rate-limited'
    | 'read'
    | 'skills'
  about: string
}

/** Account pages and sign-in, with their HTTP methods. docs/contract.md section 10 */
export const ACCOUNT_ADDRESSES = {
  '/settings': ['HEAD', 'GET'],
  '/settings/session': ['HEAD', 'GET'],
  '/settings/devices': ['HEAD', 'GET', 'POST'],
  '/settings/tokens': ['HEAD', 'GET', 'POST'],
  '/settings/tokens/revoke': ['HEAD', 'GET', 'POST'],
  '/auth/session': ['HEAD', 'GET'],
  '/auth/sign-in': ['HEAD', 'GET'],
  '/auth/callback': ['HEAD', 'GET'],
  '/auth/callback/oidc': ['HEAD', 'GET'],
  '/auth/local': ['HEAD', 'GET', 'POST'],
  '/auth/invitation': ['HEAD', 'GET', 'POST'],
  '/auth/sign-out': ['POST'],
  '/auth/sign-out-everywhere': ['POST'],
} as const satisfies Readonly<Record<string, readonly Method[]>>

/** The path of an account page. */
export type AccountAddress = keyof typeof ACCOUNT_ADDRESSES

/** The HTTP methods allowed on the pages for publishing and managing prompts. docs/contract.md section 10 */
export const EDITOR_METHODS = ['GET', 'HEAD', 'POST'] as const satisfies readonly Method[]

/** Where the Node server says that it is alive, and which problems it knows. docs/contract.md section 13 */
export const HEALTH_ADDRESS = '/healthz'
/** Where the Node server says whether every part of it responds. docs/contract.md section 13 */
export const READY_ADDRESS = '/readyz'
/** The Node server's metrics, if enabled. docs/contract.md section 13 */
export const METRICS_ADDRESS = '/metrics'

const PAGE_METHODS = ['GET', 'HEAD'] as const

const file = (path: string, about: string): Address => ({ path, methods: READ_METHODS, by: 'file', about })
const staticPage = (path: string, about: string): Address => ({ path, methods: PAGE_METHODS, by: 'file', about })
const page = (path: string, about: string): Address => ({ path, methods: PAGE_METHODS, by: 'pages', about })

/** Every route. A family is listed after its exceptions. */
export const ADDRESSES: readonly Address[] = [
  ...Object.values(ROUTES).map(
    ({ method, path, by, summary }): Address => ({
      path,
      // Where nothing delivers events, the function that reads says so.
      by: by === 'check' ? 'publish' : by === 'publish' && method === 'GET' ? 'read' : by,
      about: summary,
      methods: method === 'GET' ? READ_METHODS : method === 'POST' && by === 'check' ? ['POST', 'OPTIONS'] : [method],
    }),
  ),
  ...APM_PATHS.map(
    (path): Address => ({ path, methods: READ_METHODS, by: 'skills', about: 'Agent Skills for APM, as a registry' }),
  ),
  ...NPM_PATHS.map(
    (path): Address => ({ path, methods: READ_METHODS, by: 'skills', about: 'Prompts for npm, as a registry' }),
  ),
  ...['', '/{owner}'].flatMap((of) =>
    GIT_SERVICES.map((service): Address => {
      const methods: readonly Method[] = service === 'info/refs' ? READ_METHODS : ['POST', 'OPTIONS']
      return { path: `${of}/skills.git/${service}`, methods, by: 'host', about: 'Agent Skills as a git repository' }
    }),
  ),
  { path: '/npm/*', methods: READ_METHODS, by: 'skills', about: 'Unknown URLs: a JSON error' },
  { path: '/api/apm/*', methods: READ_METHODS, by: 'skills', about: 'Unknown URLs: a JSON error' },
  { path: SKILL_SEARCH_PATH, methods: READ_METHODS, by: 'read', about: 'Agent Skills for npx skills find' },
  { path: '/api/*', methods: READ_METHODS, by: 'read', about: 'Unknown URLs: a JSON error' },
  { path: '/api/*', methods: ['POST'], by: 'publish', about: 'Unknown URLs: a JSON error' },
  { path: '/mcp', methods: ['POST', 'OPTIONS'], by: 'mcp', about: 'The MCP server' },
  ...Object.entries(ACCOUNT_ADDRESSES).map(
    ([path, methods]): Address => ({ path, methods, by: 'account', about: 'Accounts and sign-in, for browsers' }),
  ),
  { path: '/new', methods: EDITOR_METHODS, by: 'editor', about: 'The form for a new prompt' },
  { path: '/{owner}/{name}/edit', methods: EDITOR_METHODS, by: 'editor', about: 'The form for the next version' },
  { path: '/{owner}/settings', methods: EDITOR_METHODS, by: 'editor', about: 'Profile, members and rules of an owner' },
  { path: '/{owner}/{name}/manage', methods: EDITOR_METHODS, by: 'editor', about: 'Labels, yanks, status and readme' },
  {
    path: '/{owner}/{name}/proposals/{proposal}',
    methods: EDITOR_METHODS,
    by: 'editor',
    about: 'A proposal, for whoever knows its address',
  },
  ...listDataAddresses(),
  ...['/data/*', '/assets/*', '/cli/*', '/clients/*'].map(
    (path): Address => ({ path, methods: READ_METHODS, by: 'skills', about: 'Unknown URLs: a JSON error' }),
  ),
  file('/cli/hubcli', 'The command-line client'),
  file('/cli/releases/{release}/{file}', 'A release of the client, with its SHA-256'),
  file('/clients/*', 'Releases of the client libraries'),
  file('/docs/mcp/server.json', 'The description of the MCP server for registries'),
  file('/docs/renovate.json', 'The preset for Renovate'),
  { path: HEALTH_ADDRESS, methods: PAGE_METHODS, by: 'host', about: 'Whether the Node server is alive' },
  { path: READY_ADDRESS, methods: PAGE_METHODS, by: 'host', about: 'Whether every part of the Node server responds' },
  { path: METRICS_ADDRESS, methods: PAGE_METHODS, by: 'host', about: 'The Node server’s metrics, if enabled' },
  {
    path: '/rate-limited',
    methods: [...READ_METHODS, 'POST'],
    by: 'rate-limited',
    about: 'The response to too many requests',
  },
  page('/search', 'The search page'),
  page(SUGGESTIONS_ADDRESS, 'What the search field suggests, for its script'),
  page('/', 'The front page'),
  ...['/login', '/signin', '/sign-in'].map((path) => page(path, 'Redirects to the account page')),
  page('/skills', 'Redirects to the guide to Agent Skills'),
  page('/owners', 'Redirects to the list of owners'),
  staticPage('/docs', 'The documentation'),
  staticPage('/docs/{guide}', 'A guide'),
  staticPage('/docs/{guide}.md', 'A guide as Markdown'),
  page('/tags', 'All tags'),
  page('/tags/{tag}', 'The prompts with a tag'),
  page('/tags/{tag}/feed.xml', 'Feed of new versions with a tag'),
  page('/tags/{tag}/{page}', 'More pages of a tag'),
  page('/badges/{owner}/{name}.svg', 'A prompt’s badge'),
  page('/badges/{owner}/{name}.png', 'A prompt’s preview image, on the Node host'),
  page('/feed.xml', 'Feed of new versions'),
  page('/models.xml', 'Feed of the models that retire, with the prompts that use them'),
  page('/llms.txt', 'A description of the hub for models'),
  staticPage('/robots.txt', 'Rules for crawlers'),
  ...['/.well-known/security.txt', '/security.txt'].map((path) =>
    staticPage(path, 'Where to report a weakness of the hub, if site.yml says so'),
  ),
  staticPage('/.well-known/ai-catalog.json', 'What the hub has for agents: MCP, Agent Skills and the API'),
  staticPage('/sitemap.xml', 'All pages'),
  staticPage('/sitemap-{part}.xml', 'Part of the sitemap, if it exceeds one file'),
  staticPage('/404', 'The page for unknown URLs'),
  staticPage('/favicon.ico', 'The icon'),
  staticPage('/favicon.svg', 'The icon'),
  staticPage('/apple-touch-icon.png', 'The icon on phones'),
  staticPage('/icon-512.png', 'The large icon'),
  staticPage('/manifest.webmanifest', 'Name and icons for phones'),
  staticPage('/card.png', 'The preview image for links'),
  staticPage('/assets/*', 'Styles, scripts, fonts'),
  page('/{owner}', 'An owner’s page'),
  page('/{owner}/feed.xml', 'Feed of an owner’s versions'),
  page('/{owner}/{name}', 'A prompt’s page'),
  page('/{owner}/{name}/feed.xml', 'Feed of a prompt’s versions'),
  page('/{owner}/{name}/versions', 'A prompt’s versions'),
  page('/{owner}/{name}/versions/{page}', 'More pages of a prompt’s versions'),
  page('/{owner}/{name}/forks', 'The newest forks of a prompt'),
  page('/{owner}/{name}/dependents', 'The prompts that include a prompt'),
  page('/{owner}/{name}/v/{version}', 'A version’s page'),
  page('/{owner}/{name}/compare/{pair}', 'The changes from one version to another'),
  page('/{owner}/{name}/compare', 'Redirects a form to the comparison of the selected versions'),
  ...SKILL_PATHS.map((path): Address => {
    const about = path.endsWith('index.json')
      ? 'An index of Agent Skills'
      : path.endsWith('marketplace.json')
        ? 'Agent Skills as plugins, for Claude Code'
        : 'An Agent Skill, or one of its files'
    return { path, methods: PAGE_METHODS, by: 'skills', about }
  }),
  page('/{owner}/{name}/{version}', 'Redirects to the version’s page'),
  page('/*', 'The page for unknown URLs'),
]

function listDataAddresses(): Address[] {
  const [owner, name, number] = ['{owner}', '{name}', '{version}']
  return [
    file(DATA_FILES.index(), 'All repositories in one list, with hashes that let a mirror fetch only the changes'),
    file(DATA_FILES.list('{sort}', '{page}'), 'A page of all repositories'),
    file(DATA_FILES.recent(), 'The repositories with the newest versions'),
    file(DATA_FILES.tags(), 'All tags'),
    file(DATA_FILES.tagged('{tag}', '{sort}', '{page}'), 'A page of the repositories with a tag'),
    file(DATA_FILES.trustedRoot(), 'The Sigstore instances whose attestations the hub accepts'),
    file(DATA_FILES.models(), 'The models that retire, and the prompts that use them'),
    file(DATA_FILES.users(), 'All owners, with the number of their prompts'),
    file(DATA_FILES.user('{handle}'), 'An owner'),
    file(DATA_FILES.hubMarketplace(), 'The hub’s first Agent Skills as plugins'),
    file(DATA_FILES.marketplace('{handle}'), 'An owner’s Agent Skills as plugins'),
    file(DATA_FILES.hubSkills(1), 'The index of the hub’s first Agent Skills'),
    file(DATA_FILES.hubSkills('{page}'), 'More pages of that index'),
    file(DATA_FILES.labelled('{handle}', '{label}'), 'An owner’s prompts at a label'),
    file(DATA_FILES.composed('{handle}'), 'An owner’s prompts that include others'),
    file(DATA_FILES.dependents(owner, name), 'The prompts that include a prompt'),
    file(DATA_FILES.skills('{handle}'), 'The index of an owner’s Agent Skills'),
    file(DATA_FILES.recentlyTagged('{tag}'), 'The repositories with a tag and the newest versions'),
    file(DATA_FILES.repository(owner, name), 'A repository'),
    file(DATA_FILES.versions(owner, name), 'All of its versions in brief'),
    file(DATA_FILES.versionPage(owner, name, '{page}'), 'A page of its versions'),
    file(DATA_FILES.version(owner, name, number), 'One version'),
    file(DATA_FILES.changes(owner, name), 'The changes in each version that affect callers'),
    file(DATA_FILES.raw(owner, name), 'The latest content'),
    file(DATA_FILES.rawVersion(owner, name, number), 'The content of one version'),
    file(DATA_FILES.skill(owner, name, number), 'The SKILL.md of one version'),
    file(DATA_FILES.capabilities(owner, name, number), 'What one version of a skill can do'),
    file(DATA_FILES.results(owner, name, number), 'The results of test suites for one version'),
    file(DATA_FILES.newestResults(owner, name), 'The newest results of test suites'),
    file(
      DATA_FILES.blob(owner, name, '{sha256}'),
      'A file of a skill, or the archive or an attestation of one version',
    ),
    file(DATA_FILES.apm(owner, name), 'The versions of a skill, for APM'),
    file(DATA_FILES.npm(owner, name), 'The versions of a prompt, for npm'),
    file(DATA_FILES.openapi(), 'OpenAPI 3.1'),
    file(membershipsPath('{member}'), 'The owners that a login belongs to, for sign-in'),
    file(trustedJobsPath('{repository_id}'), 'The workflows that may read a private hub'),
    file(usagePath('{owner}'), 'What an owner has, for quotas'),
    file(unlistedPath('{owner}'), 'An owner’s prompts that appear in no list, for the account page'),
    file('/data/accounts/ids/{member}.json', 'The owners that a GitHub account ID belongs to, for sign-in'),
    file('/data/accounts/oidc/{member}.json', 'The owners that an OpenID Connect account belongs to, for sign-in'),
  ]
}
