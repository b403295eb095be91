// Owns every setting by its name in the environment: its form, its default and what it is for. What they mean together is config.ts.
import { isIP } from 'node:net'
import * as z from 'zod'
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
