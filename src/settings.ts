// Defines the format and default of every setting; config.ts combines them. Contains no schemas, because every function loads this file first.
import { isIP } from 'node:net'
import { parseAddress } from './domain/access/ip-address.ts'
import { parseReaders, type ReaderRule } from './domain/access/readers.ts'
import { isLoopback } from './domain/api/loopback.ts'
import type { Parsed } from './domain/text/problems.ts'
import { GITHUB_REPOSITORY } from './domain/values/names.ts'
import { addPassword, certificates, databaseAddress, type Form, privateKey, secretFile } from './secret-settings.ts'

interface Setting<Value, Unset> {
  form: Form<Value>
  /** The default value. */
  unset: Unset
  /** Whether `NAME_FILE` may name a file that contains the value. */
  isSecret?: true
}

function setting<Value>(form: Form<Value>): Setting<Value, undefined>
function setting<Value>(form: Form<Value>, unset: Value): Setting<Value, Value>
function setting<Value>(form: Form<Value>, unset?: Value): Setting<Value, Value | undefined> {
  return { form, unset }
}

const secret = <Value>(form: Form<Value>): Setting<Value, undefined> => ({ form, unset: undefined, isSecret: true })

const anyText: Form<string> = (text) => ({ value: text })

const textLike =
  (pattern: RegExp, expected: string): Form<string> =>
  (text) =>
    pattern.test(text) ? { value: text } : { expected }

/** The last second of the year 9999; years with more digits are not valid in ISO 8601. */
const MAX_SECONDS = 253_402_300_799

const oneOf =
  <const Choice extends string>(...choices: Choice[]): Form<Choice> =>
  (text) => {
    const value = choices.find((choice) => choice === text)
    return value === undefined ? { expected: `expected ${choices.join(' or ')}` } : { value }
  }

const thisMachine = textLike(/^[A-Za-z0-9.:_-]{1,253}$/, 'expected an IP address or a host name of this machine')

const onOrOff = oneOf('on', 'off')

/** Parses a number without a sign or a fraction. */
const wholeNumber =
  (expected: string, most = Number.MAX_SAFE_INTEGER, least = 0): Form<number> =>
  (text) =>
    /^\d+$/.test(text) && Number(text) <= most && Number(text) >= least ? { value: Number(text) } : { expected }

const address =
  (expected: string): Form<string> =>
  (text) =>
    /^https?:\/\/\S+$/i.test(text) && URL.canParse(text) ? { value: text } : { expected }

const baseAddress: Form<string> = (text) => {
  const read = address('expected a URL such as https://prompts.example.org')(text)
  if ('expected' in read) return read
  const { pathname, origin } = new URL(read.value)
  return pathname === '/' ? { value: origin } : { expected: 'expected a URL without a path' }
}

/** Parses a base URL and removes its trailing slash; GitHub Enterprise may be below a path. */
const originAddress: Form<string> = (text) => {
  const read = address('expected a URL such as https://github.com')(text)
  return 'expected' in read ? read : { value: read.value.replace(/\/$/, '') }
}

/** Parses an issuer, which must match the one in tokens character for character. */
const issuerAddress: Form<string> = (text) =>
  text.endsWith('/') ? { expected: 'expected a URL without a trailing slash' } : address('expected a URL')(text)

/** Parses the issuer of an OpenID Connect provider. Without https, anybody on the network could sign in as anybody. */
const signInIssuer: Form<string> = (text) => {
  const url = /^https?:\/\/\S+$/i.test(text) ? URL.parse(text) : null
  const isSafe = url?.protocol === 'https:' || (url !== null && isLoopback(url.hostname))
  return isSafe && url && url.search === '' && url.hash === '' && url.username === '' && !text.includes('/.well-known/')
    ? { value: text }
    : { expected: 'expected the https URL of an issuer, such as https://login.example.org, without /.well-known' }
}

/** An IP address or a network whose forwarding header is trusted. */
export interface TrustedProxy {
  address: string
  /** The length of the network prefix, in bits. */
  prefix: number
}

const readers: Form<readonly ReaderRule[]> = (text) => {
  const { value, problems } = parseReaders(text)
  return problems ? { expected: problems[0]!.message } : { value }
}

/** Headers that browsers, proxies and HTTP itself set, whose value never names a person. */
const OTHER_HEADERS =
  /^(?:accept.*|authorization|connection|content-.*|cookie|forwarded|host|origin|referer|sec-.*|te|user-agent|via|x-forwarded-(?:for|host|proto)|x-real-ip|x-request-id)$/

/** Parses the name of a header, which is compared in lower case. */
const headerName: Form<string> = (text) => {
  const name = text.toLowerCase()
  return /^[a-z][a-z0-9-]{0,63}$/.test(name) && !OTHER_HEADERS.test(name)
    ? { value: name }
    : { expected: 'expected the name of a header of its own, such as X-Forwarded-User' }
}

const LOOPBACK_PROXIES: readonly TrustedProxy[] = [
  { address: '127.0.0.0', prefix: 8 },
  { address: '::1', prefix: 128 },
]

const trustedProxies: Form<readonly TrustedProxy[]> = (text) => {
  const parts = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [parseProxy(part.trim())]))
  const proxies = parts.flatMap((proxy) => proxy ?? [])
  return parts.includes(undefined)
    ? { expected: 'expected IP addresses, networks such as 10.0.0.0/8, or loopback, separated by commas' }
    : { value: proxies }
}

function parseProxy(text: string): readonly TrustedProxy[] | undefined {
  if (text === 'loopback') return LOOPBACK_PROXIES
  const [given = '', bits, more] = text.split('/')
  const address = isIP(given) === 0 ? undefined : parseAddress(given)
  if (address === undefined || more !== undefined) return undefined
  // Clients are known by their IPv4 address even if it is written as an IPv6 address.
  const [longest, written] = [address.includes(':') ? 128 : 32, given.includes(':') ? 128 : 32]
  const prefix = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) - (written - longest) : -1
  const shortest = written === longest ? 0 : 1
  return prefix < shortest || prefix > longest ? undefined : [{ address, prefix }]
}

/** All settings, by the names of their environment variables. `src/pages/docs/settings.md` describes them. */
export const SETTINGS = {
  PORT: setting(wholeNumber('expected a port number', 65_535), 8888),
  HOST: setting(thisMachine),
  TRUSTED_PROXIES: setting(trustedProxies, []),
  READ_ACCESS: setting(oneOf('public', 'members')),
  READERS: setting(readers, []),
  AUTH_PROXY_HEADER: setting(headerName),
  LOG_REQUESTS: setting(onOrOff),
  LOG_LEVEL: setting(oneOf('info', 'warning', 'error'), 'info'),
  LOG_FORMAT: setting(oneOf('json', 'text')),
  LOG_ADDRESS: setting(oneOf('plain', 'hash', 'none'), 'plain'),
  AUDIT_LOG: setting(anyText),
  AUDIT_READS: setting(oneOf('true', 'false'), 'false'),
  /** The certificates of authorities that are trusted besides the usual ones. */
  EXTRA_CA_CERTS: setting(certificates),
  METRICS: setting(onOrOff, 'off'),
  METRICS_PORT: setting(wholeNumber('expected a port number', 65_535, 1)),
  METRICS_HOST: setting(thisMachine),
  METRICS_TOKEN: secret(textLike(/^[\x21-\x7e]{16,200}$/, 'expected at least 16 characters without spaces')),
  /** The operator's own webhook, of all events. */
  WEBHOOK_URL: setting(address('expected a URL')),
  WEBHOOK_SECRET: secret(
    textLike(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, 'expected whsec_ and 24 to 64 bytes in base64'),
  ),
  WEBHOOK_ALLOW_PRIVATE: setting(oneOf('true', 'false'), 'false'),
  SITE_URL: setting(baseAddress),
  /** Set by Netlify: the public base URL. */
  URL: setting(baseAddress),
  CONTENT_DIR: setting(anyText),
  CONTENT_POLL_SECONDS: setting(wholeNumber('expected a whole number from 1 to 86400', 86_400, 1), 30),
  DRAIN_SECONDS: setting(wholeNumber('expected a whole number from 0 to 300', 300), 5),
  /** With the password from DATABASE_PASSWORD, if that is set. */
  DATABASE_URL: secret(databaseAddress),
  DATABASE_PASSWORD: secret(anyText),
  RATE_LIMIT_PER_MINUTE: setting(wholeNumber('expected a whole number of at least 0'), 120),
  MAX_PROMPTS_PER_OWNER: setting(wholeNumber('expected a whole number of at least 0'), 0),
  MAX_BYTES_PER_OWNER: setting(wholeNumber('expected a whole number of at least 0'), 0),
  GITHUB_REPOSITORY: setting(textLike(GITHUB_REPOSITORY, 'expected owner/name')),
  GITHUB_BRANCH: setting(textLike(/^[^\s~^:?*[\\]{1,200}$/, 'expected a branch name'), 'main'),
  GITHUB_TOKEN: secret(anyText),
  GITHUB_APP_ID: setting(textLike(/^\d+$/, 'expected a number')),
  GITHUB_APP_PRIVATE_KEY: secret(privateKey),
  GITHUB_API_URL: setting(address('expected a URL such as https://api.github.com'), 'https://api.github.com'),
  /** Set by Netlify: the commit of the code. An image without a git repository can set it too. */
  COMMIT_REF: setting(anyText),
  /** Set by Netlify: the site’s name, which is part of its deploy URLs. */
  SITE_NAME: setting(anyText),
  GITHUB_OAUTH_URL: setting(originAddress, 'https://github.com'),
  GITHUB_CLIENT_ID: setting(anyText),
  GITHUB_CLIENT_SECRET: secret(anyText),
  /** The issuer of ID tokens of people, as OIDC_ISSUER is that of CI jobs. */
  SIGN_IN_ISSUER: setting(signInIssuer),
  SIGN_IN_CLIENT_ID: setting(anyText),
  SIGN_IN_CLIENT_SECRET: secret(anyText),
  READERS_GITHUB_TOKEN: secret(anyText),
  SESSION_SECRET: secret(textLike(/[\s\S]{32}/, 'expected at least 32 characters')),
  OIDC_ISSUER: setting(issuerAddress, 'https://token.actions.githubusercontent.com'),
  OIDC_JWKS_URL: setting(address('expected a URL'), 'https://token.actions.githubusercontent.com/.well-known/jwks'),
  /** Set by GitHub Actions, where GITHUB_REPOSITORY names the job’s repository. */
  GITHUB_ACTIONS: setting(anyText),
  /** Set by the Netlify dev server, where each request runs in its own worker. */
  NETLIFY_LOCAL: setting(anyText),
  /** Set by Netlify: the folder of a function’s files. */
  LAMBDA_TASK_ROOT: setting(anyText, '.'),
  /** The build time in seconds since 1970, for reproducible builds. https://reproducible-builds.org/specs/source-date-epoch/ */
  SOURCE_DATE_EPOCH: setting(wholeNumber('expected seconds since 1970, before the year 10000', MAX_SECONDS)),
}

/** The value of each setting. */
export type Settings = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer Value, infer Unset>
    ? Value | Unset
    : never
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads all settings. An empty variable counts as not set, because many dashboards represent unset values this way. */
export function readSettings(environment: Environment): Parsed<Settings> {
  const settings: readonly [string, Setting<unknown, unknown>][] = Object.entries(SETTINGS)
  const read = settings.map(([name, setting]) => readSetting(name, setting, environment))
  const problems = read.flatMap((one) => ('expected' in one ? [{ key: one.key, message: one.expected }] : []))
  if (problems.length > 0) return { problems }
  const values = read.map((one) => [one.key, 'value' in one ? one.value : undefined])
  // Each value has the type of the setting with the same name, which the type of `Object.entries` cannot express.
  return joinPassword(Object.fromEntries(values) as Settings)
}

function readSetting(key: string, { form, unset, isSecret }: Setting<unknown, unknown>, environment: Environment) {
  const text = environment[key]
  const file = isSecret && environment[`${key}_FILE`]
  if (!file) return { key, ...(text ? form(text) : { value: unset }) }
  if (text) return { key: `${key}_FILE`, expected: `expected only one of ${key} and ${key}_FILE` }
  const content = secretFile(file)
  return 'expected' in content ? { key: `${key}_FILE`, ...content } : { key, ...form(content.value) }
}

function joinPassword(settings: Settings): Parsed<Settings> {
  const { DATABASE_URL: url, DATABASE_PASSWORD: password } = settings
  if (password === undefined) return { value: settings }
  const joined = url && addPassword(url, password)
  if (joined) return { value: { ...settings, DATABASE_URL: joined } }
  const message =
    'expected a URL with a user and without a password, such as postgresql://user@host/database, because DATABASE_PASSWORD is set'
  return { problems: [{ key: 'DATABASE_URL', message }] }
}
