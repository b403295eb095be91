// Answers requests with the application: sends what it says to any cache and client, compressed where that helps.
import type { IncomingMessage } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { CACHE_CONTROL, PAGE_CACHE_CONTROL, SHARED_CACHE_CONTROL } from '../../../domain/api/caching.ts'
import { HubError } from '../../../domain/api/errors.ts'
import { respondWithError } from '../../../server/refusals.ts'
import { type Parts, partsOf, respondWithParts } from '../../../server/respond.ts'
import { type Compressor, isCacheable, openCompressor } from './compress.ts'
import type { NodeListener } from './http-server.ts'

/** The context that the host adds to each request. */
interface HostContext<Site> {
  ip: string
  hub: Site
}

/** The application; errors become responses. */
export interface App<Context> {
  fetch(request: Request, context: Context): Response | Promise<Response>
}

/**
 * Handles every request with the application.
 *
 * @param siteOf returns the current site; a request uses the same site from start to finish
 * @param compressor shared by all requests, because it has a cache
 */
export function createHandler<Site>(
  app: App<HostContext<Site>>,
  siteOf: () => Site,
  compressor: Compressor = openCompressor(),
) {
  return async (request: Request, ip: string): Promise<Response> => {
    const isHead = request.method === 'HEAD'
    // A response to HEAD has the headers of the response to GET, which depend on its body.
    const asked = isHead ? new Request(request.url, { headers: request.headers }) : request
    const answer = await app.fetch(asked, { ip, hub: siteOf() })
    const parts = partsOf(answer)
    if (parts) {
      const made = await compressor.compress(asked, partsForOtherCaches(parts))
      return respondWithParts(isHead ? { ...made, bytes: null } : made)
    }
    const { status, headers, body } = forOtherCaches(answer)
    if (!isHead) return answer
    await body?.cancel()
    return new Response(null, { status, headers })
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
