// Handles read requests: responds with the file for the route, or with a JSON error.

import { ownerCacheTag, repositoryCacheTag } from '../../domain/api/caching.ts'
import { type ApiRoute, lowerCasePath, matchPath, READ_METHODS } from '../../domain/api/routes.ts'
import { pathOf, queryOf } from '../address.ts'
import { type Connect, countRequest } from '../hub.ts'
import { respondToOptions, respondWith, respondWithRedirect } from '../respond.ts'
import { ANSWERS, type RouteHandler } from './answers.ts'

/** Handles one request to the read API. Never throws: errors become responses. */
export const handleRead = (request: Request, connect: Connect): Promise<Response> =>
  handleGet(request, connect, (route) => (route.by === 'read' ? ANSWERS[route.id] : undefined))

/** Handles one request to a function that serves routes for reading. Never throws: errors become responses. @param find returns the handler of a route; undefined if another function serves the route */
export async function handleGet(
  request: Request,
  connect: Connect,
  find: (route: ApiRoute) => RouteHandler | undefined,
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
      if (moved && find(moved)) return respondWithRedirect(lowerCase + query)
      return (await refusals()).respondNotFound(request)
    }
    const route = found.routes.GET
    const answer = route && find(route)
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
