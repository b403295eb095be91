// The routes of the API that read published data, and the answers at addresses that the API does not have.
import { API_PATHS, type ApiPath, areValid, READ_METHODS, SKILL_SEARCH_PATH } from '../domain/api/routes.ts'
import type { Hub } from '../server/hub.ts'
import { ANSWERS, type RouteHandler } from '../server/read/answers.ts'
import { handleRead, respondElsewhere } from '../server/read/read.ts'
import { methodNotAllowed, respondNotFound } from '../server/refusals.ts'
import { respondToOptions } from '../server/respond.ts'
import { type Answer, type Opens, only, type RouteGroup } from './app.ts'

/** Adds the routes that read. Other groups that serve the API come first. */
export const reads =
  <Place>({ hub }: { hub: Opens<Hub, Place> }): RouteGroup<Place> =>
  (add) => {
    const answerAt = ({ routes, methods }: ApiPath): Answer<Place> => {
      const route = routes.get('GET')
      const answer = route && HANDLERS[route.id]
      return (request, parameters, place) => {
        const { method } = request
        if (method === 'OPTIONS') return respondToOptions(methods)
        const isRead = route !== undefined && (method === 'GET' || method === 'HEAD')
        if (isRead && answer) return handleRead(request, route, parameters, answer, () => hub(request, place))
        // What only members may read is answered elsewhere, where the host has it.
        if (isRead || !areValid(parameters)) return respondNotThere(request)
        throw methodNotAllowed(method, methods)
      }
    }
    for (const one of API_PATHS) add('all', one.path, answerAt(one))
    const answerSearch: Answer<Place> = async (request, _, place) =>
      (await import('../server/read/skill-search.ts')).handleSkillSearch(request, () => hub(request, place))
    add('all', SKILL_SEARCH_PATH, only(READ_METHODS, answerSearch))
    for (const path of ['/api', '/api/*']) add('all', path, respondNotThere)
  }

const respondNotThere = (request: Request) =>
  request.method === 'GET' || request.method === 'HEAD' ? respondElsewhere(request) : respondNotFound(request)

const HANDLERS: Partial<Record<string, RouteHandler>> = ANSWERS
