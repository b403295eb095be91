// The routes of the API that change what is published, or say what a publish would do.
import { API_PATHS, type ApiPath, areValid } from '../domain/api/routes.ts'
import { type CheckHub, handleCheck } from '../server/publish/handle-check.ts'
import { handleWrite } from '../server/publish/handle-write.ts'
import type { PublishHub } from '../server/publish/publish-hub.ts'
import type { Clock } from '../server/publish/write-to-git.ts'
import { methodNotAllowed, respondNotFound } from '../server/refusals.ts'
import type { Opens, RouteGroup } from './app.ts'

interface Parts<Place> {
  publishing: Opens<PublishHub, Place>
  checking: Opens<CheckHub, Place>
  /** The clock; by default, the machine's. */
  clock?: Clock | undefined
  /** The longest request that reaches the hub on its platform. */
  platformBytes?: number
}

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']

/** What only the owner's members may read is answered here, too. */
const methodsOf = (routes: ApiPath['routes']) =>
  routes.get('GET')?.by === 'publish' ? ['GET', 'HEAD', ...METHODS] : METHODS

/** Adds the routes that write and check. */
export const writes =
  <Place>({ publishing, checking, clock, platformBytes }: Parts<Place>): RouteGroup<Place> =>
  (add) => {
    for (const { path, routes, methods } of API_PATHS)
      add(methodsOf(routes), path, (request, parameters, place) => {
        const route = routes.get(request.method === 'HEAD' ? 'GET' : request.method)
        if (route?.by === 'publish')
          return handleWrite(
            request,
            { id: route.id, parameters, platformBytes },
            () => publishing(request, place),
            clock,
          )
        if (route?.by === 'check')
          return handleCheck(request, parameters, () => checking(request, place), clock?.now, platformBytes)
        if (!areValid(parameters)) return respondNotFound(request)
        throw methodNotAllowed(request.method, methods)
      })
    for (const path of ['/api', '/api/*']) add(METHODS, path, respondNotFound)
  }
