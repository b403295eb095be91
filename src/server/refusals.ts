// Builds error responses: for unknown URLs, unsupported methods, rate limits and everything that handlers throw.

import {
  COMPRESSIBLE_VARY,
  cacheTagOf,
  MISSING_CACHE_CONTROL,
  NO_VARY_SEARCH,
  type Subject,
} from '../domain/api/caching.ts'
import { ERRORS, HubError } from '../domain/api/errors.ts'
import { READ_METHODS } from '../domain/api/routes.ts'
import type { ErrorEnvelope } from '../domain/api/schema.ts'
import { printable } from '../domain/text/printable.ts'
import { toHubError } from '../log.ts'
import { PLAIN_TEXT, respondToOptions, UNCACHED_JSON, wantsText } from './respond.ts'

/** Responds to any exception with its public error, and logs the details. @param subject as in `respondWithError` */
export function respondToError(request: Request, thrown: unknown, subject?: Subject): Response {
  return respondWithError(request, toHubError(thrown), subject)
}

/** Responds to an unknown URL with a JSON error, because URLs of the API and of files for programs never return a page. */
export function respondNotFound(request: Request): Response {
  if (request.method === 'OPTIONS') return respondToOptions(READ_METHODS)
  return respondWithError(
    request,
    new HubError(
      'not_found',
      `There is nothing at ${printable(new URL(request.url).pathname)}. The endpoints are listed at /api/v1/openapi.json.`,
    ),
  )
}

/** Responds to a request that the platform's own rate limit rejected. */
export function respondRateLimited(request: Request): Response {
  return respondWithError(request, rateLimitError('requests', 60))
}

/** Creates the error for a method that a URL does not support. @param allow the supported methods */
export function methodNotAllowed(method: string, allow: readonly string[]): HubError {
  return new HubError('method_not_allowed', `${printable(method)} is not allowed here. Use ${allow.join(', ')}.`, {
    allow,
  })
}

/** Creates the error for an owner or a name that no repository can have. */
export function invalidNameError(): HubError {
  return new HubError(
    'not_found',
    'No repository can have this name. Owners and names consist of lower-case letters, digits and single hyphens, and some words are reserved.',
  )
}

/** The message for each rate limit, which says how long to wait and what else to do. */
const SENTENCES = {
  requests: (wait: string) =>
    `Too many requests from this IP address. Try again in ${wait}, and cache responses as Cache-Control allows.`,
  publishes: (wait: string) => `You are publishing too often. Try again in ${wait}.`,
  badTokens: (wait: string) =>
    `Too many invalid tokens from this IP address. Check the token, and try again in ${wait}.`,
  toolCalls: (wait: string) => `Too many tool calls from this IP address. Try again in ${wait}.`,
  messages: (wait: string) => `Too many messages from this IP address. Try again in ${wait}.`,
} as const

/** Returns only the message, for protocols that have their own error format. */
export function describeRateLimit(what: keyof typeof SENTENCES, waitSeconds: number): string {
  return SENTENCES[what](`${waitSeconds} s`)
}

/** Creates the error for a client that exceeds a rate limit. */
export function rateLimitError(what: keyof typeof SENTENCES, waitSeconds: number): HubError {
  return new HubError('rate_limited', describeRateLimit(what, waitSeconds), { retryAfterSeconds: waitSeconds })
}

/** A serialised error, for callers without a Request. */
interface ErrorResponse {
  status: number
  headers: Record<string, string>
  /** JSON or the message as text, with characters beyond ASCII. */
  body: string
}

/** Builds an uncacheable error response. All error responses are built here (docs/contract.md section 6). @param isText whether the body is the message alone */
export function makeErrorResponse(
  { code, message, allow, retryAfterSeconds }: HubError,
  isText = false,
): ErrorResponse {
  const { status } = ERRORS[code]
  const headers: Record<string, string> = { ...UNCACHED_JSON }
  if (allow) headers.Allow = allow.join(', ')
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds)
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer'
  if (isText) return { status, headers: { ...headers, 'Content-Type': PLAIN_TEXT }, body: `${message}\n` }
  const envelope: ErrorEnvelope = { error: { code, message } }
  return { status, headers, body: JSON.stringify(envelope) }
}

/** Responds with an error. Caches may keep a 404 response to GET or HEAD for 30 s. @param subject what it is about, so that a publish purges a 404 */
export function respondWithError(request: Request, error: HubError, subject?: Subject): Response {
  const { status, headers, body } = makeErrorResponse(error, wantsText(request))
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (status === 404 && isReading) {
    headers['Cache-Control'] = MISSING_CACHE_CONTROL
    headers['No-Vary-Search'] = NO_VARY_SEARCH
    headers.Vary = `${COMPRESSIBLE_VARY}, Accept`
    const cacheTag = subject && cacheTagOf(subject)
    if (cacheTag) headers['Cache-Tag'] = cacheTag
  }
  const bytes = new TextEncoder().encode(body)
  headers['Content-Length'] = String(bytes.length)
  return new Response(request.method === 'HEAD' ? null : bytes, { status, headers })
}

/** Responds to whatever a write or a check throws: with problem details, which name each field, for those who ask for them. */
export function respondToSender(request: Request, thrown: unknown): Response {
  const wantsDetails = request.headers.get('Accept')?.includes(PROBLEM_DETAILS)
  return wantsDetails ? respondWithProblem(request, thrown) : respondToError(request, thrown)
}

/** Responds to any exception with the message alone in `error`, which npm shows. @param subject as in `respondWithError` */
export function respondForNpm(request: Request, thrown: unknown, subject?: Subject): Response {
  const error = toHubError(thrown)
  const { status, headers } = respondWithError(request, error, subject)
  const bytes = new TextEncoder().encode(JSON.stringify({ error: error.message }))
  headers.set('Content-Type', 'application/json; charset=utf-8')
  headers.set('Content-Length', String(bytes.length))
  return new Response(request.method === 'HEAD' ? null : bytes, { status, headers })
}

const PROBLEM_DETAILS = 'application/problem+json'

/** Responds to any exception with problem details (RFC 9457). @param subject as in `respondWithError` */
export function respondWithProblem(request: Request, thrown: unknown, subject?: Subject): Response {
  const error = toHubError(thrown)
  const { status, headers } = respondWithError(request, error, subject)
  const errors = error.problems?.map(({ key, message }) => ({
    ...(key !== '' && { pointer: `#/${key.replaceAll('.', '/')}` }),
    detail: message,
  }))
  const problem = { title: error.code.replaceAll('_', ' '), status, detail: error.message, ...(errors && { errors }) }
  const bytes = new TextEncoder().encode(JSON.stringify(problem))
  headers.set('Content-Type', PROBLEM_DETAILS)
  headers.set('Content-Length', String(bytes.length))
  return new Response(request.method === 'HEAD' ? null : bytes, { status, headers })
}
