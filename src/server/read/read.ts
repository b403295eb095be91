// Handles read requests: responds with the file for the route, or with a JSON error.

import { ownerCacheTag, repositoryCacheTag } from '../../domain/api/caching.ts'
import { lowerCasePath, matchPath, READ_METHODS, type RouteId } from '../../domain/api/routes.ts'
import { pathOf, queryOf } from '../address.ts'
import { type Connect, countRequest } from '../hub.ts'
import { respondToOptions, respondWith, respondWithRedirect } from '../respond.ts'
import { ANSWERS, type RouteHandler } from './answers.ts'

/** Handles one request to the read API. Never throws: errors become responses. */
export const handleRead = (request: Request, connect: Connect): Promise<Response> =>
  handleGet(request, connect, ANSWERS)

/** Handles one request to a function that serves routes for reading. Never throws: errors become responses. @param answers the handlers of the routes that this function serves */
export async function handleGet(
  request: Request,
  connect: Connect,
  answers: Readonly<Partial<Record<RouteId, RouteHandler>>>,
): Promise<Response> {
  const path = pathOf(request.url)
  const query = queryOf(request.url)
  const found = matchPath(path)
  const { owner, name, handle } = found?.parameters ?? {}
  const cacheTag =
    owner && name ? repositoryCacheTag(owner, name) : handle === undefined ? undefined : ownerCacheTag(handle)
  try {
    if (request.method === 'OPTIONS') return respondToOptions(found?.methods ?? READ_METHODS)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!found) {
      // A URL that is valid except for uppercase letters is redirected, whether or not such a record exists.
      const lowerCase = lowerCasePath(path)
      const moved = isRead ? matchPath(lowerCase)?.routes.GET : undefined
      if (moved && answers[moved.id]) return respondWithRedirect(lowerCase + query)
      return (await refusals()).respondNotFound(request)
    }
    const route = found.routes.GET
    const answer = route && answers[route.id]
    if (!answer || !isRead) throw (await refusals()).methodNotAllowed(request.method, found.methods)
    const hub = await connect()
    await countRequest(hub)
    const { mediaType, cache } = route
    const given = query === '' ? NO_QUERY : new URLSearchParams(query)
    return respondWith(request, { mediaType, cache, cacheTag, ...(await answer(found.parameters, given, hub)) })
  } catch (thrown) {
    return (await refusals()).respondToError(request, thrown, cacheTag)
  }
}

/** Imported on the first rejection, because successful reads do not need this code. */
const refusals = () => import('../refusals.ts')

const NO_QUERY = new URLSearchParams()
