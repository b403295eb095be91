// Handles read requests: responds with the file for the route, or with a JSON error.

import { ownerCacheTag, repositoryCacheTag } from '../../domain/api/caching.ts'
import { lowerCasePath, matchPath, READ_METHODS } from '../../domain/api/routes.ts'
import { pathOf, queryOf } from '../address.ts'
import { type Connect, countRequest } from '../hub.ts'
import { respondToOptions, respondWith, respondWithRedirect } from '../respond.ts'
import { ANSWERS } from './answers.ts'

/** Handles one request to the read API. Never throws: errors become responses. */
export async function handleRead(request: Request, connect: Connect): Promise<Response> {
  const path = pathOf(request.url)
  const query = queryOf(request.url)
  const found = matchPath(path)
  const { owner, name, handle } = found?.parameters ?? {}
  const cacheTag =
    owner && name ? repositoryCacheTag(owner, name) : handle === undefined ? undefined : ownerCacheTag(handle)
  try {
    if (request.method === 'OPTIONS') return respondToOptions(found?.methods ?? READ_METHODS)
    if (!found) return await respondUnknown(request, path, query)
    const route = found.routes.GET
    if (route?.by !== 'read' || (request.method !== 'GET' && request.method !== 'HEAD'))
      throw (await refusals()).methodNotAllowed(request.method, found.methods)
    const hub = await connect()
    await countRequest(hub)
    const { id, mediaType, cache } = route
    return respondWith(request, {
      mediaType,
      cache,
      cacheTag,
      ...(await ANSWERS[id](found.parameters, query === '' ? NO_QUERY : new URLSearchParams(query), hub)),
    })
  } catch (thrown) {
    return (await refusals()).respondToError(request, thrown, cacheTag)
  }
}

/** Imported on the first rejection, because successful reads do not need this code. */
const refusals = () => import('../refusals.ts')

const NO_QUERY = new URLSearchParams()

/** Redirects a URL that is valid except for uppercase letters, whether or not such a record exists. */
async function respondUnknown(request: Request, path: string, query: string): Promise<Response> {
  const lowerCase = lowerCasePath(path)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead && matchPath(lowerCase)?.routes.GET?.by === 'read'
    ? respondWithRedirect(lowerCase + query)
    : (await refusals()).respondNotFound(request)
}
