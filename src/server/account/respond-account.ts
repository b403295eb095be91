// Builds responses for the account routes: uncached pages, and errors as a page or JSON.
import type { HubError } from '../../domain/api/errors.ts'
import { headersOf } from '../../domain/api/site-headers.ts'
import { toHubError } from '../../ports/log.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import type { SiteFiles } from '../../ports/site-files.ts'
import type { Connect } from '../connect.ts'
import { rateLimitError } from '../refusals.ts'
import { respondWithError } from '../respond.ts'
import { renderError } from './account-page.ts'
import { framePage, type Page } from './html.ts'

/** The dependencies of every page. */
export interface AccountPageDeps {
  baseUrl: string
  siteFiles: SiteFiles
  /** Limits requests by client IP address. */
  limiter: RateLimiter
  /** The IP address as reported by the platform. Handlers never take it from a header, because clients can forge headers. */
  clientAddress: string
}

/** A page to be sent, or a finished response. */
export type Visited = Page | Response

/** Handles a request to a page: connects, applies the rate limit, and turns the result or an error into a response. Never throws. */
export async function respondToVisit<Deps extends AccountPageDeps>(
  request: Request,
  connect: Connect<Deps>,
  visit: (deps: Deps) => Promise<Visited>,
): Promise<Response> {
  let deps: Deps | undefined
  try {
    deps = await connect()
    const waitSeconds = await deps.limiter.take(deps.clientAddress)
    if (waitSeconds > 0) throw rateLimitError('requests', waitSeconds)
    return await protect(await visit(deps), 200, request, deps)
  } catch (thrown) {
    return await respondWithErrorPage(request, toHubError(thrown), deps)
  }
}

/** Responds with an error: a page for browsers, the API's JSON for everyone else. */
async function respondWithErrorPage(
  request: Request,
  error: HubError,
  deps: AccountPageDeps | undefined,
): Promise<Response> {
  const plain = respondWithError(request, error)
  plain.headers.set('Cache-Control', 'no-store')
  plain.headers.delete('Access-Control-Allow-Origin')
  plain.headers.delete('Netlify-CDN-Cache-Control')
  if (!deps || !request.headers.get('Accept')?.includes('text/html')) return plain
  const page = renderError({ status: plain.status, code: error.code, message: error.message })
  try {
    const answer = await protect(page, plain.status, request, deps)
    for (const name of ['Allow', 'Retry-After']) {
      const value = plain.headers.get(name)
      if (value !== null) answer.headers.set(name, value)
    }
    return answer
  } catch {
    // Without the frame there is no page, but the error itself can still be sent.
    return plain
  }
}

/** Sends a page that is never cached, with the same content security policy as all other pages. */
export async function protect(
  visited: Visited,
  status: number,
  request: Request,
  { siteFiles, baseUrl }: AccountPageDeps,
): Promise<Response> {
  if (visited instanceof Response) return visited
  const headers = new Headers({
    ...headersOf('/settings'),
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
  })
  if (baseUrl.startsWith('https:')) headers.set('Strict-Transport-Security', 'max-age=31536000')
  const body = await framePage(siteFiles, visited)
  return new Response(request.method === 'HEAD' ? null : body, { status, headers })
}

/** Returns the message for the keyword that a redirect put into the URL as `done`, if any. */
export function findNotice({ url }: Request, notices: Readonly<Record<string, string>>): string | undefined {
  const done = new URL(url).searchParams.get('done') ?? ''
  return Object.hasOwn(notices, done) ? notices[done] : undefined
}
