// Handles read requests: finds the file of a route, or returns a JSON error.

import {
  type Method,
  matchManageRoute,
  matchRoute,
  READ_METHODS,
  ROUTES,
  type RouteId,
  repositoryTag,
} from '../../domain/api/routes.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import { pathOf, queryOf } from '../address.ts'
import type { Connect } from '../connect.ts'
import { respondToOptions, respondWith, respondWithRedirect } from '../respond.ts'
import { ANSWERS } from './answers.ts'
import type { ReadTools } from './records.ts'

/** What reading needs. */
export interface ReadDependencies extends ReadTools {
  limiter: RateLimiter
  /** As the platform says it. No handler takes it from a header, which clients can write. */
  clientAddress: string
}

/** Answers one request to the read API. Never throws: everything becomes an answer. */
export async function answerRead(request: Request, connect: Connect<ReadDependencies>): Promise<Response> {
  const path = pathOf(request.url)
  const query = queryOf(request.url)
  const route = matchRoute(path)
  const { owner, name } = route?.parameters ?? {}
  const cacheTag = owner && name ? repositoryTag(owner, name) : undefined
  try {
    if (request.method === 'OPTIONS') return respondToOptions(methodsAt(path, route?.id) ?? READ_METHODS)
    const methods = route ? undefined : methodsAt(path, undefined)
    if (methods) throw (await refusals()).refuseMethod(request.method, methods)
    if (!route) return await answerUnknown(request, path, query)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw (await refusals()).refuseMethod(request.method, ROUTES[route.id].methods)
    const dependencies = await connect()
    const waitSeconds = dependencies.limiter.take(dependencies.clientAddress)
    if (waitSeconds > 0) throw (await refusals()).refuseRate('requests', waitSeconds)
    const { mediaType, cache } = ROUTES[route.id]
    return respondWith(request, {
      mediaType,
      cache,
      cacheTag,
      ...(await ANSWERS[route.id](
        route.parameters,
        query === '' ? NO_QUERY : new URLSearchParams(query),
        dependencies,
      )),
    })
  } catch (thrown) {
    return (await refusals()).answerThrown(request, thrown, cacheTag)
  }
}

/** Imported at the first refusal, because reads that succeed do not need it. */
const refusals = () => import('../refusals.ts')

/** The methods of an address, those included that only change something; undefined where nothing is. */
function methodsAt(path: string, id: RouteId | undefined): readonly Method[] | undefined {
  if (id) return ROUTES[id].methods
  // Where a repository is changed, it is read too: a name that reading does not know is no address.
  const methods = matchManageRoute(path)?.methods
  return methods?.includes('GET') ? undefined : methods
}

const NO_QUERY = new URLSearchParams()

/** An address that is right but for upper case is redirected, whether or not there is such a record. */
async function answerUnknown(request: Request, path: string, query: string): Promise<Response> {
  const lowerCase = path.toLowerCase()
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead && matchRoute(lowerCase)
    ? respondWithRedirect(lowerCase + query)
    : (await refusals()).answerNotFound(request)
}
