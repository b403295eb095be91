// Classifies failed GitHub calls by type, status and headers, never by message.
import * as z from 'zod'
import { HubError } from '../domain/api/errors.ts'

/** What a failure proves. Every kind except `unknown` proves that nothing was written. */
type Failure =
  /** The branch's head was not the expected commit. */
  | { kind: 'moved' }
  /** A rate limit was reached; if GitHub does not specify a wait time, our own default applies. */
  | { kind: 'limited'; retryAfterSeconds: number }
  /** GitHub will never accept this call. */
  | { kind: 'refused'; isCredential?: true }
  /** The URL or object does not exist. This is final for a read, but proves nothing for a mutation. */
  | { kind: 'absent' }
  | { kind: 'unknown' }

/** GitHub asks clients to wait at least a minute if a limit does not specify a time. docs.github.com, "Rate limits for the REST API". */
const LIMIT_SECONDS = 60
/** The longest wait passed on to clients. GitHub's limits count by the hour, and this machine's clock may be wrong. */
const MAX_LIMIT_SECONDS = 3_600

const REFUSALS: ReadonlySet<string> = new Set([
  ...['NOT_FOUND', 'FORBIDDEN', 'INSUFFICIENT_SCOPES', 'UNPROCESSABLE', 'BRANCH_PROTECTION_RULE_VIOLATION'],
])

const Headers = z.record(z.string(), z.union([z.string(), z.number()]).optional())
const GraphqlFailure = z.object({ errors: z.array(z.object({ type: z.string().optional() })).min(1), headers: Headers })
const HttpFailure = z.object({ status: z.number(), response: z.object({ headers: Headers }).optional() })

/**
 * Classifies an error that octokit threw.
 *
 * @param thrown a `GraphqlResponseError` (a response with `errors`), a `RequestError` (a status, which may come from octokit itself), or anything else
 * @param nowMs the current time, for limits that specify when they end
 */
export function classifyFailure(thrown: unknown, nowMs: number): Failure {
  const graphql = GraphqlFailure.safeParse(thrown)
  if (graphql.success) return classifyTypes(graphql.data, nowMs)
  const http = HttpFailure.safeParse(thrown)
  if (!http.success || http.data.response === undefined) return { kind: 'unknown' }
  const { status, response } = http.data
  if (status === 401) return { kind: 'refused', isCredential: true }
  if (status === 404) return { kind: 'absent' }
  if (status === 403 || status === 429)
    return { kind: 'limited', retryAfterSeconds: secondsUntilFree(response.headers, nowMs) ?? LIMIT_SECONDS }
  return { kind: 'unknown' }
}

/**
 * Returns the port's error for a failure.
 *
 * @param thrown recorded as the cause, but only with types and statuses, because octokit's errors contain the request, including the content
 */
export function toPortError(failure: Failure, thrown: unknown): HubError {
  const cause = new Error(describeFailure(thrown))
  if (failure.kind === 'limited')
    return new HubError('unavailable', 'The git host is limiting requests. Try again later.', {
      cause,
      retryAfterSeconds: failure.retryAfterSeconds,
    })
  if (failure.kind === 'refused' && failure.isCredential)
    return new HubError(
      'upstream_error',
      'GitHub does not accept the hub’s credential: it has expired or was revoked. Its operator must renew it: npm run doctor says how.',
      { cause },
    )
  if (failure.kind === 'refused' || failure.kind === 'absent')
    return new HubError('upstream_error', 'The git host rejected the request. See the hub’s log for the reason.', {
      cause,
    })
  return new HubError('unavailable', 'The git host sent an unexpected response. Try again.', { cause })
}

/** Returns the part of a failure that is safe to log: types and statuses, or the message of an error without a response. */
function describeFailure(thrown: unknown): string {
  const graphql = GraphqlFailure.safeParse(thrown)
  if (graphql.success)
    return `GitHub returned errors: ${graphql.data.errors.map(({ type }) => type ?? 'untyped').join(', ')}`
  const http = HttpFailure.safeParse(thrown)
  if (http.success && http.data.response) return `GitHub returned status ${http.data.status}`
  if (thrown instanceof z.ZodError) return 'GitHub returned an unexpected response'
  return `no response from GitHub: ${thrown instanceof Error ? `${thrown.name} ${thrown.message}` : typeof thrown}`
}

function classifyTypes({ errors, headers }: z.infer<typeof GraphqlFailure>, nowMs: number): Failure {
  const types = errors.map(({ type }) => type ?? '')
  if (types.every((type) => type === 'STALE_DATA')) return { kind: 'moved' }
  if (types.includes('RATE_LIMITED'))
    return { kind: 'limited', retryAfterSeconds: secondsUntilFree(headers, nowMs) ?? LIMIT_SECONDS }
  // A secondary rate limit in GraphQL has status 200 and no type; only the header distinguishes it from other GitHub errors.
  if (headers['retry-after'] !== undefined)
    return { kind: 'limited', retryAfterSeconds: secondsUntilFree(headers, nowMs) ?? LIMIT_SECONDS }
  return types.every((type) => REFUSALS.has(type)) ? { kind: 'refused' } : { kind: 'unknown' }
}

function secondsUntilFree(headers: z.infer<typeof Headers>, nowMs: number): number | undefined {
  const wait = wholeNumber(headers['retry-after'])
  if (wait !== undefined) return Math.min(Math.max(1, wait), MAX_LIMIT_SECONDS)
  const reset = wholeNumber(headers['x-ratelimit-reset'])
  if (String(headers['x-ratelimit-remaining']) !== '0' || reset === undefined) return undefined
  return Math.min(Math.max(1, reset - Math.floor(nowMs / 1000)), MAX_LIMIT_SECONDS)
}

function wholeNumber(value: string | number | undefined): number | undefined {
  return value !== undefined && /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined
}
