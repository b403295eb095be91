// Owns the settings: the only reader of the environment, one schema with every setting, its default and what it is for.
import { isIP } from 'node:net'
import * as z from 'zod'
import { HubError } from './domain/api/errors.ts'
import { isLoopback } from './domain/api/loopback.ts'
import { GITHUB_REPOSITORY } from './domain/content/names.ts'

/** Setting an empty variable is how many dashboards say "not set". */
const setting = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema)

const baseAddress = z
  .url({ protocol: /^https?$/, error: 'expected an address such as https://prompts.example.org' })
  .refine((address) => URL.parse(address)?.pathname === '/', 'expected an address without a path')
  .transform((address) => new URL(address).origin)

/** GitHub Enterprise may lie below a path; what is appended brings its own slash. */
const originAddress = z
  .url({ protocol: /^https?$/, error: 'expected an address such as https://github.com' })
  .transform((address) => address.replace(/\/$/, ''))

/** An address or a network whose forwarding header counts. */
export interface TrustedProxy {
  address: string
  /** Bits of the network. */
  prefix: number
}

const LOOPBACK_PROXIES: readonly TrustedProxy[] = [
  { address: '127.0.0.0', prefix: 8 },
  { address: '::1', prefix: 128 },
]

const trustedProxies = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => (part.trim() === '' ? [] : [parseProxy(part.trim())])))
  .refine(
    (proxies) => !proxies.includes(undefined),
    'expected addresses, networks such as 10.0.0.0/8, or loopback, with commas between them',
  )
  .transform((proxies) => proxies.flatMap((proxy) => proxy ?? []))

function parseProxy(text: string): readonly TrustedProxy[] | undefined {
  if (text === 'loopback') return LOOPBACK_PROXIES
  const [address = '', bits, more] = text.split('/')
  const longest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  const prefix = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
  return longest === 0 || more !== undefined || prefix < 0 || prefix > longest ? undefined : [{ address, prefix }]
}

/** Every setting by its name in the environment. README.md. */
export const Settings = z.object({
  PORT: setting(
    z.coerce.number('expected a port number').int('expected a port number').min(0).max(65_535).default(8888),
  ).describe('The port of our own host.'),
  HOST: setting(
    z
      .string()
      .regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'expected an address or a name of this machine')
      .optional(),
  ).describe('The address that our own host listens at, such as 0.0.0.0.'),
  TRUSTED_PROXIES: setting(trustedProxies).describe('Proxies whose X-Forwarded-For names the client.'),
  LOG_REQUESTS: setting(z.enum(['on', 'off'], 'expected on or off').optional()).describe(
    'Whether our own host writes a line of JSON for each request.',
  ),
  METRICS: setting(z.enum(['on', 'off'], 'expected on or off').default('off')).describe(
    'Whether our own host counts, and answers /metrics.',
  ),
  SITE_URL: setting(baseAddress.optional()).describe('The public base address.'),
  URL: setting(baseAddress.optional()).describe('The public base address as Netlify gives it.'),
  CONTENT_DIR: setting(z.string().default('content')).describe('The folder that holds the prompts.'),
  RATE_LIMIT_PER_MINUTE: setting(
    z.coerce.number('expected a whole number').int('expected a whole number').min(0, 'expected 0 or more').default(120),
  ).describe('Reads a minute and client address; 0 turns every limit off.'),
  GITHUB_REPOSITORY: setting(z.string().regex(GITHUB_REPOSITORY, 'expected owner/name').optional()).describe(
    'The GitHub repository that holds content/; without any GitHub setting, git on this machine is used.',
  ),
  GITHUB_BRANCH: setting(
    z
      .string()
      .regex(/^[^\s~^:?*[\\]{1,200}$/, 'expected the name of a branch')
      .default('main'),
  ).describe('The branch that is published to.'),
  GITHUB_TOKEN: setting(z.string().optional()).describe('A token that may write the contents of that repository.'),
  GITHUB_APP_ID: setting(z.string().regex(/^\d+$/, 'expected a number').optional()).describe(
    'A GitHub App that may, instead of a token.',
  ),
  GITHUB_APP_PRIVATE_KEY: setting(
    z.string().includes('PRIVATE KEY', { error: 'expected a private key in PEM form' }).optional(),
  ).describe('The private key of that App.'),
  GITHUB_API_URL: setting(
    z
      .url({ protocol: /^https?$/, error: 'expected an address such as https://api.github.com' })
      .default('https://api.github.com'),
  ).describe('The GitHub API; another one for GitHub Enterprise.'),
  SITE_NAME: setting(z.string().optional()).describe(
    'Set by Netlify: the site’s name there, below which its deploys lie.',
  ),
  GITHUB_OAUTH_URL: setting(originAddress.default('https://github.com')).describe(
    'Where people sign in; another one for GitHub Enterprise.',
  ),
  GITHUB_CLIENT_ID: setting(z.string().optional()).describe('The OAuth or GitHub App that people sign in with.'),
  GITHUB_CLIENT_SECRET: setting(z.string().optional()).describe('The secret of that App.'),
  SESSION_SECRET: setting(z.string().min(32, 'expected at least 32 characters').optional()).describe(
    'Signs the cookies of sign-ins under way; made up at each start in local mode.',
  ),
  OIDC_ISSUER: setting(
    z
      .url({ protocol: /^https?$/, error: 'expected an address' })
      .refine((address) => !address.endsWith('/'), 'expected an address without a final slash')
      .default('https://token.actions.githubusercontent.com'),
  ).describe('Whose OIDC tokens trusted publishers send.'),
  OIDC_JWKS_URL: setting(
    z
      .url({ protocol: /^https?$/, error: 'expected an address' })
      .default('https://token.actions.githubusercontent.com/.well-known/jwks'),
  ).describe('Where the keys of that issuer are.'),
  GITHUB_ACTIONS: setting(z.string().optional()).describe(
    'Set by GitHub Actions, where GITHUB_REPOSITORY names the repository of the job.',
  ),
  NETLIFY_LOCAL: setting(z.string().optional()).describe(
    'Set by the Netlify dev server: each request then runs in a worker of its own.',
  ),
  LAMBDA_TASK_ROOT: setting(z.string().default('.')).describe(
    'Set by Netlify: the folder that a function’s own files lie in.',
  ),
  SOURCE_DATE_EPOCH: setting(
    z.coerce.number('expected seconds since 1970').int('expected seconds since 1970').min(0).optional(),
  ).describe(
    'The build’s moment in seconds since 1970, for builds that must be repeated. https://reproducible-builds.org/specs/source-date-epoch/',
  ),
})

/** Git on this machine, a repository on GitHub, or half a setup: that publishes nowhere rather than somewhere else, and reading goes on. */
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

/** Sign-in with GitHub, none of it (then there may be a local one), or half of it: that signs nobody in, and our own host does not start. */
type SignInSettings =
  | { kind: 'none' }
  | { kind: 'incomplete'; missing: string[] }
  | {
      kind: 'github'
      oauthUrl: string
      apiUrl: string
      clientId: string
      clientSecret: string
      /** Signs the cookies of sign-ins under way. */
      secret: string
    }

/** The settings as the program uses them. */
export interface Config {
  port: number
  /** Where our own host listens: in local mode on loopback alone, else everywhere, or where the setting says. */
  listenAt: 'everywhere' | readonly string[]
  /** Whether each request leaves a line; undefined: unless somebody watches the output on a terminal. */
  logRequests: boolean | undefined
  /** Whether there are counters at `/metrics`. */
  hasMetrics: boolean
  /** Whose forwarding header counts. */
  trustedProxies: readonly TrustedProxy[]
  /** Base address without a final slash. */
  baseUrl: string
  /** The host names of the public addresses. */
  hostnames: string[]
  /** The site's name on Netlify, when it runs there. */
  netlifySite: string | undefined
  contentDir: string
  /** 0 is off. */
  rateLimitPerMinute: number
  /** Where publishing writes. */
  gitStore: GitStoreSettings
  /** How people sign in. */
  signIn: SignInSettings
  /** Whose OIDC tokens are accepted, and where the keys are. */
  oidc: { issuer: string; jwksUrl: string }
  /** Whether nothing is set up for anybody but the user of this very machine: no sign-in with GitHub, no address of another name. */
  isLocal: boolean
  /** Whether the Netlify dev server runs us: nothing in memory outlives a request there. */
  isNetlifyDev: boolean
  /** The folder that a function's included files lie in. */
  functionDir: string
  /** The build's day in UTC, `YYYY-MM-DD`. */
  buildDay: string
}

/**
 * Reads the settings.
 *
 * @param environment usually `process.env`
 * @throws HubError `unavailable` naming every setting that is wrong, never its value
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const result = Settings.safeParse(environment)
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw notSetUp(problems)
  }
  const settings = result.data
  const buildMoment =
    settings.SOURCE_DATE_EPOCH === undefined ? new Date() : new Date(settings.SOURCE_DATE_EPOCH * 1000)
  const baseUrl = settings.SITE_URL ?? settings.URL ?? `http://localhost:${settings.PORT}`
  const isHere = isLoopback(new URL(baseUrl).hostname)
  const signIn = readSignIn(settings, isHere || baseUrl.startsWith('https:'))
  const isLocal = signIn.kind === 'none' && isHere
  return {
    port: settings.PORT,
    listenAt: readListenAt(settings.HOST, isLocal),
    trustedProxies: settings.TRUSTED_PROXIES,
    logRequests: settings.LOG_REQUESTS === undefined ? undefined : settings.LOG_REQUESTS === 'on',
    hasMetrics: settings.METRICS === 'on',
    baseUrl,
    isLocal,
    signIn,
    oidc: { issuer: settings.OIDC_ISSUER, jwksUrl: settings.OIDC_JWKS_URL },
    hostnames: [settings.SITE_URL, settings.URL].flatMap((address) => (address ? [new URL(address).hostname] : [])),
    netlifySite: settings.SITE_NAME,
    contentDir: settings.CONTENT_DIR,
    gitStore: readGitStore(settings),
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    isNetlifyDev: settings.NETLIFY_LOCAL === 'true',
    functionDir: settings.LAMBDA_TASK_ROOT,
    buildDay: buildMoment.toISOString().slice(0, 10),
  }
}

/** Both addresses of this machine, for `localhost` may stand for either. */
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1']

function readListenAt(host: string | undefined, isLocalMode: boolean): Config['listenAt'] {
  if (host === undefined) return isLocalMode ? LOOPBACK : 'everywhere'
  return host === 'localhost' ? LOOPBACK : [host]
}

function readGitStore(settings: z.output<typeof Settings>): GitStoreSettings {
  const {
    GITHUB_REPOSITORY: repository,
    GITHUB_TOKEN: token,
    GITHUB_APP_ID: appId,
    GITHUB_APP_PRIVATE_KEY: privateKey,
  } = settings
  const hasCredential = Boolean(token || appId || privateKey)
  // In a job of GitHub Actions that name is always set, and alone it asks for nothing.
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

function readSignIn(settings: z.output<typeof Settings>, isPrivate: boolean): SignInSettings {
  const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret, SESSION_SECRET: secret } = settings
  if (!clientId && !clientSecret) return { kind: 'none' }
  const missing = SIGN_IN_SETTINGS.filter((name) => !settings[name]).map(
    (name) => `${name}: expected, because people sign in with GitHub`,
  )
  // Anyone on the way could read the cookies.
  if (!isPrivate) missing.push('SITE_URL: expected an address that starts with https://, because people sign in')
  if (!clientId || !clientSecret || !secret || missing.length > 0) return { kind: 'incomplete', missing }
  const { GITHUB_OAUTH_URL: oauthUrl, GITHUB_API_URL } = settings
  return { kind: 'github', oauthUrl, apiUrl: GITHUB_API_URL.replace(/\/$/, ''), clientId, clientSecret, secret }
}

/** What sign-in with GitHub cannot do without. */
export const SIGN_IN_SETTINGS = ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET', 'SESSION_SECRET'] as const

/** The error of settings that are missing or wrong; it names them, never their values. */
export function notSetUp(problems: readonly string[]): HubError {
  return new HubError(
    'unavailable',
    `The hub is not set up: ${problems.join('; ')}. Correct the settings and start again.`,
    { retryAfterSeconds: 60 },
  )
}
