// Builds responses for the account routes: uncached pages, and errors as a page or JSON.
import type { HubError } from '../../domain/api/errors.ts'
import { headersOf } from '../../domain/api/site-headers.ts'
import type { SiteFiles } from '../../ports/site-files.ts'
import { respondWithError } from '../respond.ts'
import { renderError } from './account-page.ts'
import { framePage, type Page } from './html.ts'

/** What is needed to turn a page into a response. */
export interface AccountPageDeps {
  baseUrl: string
  siteFiles: SiteFiles
}

/** A page to be sent, or a finished response. */
export type Visited = Page | Response

/** Responds with an error: a page for browsers, the API's JSON for everyone else. */
export async function respondWithErrorPage(
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
