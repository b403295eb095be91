// Serves the application on Netlify: gives its cache what the standard headers say, in the headers of Netlify's own.
import type { Context } from '@netlify/functions'
import { networkOf } from '../../domain/access/ip-address.ts'
import { CACHE_CONTROL, COMPRESSIBLE_VARY, VARYING_PARAMETERS } from '../../domain/api/caching.ts'
import { HTTPS_ONLY } from '../../domain/api/site-headers.ts'
import type { FunctionContext } from '../../hub/open-hub.ts'

const YEAR_SECONDS = 31_536_000

/** Converts an application to a function of Netlify. */
export function serveOnNetlify(app: {
  fetch(request: Request, context: FunctionContext): Response | Promise<Response>
}): (request: Request, context: Pick<Context, 'ip'>) => Promise<Response> {
  return async (request, { ip }) => {
    const response = forNetlify(await app.fetch(request, { client: networkOf(ip) }))
    for (const [name, value] of Object.entries(HTTPS_ONLY)) response.headers.set(name, value)
    return response
  }
}

/**
 * Replaces the headers for shared caches by those of Netlify's cache, which a publish purges. The headers for browsers stay.
 *
 * @see https://docs.netlify.com/platform/caching/
 */
export function forNetlify(response: Response): Response {
  const { headers, status } = response
  const [tags, control, expires] = ['Cache-Tag', 'Cache-Control', 'Expires'].map((name) => headers.get(name))
  for (const name of ['Cache-Tag', 'CDN-Cache-Control', 'Expires']) headers.delete(name)
  // Netlify compresses by itself.
  const isByAccept = headers.get('Vary') === `${COMPRESSIBLE_VARY}, Accept`
  if (isByAccept || headers.get('Vary') === COMPRESSIBLE_VARY) headers.delete('Vary')
  if (isByAccept) headers.set('Vary', 'Accept')
  // Netlify's cache would store a 304 as the response.
  if (!control || control.includes('no-store') || (status !== 200 && status !== 404)) return response
  headers.set('Netlify-CDN-Cache-Control', status === 404 ? 'public, s-maxage=30' : untilPurged(expires))
  const queries = headers.has('No-Vary-Search') ? `query=${VARYING_PARAMETERS.join('|')}` : 'query'
  headers.set('Netlify-Vary', isByAccept ? `${queries},header=Accept` : queries)
  if (tags) headers.set('Netlify-Cache-Tag', tags)
  // A response with its own cache ID stays in the cache across deploys. Only versions get an ID, because they never change.
  if (tags && status === 200 && control === CACHE_CONTROL.immutable) headers.set('Netlify-Cache-ID', `version_${tags}`)
  return response
}

/** A year, because outdated responses are purged by the next deploy, or by a publish that uses their cache tag. @param expires when the response changes by itself */
function untilPurged(expires: string | null | undefined): string {
  const seconds = expires ? Math.ceil((Date.parse(expires) - Date.now()) / 1000) : YEAR_SECONDS
  return `public, durable, s-maxage=${Math.min(Math.max(seconds, 1), YEAR_SECONDS)}`
}
