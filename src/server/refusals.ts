// Responses that need only the request: unknown address, wrong method, too many requests, and unexpected errors.
import { HubError } from '../domain/api/errors.ts'
import { READ_METHODS } from '../domain/api/routes.ts'
import { printable } from '../domain/text/problems.ts'
import { toHubError } from '../ports/log.ts'
import { respondToOptions, respondWithError } from './respond.ts'

/** Answers with the error that a client may see of what was thrown; the rest of it is logged. @param cacheTag as for `respondWithError` */
export function answerThrown(request: Request, thrown: unknown, cacheTag?: string): Response {
  return respondWithError(request, toHubError(thrown), cacheTag)
}

/** Answers an address at which nothing is. The answer is JSON, because addresses below /api and /data never answer with a page. */
export function answerNotFound(request: Request): Response {
  if (request.method === 'OPTIONS') return respondToOptions(READ_METHODS)
  return respondWithError(
    request,
    new HubError(
      'not_found',
      `There is nothing at ${printable(new URL(request.url).pathname)}. The addresses are listed at /api/v1/openapi.json.`,
    ),
  )
}

/** Answers a request that the platform's own limit turned away. */
export function answerRateLimited(request: Request): Response {
  return respondWithError(request, refuseRate('requests', 60))
}

/** The error for a method that an address lacks. @param allow the methods it has */
export function refuseMethod(method: string, allow: readonly string[]): HubError {
  return new HubError('method_not_allowed', `${printable(method)} is not allowed here. Use ${allow.join(', ')}.`, {
    allow,
  })
}

/** The sentence for each thing that there may be too much of: how long to wait, and what else helps. */
const SENTENCES = {
  requests: (wait: string) =>
    `Too many requests from this address. Try again in ${wait}, and keep answers as Cache-Control allows.`,
  publishes: (wait: string) => `Too many publishes in your name. Try again in ${wait}.`,
  badTokens: (wait: string) =>
    `Too many tokens from this address were no good. Check the token, and try again in ${wait}.`,
  toolCalls: (wait: string) => `Too many tool calls from this address. Try again in ${wait}.`,
  messages: (wait: string) => `Too many messages from this address. Try again in ${wait}.`,
} as const

/** The sentence alone, for protocols with errors of their own. */
export function sayTooMany(what: keyof typeof SENTENCES, waitSeconds: number): string {
  return SENTENCES[what](`${waitSeconds} s`)
}

/** The error of a client that asks too often. */
export function refuseRate(what: keyof typeof SENTENCES, waitSeconds: number): HubError {
  return new HubError('rate_limited', sayTooMany(what, waitSeconds), { retryAfterSeconds: waitSeconds })
}
