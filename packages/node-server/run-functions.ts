// Runs the functions in one Node process, routed by their `config`.
import type { IncomingMessage } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { CACHE_CONTROL, PAGE_CACHE_CONTROL, SHARED_CACHE_CONTROL } from '../../src/domain/api/caching.ts'
import { HubError } from '../../src/domain/api/errors.ts'
import { matchPath } from '../../src/domain/api/routes.ts'
import { toHubError } from '../../src/ports/log.ts'
import type { SiteFiles } from '../../src/ports/site-files.ts'
import { pathOf } from '../../src/server/address.ts'
import { methodNotAllowed, respondNotFound, respondWithError } from '../../src/server/refusals.ts'
import { type Parts, partsOf, respondWithParts } from '../../src/server/respond.ts'
import { type Compressor, isCacheable, openCompressor } from './http/compress.ts'
import type { NodeListener } from './http/http-server.ts'
import { preflightFile, serveFile } from './http/static-files.ts'

/** A function module as in `netlify/functions`: a handler and its routes. */
export interface HostedFunction<Context> {
  default: (request: Request, context: Context) => Response | Promise<Response>
  config: {
    path?: string | string[]
    excludedPath?: string | string[]
    method?: string | string[]
    preferStatic?: boolean
  }
}

/** The context that the host adds to each request. */
export interface HostContext<Site> {
  ip: string
  hub: Site
}

/** What a request is answered from. */
interface ServedSite {
  /** The files of the build and of the pages. */
  files: SiteFiles
  /** The same files, with what was written since the build. */
  newest?: SiteFiles | undefined
}

/** Finds the function for a request. @param pathname as in a URL */
type Router<Context> = (method: string, pathname: string) => HostedFunction<Context> | undefined

/** Creates a router of functions. */
export function routeFunctions<Context>(functions: readonly HostedFunction<Context>[]): Router<Context> {
  const routes = functions.flatMap((hosted) =>
    [hosted.config.path ?? []].flat().map((path) => ({
      hosted,
      literals: path.search(/[:*{(]|$/),
      paths: compilePaths(path),
      excluded: compilePaths(hosted.config.excludedPath ?? []),
      methods: hosted.config.method === undefined ? undefined : [hosted.config.method].flat(),
    })),
  )
  // The most specific routes come first, so that most requests never reach the pages route, which excludes many paths.
  routes.sort((a, b) => b.literals - a.literals)
  return (method, pathname) =>
    routes.find(
      ({ paths, excluded, methods }) =>
        (methods?.includes(method) ?? true) && paths.test(pathname) && !excluded.test(pathname),
    )?.hosted
}

/**
 * Compiles the paths of a function, with or without a trailing slash, as on Netlify. They have the syntax of URL patterns: `:name` is a segment, `*` is anything, and a group in parentheses is a regular expression.
 *
 * @see https://developer.mozilla.org/docs/Web/API/URL_Pattern_API
 */
function compilePaths(paths: string | string[]): RegExp {
  const sources = [paths].flat().map((path) => path.replace(/(?::\w+)?(\([^)]*\))|:\w+|[*{}.]/g, compilePart))
  // Without paths, this matches nothing.
  return new RegExp(`^(?:${sources.join('|') || '(?!)'})/?$`)
}

const PARTS: Readonly<Record<string, string>> = { '*': '.*', '{': '(?:', '}': ')', '.': '\\.' }

const compilePart = (part: string, group: string | undefined): string => group ?? PARTS[part] ?? '[^/]+'

/**
 * Handles every request with a matching function, a static file or a JSON error, in that order.
 *
 * @param siteOf returns the current site; a request uses the same site from start to finish
 * @param compressor shared by all requests, because it has a cache
 */
export function createHandler<Site extends ServedSite>(
  route: Router<HostContext<Site>>,
  siteOf: () => Site,
  compressor: Compressor = openCompressor(),
) {
  return async (request: Request, ip: string): Promise<Response> => {
    const site = siteOf()
    const answer = await answerPlain(request, ip, route, site)
    const parts = partsOf(answer)
    if (!parts) return forOtherCaches(answer)
    const askForBody = async () => partsOf(await answerPlain(toGet(request), ip, route, site))
    return respondWithParts(await compressor.compress(request, partsForOtherCaches(parts), askForBody))
  }
}

const toGet = (request: Request) => new Request(request.url, { headers: request.headers })

async function answerPlain<Site extends ServedSite>(
  request: Request,
  ip: string,
  route: Router<HostContext<Site>>,
  site: Site,
): Promise<Response> {
  try {
    const path = pathOf(request.url)
    const hosted = route(request.method, path)
    const isFileFirst = hosted === undefined || hosted.config.preferStatic === true
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    const files = site.newest ?? site.files
    const file = isFileFirst && isReading ? await serveFile(request, files) : undefined
    if (file) return file
    if (hosted) return await hosted.default(request, { ip, hub: site })
    if (isReading) return respondNotFound(request)
    return (
      (request.method === 'OPTIONS' && (await preflightFile(request, files))) ||
      respondWithError(request, methodNotAllowed(request.method, matchPath(path)?.methods ?? ['GET', 'HEAD']))
    )
  } catch (thrown) {
    return respondWithError(request, toHubError(thrown))
  }
}

/** Replaces the headers for Netlify's cache with standard ones. RFC 9213 */
function partsForOtherCaches({ headers, ...parts }: Parts): Parts {
  const known = forOthers.get(headers) ?? headersForOtherCaches(headers)
  forOthers.set(headers, known)
  return { ...parts, headers: known }
}

/** A cache of converted headers, because a repeated response has the same headers object (respond.ts). */
const forOthers = new WeakMap<Parts['headers'], Parts['headers']>()

function headersForOtherCaches(given: Parts['headers']): Parts['headers'] {
  const headers: Record<string, string> = {}
  for (const name in given) if (!PLATFORM_HEADERS.has(name)) headers[name] = given[name]!
  const cacheControl = given['Cache-Control']
  if (isForAMinute(cacheControl)) headers['CDN-Cache-Control'] = SHARED_CACHE_CONTROL
  if (isCacheable(cacheControl)) headers.Vary = given.Vary ? `${given.Vary}, Accept-Encoding` : 'Accept-Encoding'
  return headers
}

/** Returns whether shared caches may keep a response for a minute. What is missing needs no header of its own: they read `s-maxage`. */
const isForAMinute = (cacheControl: string | null | undefined) =>
  cacheControl === CACHE_CONTROL.changing || cacheControl === PAGE_CACHE_CONTROL.found

/** Replaces these headers in a response without known bytes, such as a stream or a redirect. */
function forOtherCaches(response: Response): Response {
  const { headers } = response
  for (const name of PLATFORM_HEADERS) headers.delete(name)
  const cacheControl = headers.get('Cache-Control')
  if (isForAMinute(cacheControl)) headers.set('CDN-Cache-Control', SHARED_CACHE_CONTROL)
  if (isCacheable(cacheControl)) headers.append('Vary', 'Accept-Encoding')
  return response
}

const PLATFORM_HEADERS: ReadonlySet<string> = new Set([
  'Netlify-CDN-Cache-Control',
  'Netlify-Vary',
  'Netlify-Cache-Tag',
  'Netlify-Cache-ID',
])

/**
 * Creates a Node listener from a handler.
 *
 * @param answer also gets the IP address of the connection, whatever its headers say
 * @param addressOf finds the client's IP address; default: the connection's, ignoring headers
 */
export function listenTo(
  answer: (request: Request, ip: string, peer?: string) => Promise<Response>,
  addressOf: (incoming: IncomingMessage) => string = ({ socket }) => socket.remoteAddress ?? 'unknown',
): NodeListener {
  const handle = (request: Request, { incoming }: { incoming: unknown }) => {
    if (!URL.canParse(request.url)) return refuseUrl()
    // hono also serves HTTP/2, which this server does not speak.
    const { socket } = incoming as IncomingMessage
    return answer(request, addressOf(incoming as IncomingMessage), socket.remoteAddress)
  }
  return getRequestListener(handle, {
    // HTTP/1.0 does not require a Host header.
    hostname: 'localhost',
    // This is called only for requests whose URL cannot be parsed.
    errorHandler: refuseUrl,
  })
}

const refuseUrl = () =>
  respondWithError(
    new Request('http://localhost/', { method: 'POST' }),
    new HubError('invalid_request', 'The URL or the header Host is invalid. Use an HTTP library.'),
  )
