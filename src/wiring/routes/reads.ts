// The routes of the API that read published data, and the answers at addresses that the API does not have.
import { API_PATHS, type ApiPath, READ_METHODS } from '../../domain/api/routes.ts'
import type { Hub } from '../../server/hub.ts'
import { ANSWERS, type RouteHandler } from '../../server/read/answers.ts'
import { handleRead, respondElsewhere } from '../../server/read/read.ts'
import { methodNotAllowed, respondNotFound } from '../../server/refusals.ts'
import { type Answer, type Opens, only, type RouteGroup } from './app.ts'

/** Adds the routes that read. Other groups that serve the API come first. */
export const reads =
  <Place>({ hub }: { hub: Opens<Hub, Place> }): RouteGroup<Place> =>
  (add) => {
    const answerAt =
      ({ routes, methods }: ApiPath): Answer<Place> =>
      (request, parameters, place) => {
        const isReading = request.method === 'GET' || request.method === 'HEAD'
        const route = isReading ? routes.get('GET') : undefined
        const answer = route && HANDLERS[route.id]
        if (!route || !answer) throw methodNotAllowed(request.method, methods)
        return handleRead(request, route, parameters, answer, () => hub(request, place))
      }
    for (const one of API_PATHS) add('all', one.path, only(one.methods, answerAt(one)))
    for (const path of ['/api', '/api/*'])
      add('all', path, (request) =>
        READ_METHODS.some((method) => method === request.method) && request.method !== 'OPTIONS'
          ? respondElsewhere(request)
          : respondNotFound(request),
      )
  }

const HANDLERS: Partial<Record<string, RouteHandler>> = ANSWERS
