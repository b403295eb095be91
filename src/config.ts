// Converts the settings into the program's configuration. Only this file reads the environment.
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { isPrivateHost } from './domain/access/private-host.ts'
import type { ReaderRule } from './domain/access/readers.ts'
import { findWebhookUrlProblem } from './domain/access/webhook-address.ts'
import { HubError } from './domain/api/errors.ts'
import { isLoopback } from './domain/api/loopback.ts'
import type { LogSettings } from './log.ts'
import { readSettings, type Settings, type TrustedProxy } from './settings.ts'
import type { CodeSource, HubProfile, ShownLook, SourceHost } from './site/rendering.ts'

/** A local git repository, or a repository on GitHub. If the GitHub settings are incomplete, publishing is rejected, so that nothing is written to the wrong repository; reading still works. */
type GitStoreSettings =
  | { kind: 'local' }
  | { kind: 'incomplete'; missing: string }
  | {
      kind: 'github'
      repository: string
      branch: string
      apiUrl: string
      credential: { kind: 'token'; token: string } | { kind: 'app'; appId: string; privateKey: string }
    }

/** Sign-in with GitHub, an OpenID Connect provider, or either of them; or with neither (local mode may then allow local sign-in). If the settings are incomplete, nobody can sign in, and the Node server does not start. */
type SignInSettings =
  | { kind: 'none' }
  | { kind: 'incomplete'; missing: string[] }
  | {
      kind: 'providers'
      github: { oauthUrl: string; apiUrl: string; clientId: string; clientSecret: string } | undefined
      oidc: { issuer: string; clientId: string; clientSecret: string } | undefined
      /** Signs the cookies of pending sign-ins. */
      secret: string
    }

/** Who may read the hub. */
export type ReadAccess =
  | { kind: 'public' }
  | {
      kind: 'members'
      /** The people who may read after they have signed in. */
      readers: readonly ReaderRule[]
      /** The header, in lower case, in which a trusted proxy names the person that it has signed in. */
      proxyHeader: string | undefined
    }

/** The parsed settings. */
export interface Config {
  port: number
  /** The address and port of the Node server. By default, it listens on loopback in local mode and on every address otherwise. */
  listenAt: 'everywhere' | readonly string[]
  /** Whether each request is logged on one line; if undefined, requests are logged only when the output is not a terminal. */
  logRequests: boolean | undefined
  logging: LogSettings
  /** Whether reads are audited, which is possible only on a hub for readers. */
  auditsReads: boolean
  /** Certificates of authorities, in PEM, that are trusted besides the usual ones. */
  extraCaCerts: readonly string[] | undefined
  /** The operator's own webhook, and whether webhooks may be in private networks. */
  webhooks: { operator: { url: string; secret: string } | undefined; isPrivateAllowed: boolean }
  /** Whether `/metrics` is served. */
  hasMetrics: boolean
  /** What a reader of the metrics must send; undefined if they need no token. */
  metricsToken: string | undefined
  /** Where the metrics are served instead of at the hub's own port; undefined if they have no port of their own. */
  metricsAt: { port: number; listenAt: readonly string[] | 'everywhere' } | undefined
  /** The commit of the code, if the platform or the image sets it. */
  codeCommit: string | undefined
  /** The proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly TrustedProxy[]
  /** Who may read the hub: everybody, or only its readers. */
  readAccess: ReadAccess
  /** The base URL, without a trailing slash. */
  baseUrl: string
  /** The host names of the public URLs. */
  hostnames: string[]
  /** The site's name on Netlify, if it runs there. */
  netlifySite: string | undefined
  contentDir: string
  /** Whether `npm start` maintains a clone of the GitHub repository because no folder was configured. */
  keepsClone: boolean
  /** Whether `npm start` publishes to a repository below `.hub` because neither a folder nor a GitHub repository was configured. */
  hasOwnCatalogue: boolean
  /** How often the clone polls GitHub. */
  contentPollMs: number
  /** The URL of the database that several machines share; undefined if the state is a local file. */
  databaseUrl: string | undefined
  /** How long the Node server keeps serving after SIGTERM, so that a load balancer notices; 0 in local mode, which has none. */
  drainMs: number
  /** Reads per minute; 0 disables the limits. */
  rateLimitPerMinute: number
  /** What an owner may have at most: prompts, and bytes of content in all their versions; 0 is no limit. */
  quota: { prompts: number; bytes: number }
  /** The git store that publishes are written to. */
  gitStore: GitStoreSettings
  /** How users sign in. */
  signIn: SignInSettings
  /** What to ask GitHub for the members of organisations with; without a token, with the credential of the git store. */
  organisations: { token: string | undefined; apiUrl: string }
  /** The accepted issuer of OIDC tokens, and its JWKS URL. */
  oidc: { issuer: string; jwksUrl: string }
  /** Whether pages of other sites may not use the hub: its base URL is on loopback or in a private network, or only readers may read it. */
  isPrivate: boolean
  /** Whether the hub serves only this machine's user: without sign-in at a provider or any other host name. */
  isLocal: boolean
  /** Whether the Netlify dev server runs the code; memory does not persist between requests there. */
  isNetlifyDev: boolean
  /** The folder that contains a function's included files. */
  functionDir: string
  /** The build date in UTC, `YYYY-MM-DD`. */
  buildDay: string
}

/**
 * Parses the settings.
 *
 * @param environment usually `process.env`
 * @throws HubError `unavailable` that names every invalid setting, but never its value
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const { value: settings, problems } = readSettings(environment)
  if (problems) throw settingsError(problems.map(({ key, message }) => `${key}: ${message}`))
  const buildMoment =
    settings.SOURCE_DATE_EPOCH === undefined ? new Date() : new Date(settings.SOURCE_DATE_EPOCH * 1000)
  const baseUrl = settings.SITE_URL ?? settings.URL ?? `http://localhost:${settings.PORT}`
  const { hostname } = new URL(baseUrl)
  const isHere = isLoopback(hostname)
  const signIn = readSignIn(settings, isHere || baseUrl.startsWith('https:'))
  const gitStore = readGitStore(settings)
  const isLocal = signIn.kind === 'none' && isHere
  const readAccess = readReadAccess(settings, gitStore)
  return {
    port: settings.PORT,
    listenAt: readListenAt(settings.HOST, isLocal),
    trustedProxies: settings.TRUSTED_PROXIES,
    logRequests: settings.LOG_REQUESTS === undefined ? undefined : settings.LOG_REQUESTS === 'on',
    logging: {
      level: settings.LOG_LEVEL,
      format: settings.LOG_FORMAT,
      address: settings.LOG_ADDRESS,
      addressKey: settings.SESSION_SECRET,
      auditFile: settings.AUDIT_LOG === undefined ? undefined : resolve(settings.AUDIT_LOG),
    },
    auditsReads: settings.AUDIT_READS === 'true',
    extraCaCerts: settings.EXTRA_CA_CERTS,
    webhooks: readWebhooks(settings),
    hasMetrics: settings.METRICS === 'on' || settings.METRICS_PORT !== undefined,
    metricsToken: settings.METRICS_TOKEN,
    metricsAt:
      settings.METRICS_PORT === undefined
        ? undefined
        : { port: settings.METRICS_PORT, listenAt: readListenAt(settings.METRICS_HOST, true) },
    codeCommit: settings.COMMIT_REF,
    baseUrl,
    readAccess,
    isPrivate: isPrivateHost(hostname) || readAccess.kind === 'members',
    isLocal,
    signIn,
    organisations: {
      token: settings.READERS_GITHUB_TOKEN,
      apiUrl: settings.GITHUB_API_URL.replace(/\/$/, ''),
    },
    oidc: { issuer: settings.OIDC_ISSUER, jwksUrl: settings.OIDC_JWKS_URL },
    hostnames: [settings.SITE_URL, settings.URL].flatMap((address) => (address ? [new URL(address).hostname] : [])),
    netlifySite: settings.SITE_NAME,
    contentDir: settings.CONTENT_DIR === undefined ? 'content' : resolveLink(settings.CONTENT_DIR),
    keepsClone: settings.CONTENT_DIR === undefined && gitStore.kind === 'github',
    hasOwnCatalogue: settings.CONTENT_DIR === undefined && gitStore.kind === 'local',
    contentPollMs: settings.CONTENT_POLL_SECONDS * 1000,
    databaseUrl: settings.DATABASE_URL,
    gitStore,
    drainMs: isLocal ? 0 : settings.DRAIN_SECONDS * 1000,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    quota: { prompts: settings.MAX_PROMPTS_PER_OWNER, bytes: settings.MAX_BYTES_PER_OWNER },
    isNetlifyDev: settings.NETLIFY_LOCAL === 'true',
    functionDir: settings.LAMBDA_TASK_ROOT,
    buildDay: buildMoment.toISOString().slice(0, 10),
  }
}

/** Resolves a folder that is a link. An operator may choose a link; a link named `content` that came with a commit is never followed. */
function resolveLink(dir: string): string {
  return existsSync(dir) && lstatSync(dir).isSymbolicLink() ? realpathSync(dir) : dir
}

/** Both loopback addresses, because `localhost` may resolve to either. */
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1']

function readListenAt(host: string | undefined, isLocalMode: boolean): Config['listenAt'] {
  if (host === undefined) return isLocalMode ? LOOPBACK : 'everywhere'
  return host === 'localhost' ? LOOPBACK : [host]
}

/** @throws HubError if the settings are incomplete, or name an address that is not allowed */
function readWebhooks(settings: Settings): Config['webhooks'] {
  const { WEBHOOK_URL: url, WEBHOOK_SECRET: secret } = settings
  const isPrivateAllowed = settings.WEBHOOK_ALLOW_PRIVATE === 'true'
  if ((url === undefined) !== (secret === undefined))
    throw settingsError([
      `${url ? 'WEBHOOK_SECRET' : 'WEBHOOK_URL'}: expected, because ${url ? 'WEBHOOK_URL' : 'WEBHOOK_SECRET'} is set`,
    ])
  if (url !== undefined && findWebhookUrlProblem(url, isPrivateAllowed) !== undefined)
    throw settingsError(['WEBHOOK_URL: expected the https URL of a public server, or WEBHOOK_ALLOW_PRIVATE=true'])
  return { operator: url !== undefined && secret !== undefined ? { url, secret } : undefined, isPrivateAllowed }
}

function readGitStore(settings: Settings): GitStoreSettings {
  const {
    GITHUB_REPOSITORY: repository,
    GITHUB_TOKEN: token,
    GITHUB_APP_ID: appId,
    GITHUB_APP_PRIVATE_KEY: privateKey,
  } = settings
  const hasCredential = Boolean(token || appId || privateKey)
  // GitHub Actions always sets this variable, so on its own it does not select GitHub.
  if (!hasCredential && (!repository || settings.GITHUB_ACTIONS === 'true')) return { kind: 'local' }
  if (!repository) return { kind: 'incomplete', missing: 'GITHUB_REPOSITORY' }
  const place = { kind: 'github', repository, branch: settings.GITHUB_BRANCH, apiUrl: settings.GITHUB_API_URL } as const
  if (token) return { ...place, credential: { kind: 'token', token } }
  if (appId && privateKey) return { ...place, credential: { kind: 'app', appId, privateKey } }
  return {
    kind: 'incomplete',
    missing: appId
      ? 'GITHUB_APP_PRIVATE_KEY'
      : privateKey
        ? 'GITHUB_APP_ID'
        : 'GITHUB_TOKEN (or GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY)',
  }
}

function readSignIn(settings: Settings, isPrivate: boolean): SignInSettings {
  const used = [GITHUB_SIGN_IN, OPENID_SIGN_IN].filter((names) => names.some((name) => settings[name]))
  if (used.length === 0) return { kind: 'none' }
  const missing = [...used.flat(), 'SESSION_SECRET' as const]
    .filter((name) => !settings[name])
    .map((name) => `${name}: expected, because sign-in is enabled`)
  // Without https, anyone on the network could read the cookies.
  if (!isPrivate) missing.push('SITE_URL: expected a URL that starts with https://, because sign-in is enabled')
  const { SESSION_SECRET: secret, GITHUB_OAUTH_URL: oauthUrl, SIGN_IN_ISSUER: issuer } = settings
  if (!secret || missing.length > 0) return { kind: 'incomplete', missing }
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, SIGN_IN_CLIENT_ID, SIGN_IN_CLIENT_SECRET } = settings
  const apiUrl = settings.GITHUB_API_URL.replace(/\/$/, '')
  return {
    kind: 'providers',
    secret,
    github:
      GITHUB_CLIENT_ID && GITHUB_CLIENT_SECRET
        ? { oauthUrl, apiUrl, clientId: GITHUB_CLIENT_ID, clientSecret: GITHUB_CLIENT_SECRET }
        : undefined,
    oidc:
      issuer && SIGN_IN_CLIENT_ID && SIGN_IN_CLIENT_SECRET
        ? { issuer, clientId: SIGN_IN_CLIENT_ID, clientSecret: SIGN_IN_CLIENT_SECRET }
        : undefined,
  }
}

/** @throws HubError if the settings contradict each other. A hub whose operator named its readers must never be public by accident. */
function readReadAccess(settings: Settings, gitStore: GitStoreSettings): ReadAccess {
  const { READ_ACCESS, READERS, AUTH_PROXY_HEADER, TRUSTED_PROXIES } = settings
  const needsReaders = settings.AUDIT_READS === 'true' ? ['AUDIT_READS'] : []
  const given = [
    ...needsReaders,
    ...(READERS.length > 0 ? ['READERS'] : []),
    ...(AUTH_PROXY_HEADER ? ['AUTH_PROXY_HEADER'] : []),
  ]
  if (READ_ACCESS !== 'members' && given.length > 0)
    throw settingsError([`READ_ACCESS: expected members, because ${given.join(' and ')} is set`])
  if (AUTH_PROXY_HEADER && (TRUSTED_PROXIES.length === 0 || TRUSTED_PROXIES.some(({ prefix }) => prefix === 0)))
    throw settingsError(['TRUSTED_PROXIES: expected the address of the proxy, because AUTH_PROXY_HEADER is set'])
  const hasOrganisation = READERS.some(({ kind }) => kind === 'github-org')
  if (hasOrganisation && !settings.READERS_GITHUB_TOKEN && gitStore.kind !== 'github')
    throw settingsError([
      'READERS_GITHUB_TOKEN: expected a token that may read the members of the organisations, because READERS names one',
    ])
  if (READ_ACCESS !== 'members') return { kind: 'public' }
  return { kind: 'members', readers: READERS, proxyHeader: AUTH_PROXY_HEADER }
}

const GITHUB_SIGN_IN = ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'] as const
const OPENID_SIGN_IN = ['SIGN_IN_ISSUER', 'SIGN_IN_CLIENT_ID', 'SIGN_IN_CLIENT_SECRET'] as const

/** What a hub without any settings for sign-in needs, where there is no local sign-in. */
export const SIGN_IN_PROBLEMS = [
  'GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET, or SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID and SIGN_IN_CLIENT_SECRET: expected, because people sign in here with a provider',
  'SESSION_SECRET: expected, because sign-in is enabled',
]

/** Creates the error for missing or invalid settings. The error names the settings, but never their values. */
export function settingsError(problems: readonly string[]): HubError {
  return new HubError(
    'unavailable',
    `The hub is not set up: ${problems.join('; ')}. Correct the settings and start again.`,
    { retryAfterSeconds: 60 },
  )
}

/**
 * Returns the path of a file that is deployed with a function.
 *
 * Callers do not write `resolve(functionDir, 'build/search.db')` themselves: Netlify's bundler would understand only the last part. It would then search the entire project, including `node_modules` and the site, for paths that end with that part, and deploy all of these files.
 */
export const includedFile = ({ functionDir }: Pick<Config, 'functionDir'>, path: string): string =>
  resolve(functionDir, path)

/** Returns the repository that publishes are written to, for links; undefined for a local git repository. */
export function findSourceHost({
  gitStore,
  contentDir,
}: Pick<Config, 'gitStore' | 'contentDir'>): SourceHost | undefined {
  if (gitStore.kind !== 'github') return undefined
  const { repository, branch, apiUrl } = gitStore
  const { origin } = new URL(apiUrl)
  // On github.com, the web pages and the API have different hosts; on GitHub Enterprise Server, they share one host.
  const web = `${origin === 'https://api.github.com' ? 'https://github.com' : origin}/${repository}`
  return { repository, branch, web, content: findInRepository(contentDir) }
}

/** Returns what pages show of the settings. @param look from `serveLook` @param code only for the guides, which a build or a start makes */
export function findProfile(
  config: Pick<Config, 'baseUrl' | 'rateLimitPerMinute' | 'gitStore' | 'contentDir' | 'readAccess'>,
  look: ShownLook,
  code?: CodeSource,
): HubProfile {
  const { baseUrl, rateLimitPerMinute, readAccess } = config
  const isForReaders = readAccess.kind === 'members'
  return { baseUrl, rateLimitPerMinute, isForReaders, sourceHost: findSourceHost(config), code, look }
}

/** Returns the content folder's path in the repository. A hub runs in the root folder of the repository; a content folder elsewhere is a copy of the folder that publishes are written to. */
function findInRepository(contentDir: string): string {
  const path = relative(process.cwd(), resolve(contentDir)).replaceAll(sep, '/')
  return path === '' || path.startsWith('..') ? 'content' : path
}
