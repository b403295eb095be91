// Classifies failed GitHub calls by type, status and headers, never by message.
import * as z from 'zod'
import { HubError } from '../../domain/api/errors.ts'

/** What a failure proves. Everything but `unknown` proves that nothing was written. */
type Failure =
  /** The branch's head was not the expected one. */
  | { kind: 'moved' }
  /** A limit was reached; a time of our own when GitHub names none. */
  | { kind: 'limited'; retryAfterSeconds: number }
  /** GitHub will not do this, however often it is asked. */
  | { kind: 'refused' }
  /** There is no such address or object. For a read that is final; of a mutation it proves nothing. */
  | { kind: 'absent' }
  | { kind: 'unknown' }

/** GitHub asks for at least a minute when a limit comes without a time. docs.github.com, "Rate limits for the REST API". */
const LIMIT_SECONDS = 60

const REFUSALS: ReadonlySet<string> = new Set([
  ...['NOT_FOUND', 'FORBIDDEN', 'INSUFFICIENT_SCOPES', 'UNPROCESSABLE', 'BRANCH_PROTECTION_RULE_VIOLATION'],
])

const Headers = z.record(z.string(), z.union([z.string(), z.number()]).optional())
const GraphqlFailure = z.object({ errors: z.array(z.object({ type: z.string().optional() })).min(1), headers: Headers })
const HttpFailure = z.object({ status: z.number(), response: z.object({ headers: Headers }).optional() })

/**
 * Judges what octokit threw.
 *
 * @param thrown a `GraphqlResponseError` (an answer with `errors`), a `RequestError` (a status, at times one that octokit made up), or anything
 * @param nowMs the clock, for limits that name their end
 */
export function judgeFailure(thrown: unknown, nowMs: number): Failure {
  const graphql = GraphqlFailure.safeParse(thrown)
  if (graphql.success) return judgeTypes(graphql.data, nowMs)
  const http = HttpFailure.safeParse(thrown)
  if (!http.success || http.data.response === undefined) return { kind: 'unknown' }
  const { status, response } = http.data
  if (status === 401) return { kind: 'refused' }
  if (status === 404) return { kind: 'absent' }
  if (status === 403 || status === 429)
    return { kind: 'limited', retryAfterSeconds: secondsUntilFree(response.headers, nowMs) ?? LIMIT_SECONDS }
  return { kind: 'unknown' }
}

/**
 * The error of the port that a failure becomes where a value was expected.
 *
 * @param thrown kept as a cause that names types and statuses alone: octokit's own errors carry the request, and with it the content
 */
export function toPortError(failure: Failure, thrown: unknown): HubError {
  const cause = new Error(describeFailure(thrown))
  if (failure.kind === 'limited')
    return new HubError('unavailable', 'The git host limits requests. Try again later.', {
      cause,
      retryAfterSeconds: failure.retryAfterSeconds,
    })
  if (failure.kind === 'refused' || failure.kind === 'absent')
    return new HubError(
      'upstream_error',
      'The git host rejected the request. The operator finds the reason in the log.',
      {
        cause,
      },
    )
  return new HubError('unavailable', 'The git host sent an unexpected response. Try again.', { cause })
}

/** Says of a failure what may be logged: types and statuses, or the message of an error that had no answer. */
export function describeFailure(thrown: unknown): string {
  const graphql = GraphqlFailure.safeParse(thrown)
  if (graphql.success)
    return `GitHub answered errors: ${graphql.data.errors.map(({ type }) => type ?? 'untyped').join(', ')}`
  const http = HttpFailure.safeParse(thrown)
  if (http.success && http.data.response) return `GitHub answered status ${http.data.status}`
  if (thrown instanceof z.ZodError) return 'GitHub answered something of another shape'
  return `no answer from GitHub: ${thrown instanceof Error ? `${thrown.name} ${thrown.message}` : typeof thrown}`
}

function judgeTypes({ errors, headers }: z.infer<typeof GraphqlFailure>, nowMs: number): Failure {
  const types = errors.map(({ type }) => type ?? '')
  if (types.every((type) => type === 'STALE_DATA')) return { kind: 'moved' }
  if (types.includes('RATE_LIMITED'))
    return { kind: 'limited', retryAfterSeconds: secondsUntilFree(headers, nowMs) ?? LIMIT_SECONDS }
  // A secondary limit over GraphQL comes with 200 and no type; only the header tells it from a fault of GitHub's.
  if (headers['retry-after'] !== undefined)
    return { kind: 'limited', retryAfterSeconds: secondsUntilFree(headers, nowMs) ?? LIMIT_SECONDS }
  return types.every((type) => REFUSALS.has(type)) ? { kind: 'refused' } : { kind: 'unknown' }
}

function secondsUntilFree(headers: z.infer<typeof Headers>, nowMs: number): number | undefined {
  const wait = wholeNumber(headers['retry-after'])
  if (wait !== undefined) return Math.max(1, wait)
  const reset = wholeNumber(headers['x-ratelimit-reset'])
  if (String(headers['x-ratelimit-remaining']) !== '0' || reset === undefined) return undefined
  return Math.max(1, reset - Math.floor(nowMs / 1000))
}

function wholeNumber(value: string | number | undefined): number | undefined {
  return value !== undefined && /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined
}
