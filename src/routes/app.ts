// Creates applications from groups of routes. The Node server has one with all of them; a function on Netlify has those that it serves, so that a cold start loads nothing else.
import { Hono } from 'hono'
import type { SiteFiles } from '../built/site-files.ts'
import type { PathParameters } from '../domain/api/routes.ts'
import type { Hub } from '../server/hub.ts'
import { methodNotAllowed, respondNotFound, respondToError } from '../server/refusals.ts'
import { pathOf } from '../server/request.ts'
import { respondToOptions } from '../server/respond.ts'

/**
 * Answers a request. What it throws becomes an error response.
 *
 * @param parameters as in the path, undecoded
 * @param place what the platform knows of the request
 * @param path the route's path
 */
export type Answer<Place> = (
  request: Request,
  parameters: PathParameters,
  place: Place,
  path: string,
) => Response | Promise<Response>

/** Opens what a request needs, once the request itself has been checked. */
export type Opens<Opened, Place> = (request: Request, place: Place) => Opened | Promise<Opened>

/** What answers reads outside the API. */
export interface ReadParts<Place> {
  hub: Opens<Hub, Place>
  /** The static files; omitted where the platform itself serves them. */
  files?: ((place: Place) => SiteFiles) | undefined
}

/** Adds a route. Earlier routes come first. @param path has parameters in braces, of which `{path}` matches the rest; a trailing `*` matches anything */
type AddRoute<Place> = (methods: string[] | 'all', path: string, answer: Answer<Place>) => void

/** Adds routes that belong together. */
export type RouteGroup<Place> = (add: AddRoute<Place>) => void

/** Creates an application. Its `fetch` takes a request and its place. */
export function createApp<Place extends object>(groups: readonly RouteGroup<Place>[]) {
  const app = new Hono<{ Bindings: Place }>({ getPath: routedPathOf })
  const add: AddRoute<Place> = (methods, path, answer) => {
    app.on(methods === 'all' ? ['ALL'] : methods, patternOf(path), (context) =>
      answer(context.req.raw, context.req.param(), context.env, path),
    )
  }
  for (const group of groups) group(add)
  // Netlify may ask a function for more than its routes.
  app.notFound((context) => respondNotFound(context.req.raw))
  app.onError((thrown, context) => respondToError(context.req.raw, thrown))
  return app
}

/** Returns the router's form of a path. */
export const patternOf = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'path' ? ':path{.+}' : `:${name}`))

/** Returns the path by which a request is routed: without one trailing slash, and with every `%` encoded once more, because the router decodes parameters, and no address has an encoded character. */
function routedPathOf({ url }: Request): string {
  const path = pathOf(url)
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  return bare.includes('%') ? bare.replaceAll('%', '%25') : bare
}

/** Limits an answer to some methods, and answers OPTIONS. @param refuse makes the response to other methods */
export const only =
  <Place>(
    methods: readonly string[],
    answer: Answer<Place>,
    refuse: typeof respondToError = respondToError,
  ): Answer<Place> =>
  (request, parameters, place, path) => {
    const { method } = request
    if (method === 'OPTIONS') return respondToOptions(methods)
    if (!methods.includes(method)) return refuse(request, methodNotAllowed(method, methods))
    return answer(request, parameters, place, path)
  }
