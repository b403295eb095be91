// Answers the addresses at which clients of OAuth and OpenID Connect look for metadata: a hub for readers says which provider makes tokens for it. https://www.rfc-editor.org/rfc/rfc9728
import { HubError } from '../../domain/api/errors.ts'
import { methodNotAllowed, respondWithError } from '../../server/refusals.ts'

/** Addresses that no content has. Clients that get 401 here ask for a login in a loop. */
const OAUTH_ADDRESS = /^(?:\/mcp)?\/\.well-known\/(?:oauth|openid)-[a-z-]{1,64}(?:\/|$)/
const METADATA = '/.well-known/oauth-protected-resource'

/** Returns the answer for such an address. @param issuer that of the provider whose tokens the hub accepts @returns undefined for any other address */
export function answerOAuthAddress(
  request: Request,
  path: string,
  { baseUrl, issuer }: { baseUrl: string; issuer: string | undefined },
): Response | undefined {
  if (!OAUTH_ADDRESS.test(path)) return undefined
  const isMetadata = path === METADATA || path === `${METADATA}/mcp`
  if (issuer === undefined || !isMetadata)
    return respondWithError(request, new HubError('not_found', 'This hub has no such metadata.'))
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return respondWithError(request, methodNotAllowed(request.method, ['GET', 'HEAD']))
  const metadata = {
    resource: baseUrl + path.slice(METADATA.length),
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    // With `offline_access`, a client renews its token without the person.
    scopes_supported: ['openid', 'email', 'offline_access'],
    resource_name: 'Prompt Hub',
  }
  const body = request.method === 'HEAD' ? null : JSON.stringify(metadata)
  return new Response(body, { headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } })
}

/** Returns the `WWW-Authenticate` of a refused request to the MCP server. */
export function challengeOf(baseUrl: string): string {
  return `Bearer resource_metadata="${baseUrl}${METADATA}/mcp"`
}
