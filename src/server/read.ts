// Owns the read API: from an address to the file that answers it, or to a JSON error that says what to do.
import { HubError } from '../domain/errors.ts'
import { printable } from '../domain/problems.ts'
import type { RateLimiter } from '../domain/rate-limit.ts'
import { matchRoute, ROUTES, type RouteId } from '../domain/routes.ts'
import { ANSWERS, type ReadTools } from './read-answers.ts'
import {
  repositoryTag,
  respondToOptions,
  respondWith,
  respondWithError,
  respondWithRedirect,
  toHubError,
} from './respond.ts'

/** What reading needs. */
export interface ReadDependencies extends ReadTools {
  limiter: RateLimiter
  /** As the platform gives it; a header never decides it. */
  clientAddress: string
}

const READ_METHODS = ['GET', 'HEAD', 'OPTIONS'] as const

/** Answers one request to the read API. Never throws: everything becomes an answer. @param connect makes the dependencies; what it throws is answered too */
export async function answerRead(request: Request, connect: () => ReadDependencies): Promise<Response> {
  const url = new URL(request.url)
  const route = matchRoute(url.pathname)
  const { owner, name } = route?.parameters ?? {}
  const cacheTag = owner && name ? repositoryTag(owner, name) : undefined
  try {
    if (request.method === 'OPTIONS') return respondToOptions(methodsOf(route?.id))
    if (!route) return answerUnknown(request, url)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw refuseMethod(request.method, methodsOf(route.id))
    const dependencies = connect()
    const waitSeconds = dependencies.limiter.take(dependencies.clientAddress)
    if (waitSeconds > 0) throw refuseRate(waitSeconds)
    const { mediaType, cache } = ROUTES[route.id]
    return respondWith(request, {
      mediaType,
      cache,
      cacheTag,
      ...(await ANSWERS[route.id](route.parameters, url.searchParams, dependencies)),
    })
  } catch (thrown) {
    return respondWithError(request, toHubError(thrown), cacheTag)
  }
}

/** Answers an address at which nothing is, as JSON: below /api and /data no reader ever meets a page. */
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
  return respondWithError(request, refuseRate(60))
}

/** Upper case in an address that would otherwise be right is a slip, whatever stands behind the address. */
function answerUnknown(request: Request, url: URL): Response {
  const lowerCase = url.pathname.toLowerCase()
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead && matchRoute(lowerCase) ? respondWithRedirect(lowerCase + url.search) : answerNotFound(request)
}

/** The methods of a route; of none, those that reading has. */
export function methodsOf(route: RouteId | undefined): readonly string[] {
  return route === 'listVersions' ? [...READ_METHODS, 'POST'] : READ_METHODS
}

/** The error for a method that an address lacks. @param allow the methods it has */
export function refuseMethod(method: string, allow: readonly string[]): HubError {
  return new HubError('method_not_allowed', `${printable(method)} is not possible here. Use ${allow.join(', ')}.`, {
    allow,
  })
}

function refuseRate(waitSeconds: number): HubError {
  return new HubError(
    'rate_limited',
    `Too many requests from this address. Try again in ${waitSeconds} s, and keep answers as Cache-Control allows.`,
    { retryAfterSeconds: waitSeconds },
  )
}
