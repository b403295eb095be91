// Owns the settings: the only reader of the environment, one schema with every setting, its default and what it is for.
import { z } from 'zod'
import { HubError } from './domain/errors.ts'

/** Setting an empty variable is how many dashboards say "not set". */
const setting = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema)

const baseAddress = z
  .url({ protocol: /^https?$/, error: 'expected an address such as https://prompts.example.org' })
  .refine((address) => new URL(address).pathname === '/', 'expected an address without a path')
  .transform((address) => new URL(address).origin)

/** Every setting by its name in the environment. architecture.md section 4. */
export const Settings = z.object({
  PORT: setting(
    z.coerce.number('expected a port number').int('expected a port number').min(0).max(65_535).default(8888),
  ).describe('The port of our own host.'),
  SITE_URL: setting(baseAddress.optional()).describe('The public base address.'),
  URL: setting(baseAddress.optional()).describe('The public base address as Netlify gives it.'),
  CONTENT_DIR: setting(z.string().default('content')).describe('The folder that holds the prompts.'),
  RATE_LIMIT_PER_MINUTE: setting(
    z.coerce.number('expected a whole number').int('expected a whole number').min(0, 'expected 0 or more').default(120),
  ).describe('Reads a minute and client address; 0 turns every limit off.'),
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

/** The settings as the program uses them. */
export interface Config {
  port: number
  /** Base address without a final slash. */
  baseUrl: string
  contentDir: string
  /** 0 is off. */
  rateLimitPerMinute: number
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
    throw new HubError(
      'unavailable',
      `The hub is not set up: ${problems.join('; ')}. Correct the setting and start again.`,
      { retryAfterSeconds: 60 },
    )
  }
  const settings = result.data
  const buildMoment =
    settings.SOURCE_DATE_EPOCH === undefined ? new Date() : new Date(settings.SOURCE_DATE_EPOCH * 1000)
  return {
    port: settings.PORT,
    baseUrl: settings.SITE_URL ?? settings.URL ?? `http://localhost:${settings.PORT}`,
    contentDir: settings.CONTENT_DIR,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    isNetlifyDev: settings.NETLIFY_LOCAL === 'true',
    functionDir: settings.LAMBDA_TASK_ROOT,
    buildDay: buildMoment.toISOString().slice(0, 10),
  }
}
