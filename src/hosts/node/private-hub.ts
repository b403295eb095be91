// Protects a hub in a private network, or on one machine, from pages of other sites that its readers open.

import { HEALTH_ADDRESS, METRICS_ADDRESS, READY_ADDRESS } from '../../catalogue/published/addresses.ts'
import { isPrivateHost } from '../../domain/access/private-host.ts'
import { HubError } from '../../domain/api/errors.ts'
import { respondWithError } from '../../server/refusals.ts'
import { findForeignSource, type OwnAddresses, pathOf } from '../../server/request.ts'
import { type MadeResponse, type Parts, respondWithParts } from '../../server/respond.ts'
import type { Answer } from './http/answer.ts'

/** Paths that a monitoring program requests by a name of its own, such as that of a container. */
const MONITORED: ReadonlySet<string> = new Set([HEALTH_ADDRESS, READY_ADDRESS, METRICS_ADDRESS])

/** Rejects requests from other sites, at every URL, and lets only the hub's own pages read responses. Does nothing for a public hub. No shared cache may keep a response that is for readers alone. */
export function protectPrivateHub(answer: Answer, own: OwnAddresses): Answer {
  if (!own.isPrivate) return answer
  const { baseUrl, isForReaders = false } = own
  const forMonitoring = { ...own, isOwnHost: (host: string) => own.isOwnHost(host) || isPrivateHost(host) }
  /** Changed headers, because a repeated response has the same headers object (respond.ts). */
  const known = new WeakMap<Parts['headers'], Parts['headers']>()
  return async (request, client) => {
    let foreign = findForeignSource(request, own)
    if (foreign !== undefined && MONITORED.has(pathOf(request.url))) foreign = findForeignSource(request, forMonitoring)
    const response: MadeResponse =
      // The MCP endpoint uses the same check, but has its own error format.
      foreign === undefined || pathOf(request.url) === '/mcp'
        ? await answer(request, client)
        : respondWithError(request, new HubError('forbidden', foreign))
    const given = foreign === undefined ? request.headers.get('Origin') : null
    const origin = given === null || given === 'null' ? baseUrl : given
    const { parts } = response
    if (!parts) return changeResponse(response, origin, isForReaders)
    const headers =
      (origin === baseUrl && known.get(parts.headers)) || changeHeaders(parts.headers, origin, isForReaders)
    if (origin === baseUrl) known.set(parts.headers, headers)
    return respondWithParts({ ...parts, headers })
  }
}

const ALLOW_ORIGIN = 'Access-Control-Allow-Origin'

/** Replaces the permission for all origins. @param origin that of the base URL, or another that the hub accepts */
function changeHeaders(given: Parts['headers'], origin: string, isForReaders: boolean): Parts['headers'] {
  const headers = isForReaders ? headersForReader(given) : given
  return headers[ALLOW_ORIGIN] === undefined
    ? headers
    : { ...headers, [ALLOW_ORIGIN]: origin, Vary: headers.Vary ? `${headers.Vary}, Origin` : 'Origin' }
}

/** Does the same to a response whose parts are not known. */
function changeResponse(response: Response, origin: string, isForReaders: boolean): Response {
  const { headers } = response
  if (isForReaders) keepForReader(headers)
  if (!headers.has(ALLOW_ORIGIN)) return response
  headers.set(ALLOW_ORIGIN, origin)
  headers.append('Vary', 'Origin')
  return response
}

/** Headers for shared caches, which must not keep anything. */
const FOR_SHARED_CACHES = /^(?:.*-)?cdn-cache-control$|^netlify-|^surrogate-|^(?:.*-)?cache-tags?$/i

/** The request headers that identify a reader. */
const READER_HEADERS = 'Authorization, Cookie'

/** Returns the Cache-Control for the reader's own cache. A response must be fresh or checked again, because the reader may have lost the right to read it. */
function cacheControlFor(given: string | null | undefined): string {
  if (!given) return 'no-store'
  return given
    .replace(/\bpublic\b/, 'private')
    .replace(/,?\s*(?:stale-while-revalidate|stale-if-error|s-maxage)=\d+/g, '')
}

const varyFor = (given: string | null | undefined): string => (given ? `${given}, ${READER_HEADERS}` : READER_HEADERS)

/** Returns the headers of a response for its reader alone. */
function headersForReader(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const left = Object.entries(given).filter(([name]) => !FOR_SHARED_CACHES.test(name))
  return {
    ...Object.fromEntries(left),
    'Cache-Control': cacheControlFor(given['Cache-Control']),
    Vary: varyFor(given.Vary),
  }
}

/** Changes the headers of a response in the same way. */
function keepForReader(headers: Headers): void {
  for (const name of [...headers.keys()]) if (FOR_SHARED_CACHES.test(name)) headers.delete(name)
  headers.set('Cache-Control', cacheControlFor(headers.get('Cache-Control')))
  headers.set('Vary', varyFor(headers.get('Vary')))
}
