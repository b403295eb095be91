// Builds responses for the account routes: uncached pages, and errors as a page or JSON.
import { HubError } from '../domain/api/errors.ts'
import { headersOf } from '../domain/api/site-headers.ts'
import { toHubError } from '../log.ts'
import type { Connect } from '../server/hub.ts'
import { rateLimitError, respondWithError } from '../server/refusals.ts'
import type { PageView, ShowView } from '../site/rendering.ts'
import type { RateLimiter } from '../state/rate-limiter.ts'
import type { ErrorView } from './views.ts'

/** The dependencies shared by all pages. */
export interface AccountPageDeps {
  baseUrl: string
  /** Renders a page. */
  show: ShowView
  /** Limits requests by client IP address. */
  limiter: RateLimiter
  /** The IP address as reported by the platform. Handlers never take it from a header, because clients can forge headers. */
  clientAddress: string
}

/** Either what a page shows, or a complete response. */
export type Visited = PageView | Response

/** Handles a page request: opens the dependencies, applies the rate limit, and converts the result or error to a response. Never throws. @param findLink finds the link of an error page */
export async function respondToVisit<Deps extends AccountPageDeps>(
  request: Request,
  connect: Connect<Deps>,
  visit: (deps: Deps) => Promise<Visited>,
  findLink: (deps: Deps) => ErrorView['link'] = () => undefined,
): Promise<Response> {
  let deps: Deps | undefined
  try {
    deps = await connect()
    const waitSeconds = await deps.limiter.take(deps.clientAddress)
    if (waitSeconds > 0) throw rateLimitError('requests', waitSeconds)
    return await protect(await visit(deps), 200, request, deps)
  } catch (thrown) {
    return await respondWithErrorPage(request, toHubError(thrown), deps, deps && findLink(deps))
  }
}

/** Responds with an error: an HTML page for browsers, the API's JSON for other clients. */
async function respondWithErrorPage(
  request: Request,
  error: HubError,
  deps: AccountPageDeps | undefined,
  link: ErrorView['link'],
): Promise<Response> {
  const plain = respondWithError(request, error)
  plain.headers.set('Cache-Control', 'no-store')
  plain.headers.delete('Access-Control-Allow-Origin')
  plain.headers.delete('Vary')
  if (!deps || !request.headers.get('Accept')?.includes('text/html')) return plain
  const { status } = plain
  const { code, message } = error
  const page: ErrorView = { page: 'error', title: 'Something went wrong', status, code, message, link }
  try {
    const answer = await protect(page, status, request, deps)
    for (const name of ['Allow', 'Retry-After']) {
      const value = plain.headers.get(name)
      if (value !== null) answer.headers.set(name, value)
    }
    return answer
  } catch {
    // If no page can be rendered, the error can still be sent as JSON.
    return plain
  }
}

/** Sends an uncacheable page with the same content security policy as all other pages. @param setCookies the cookies that it sets */
export async function protect(
  visited: Visited,
  status: number,
  request: Request,
  { show }: AccountPageDeps,
  setCookies: readonly string[] = [],
): Promise<Response> {
  if (visited instanceof Response) return visited
  const headers = new Headers({
    ...headersOf('/settings'),
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
  })
  for (const cookie of setCookies) headers.append('Set-Cookie', cookie)
  const body = await show(visited)
  return new Response(request.method === 'HEAD' ? null : body, { status, headers })
}

/** Returns the message for the keyword in the URL's `done` parameter, which a redirect may have set. */
export function findNotice({ url }: Request, notices: Readonly<Record<string, string>>): string | undefined {
  const done = new URL(url).searchParams.get('done') ?? ''
  return Object.hasOwn(notices, done) ? notices[done] : undefined
}

/** Creates the error for an address at which there is no page. */
export function pageNotFound(): HubError {
  return new HubError('not_found', 'Page not found.')
}
