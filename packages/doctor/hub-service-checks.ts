// Checks a deployed hub's MCP server, publishing and sign-in, without publishing or signing in.
import { randomBytes } from 'node:crypto'
import { makeToken } from '../../src/domain/values/token-form.ts'
import { type CheckProblems, fail } from './checks.ts'
import { type DeployedHub, describeAnswer, jsonOf, readError } from './hub-requests.ts'

/** Sends the message with which an MCP client starts a session. */
export async function checkMcp({ ask }: DeployedHub): Promise<CheckProblems> {
  const clientInfo = { name: 'prompt-hub-doctor', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const hello = await ask('/mcp', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
  if (hello.status === 403)
    return fail(
      'The MCP server does not accept the host name of this URL.',
      'Set SITE_URL to the public URL, and configure the proxy to pass on the Host header.',
    )
  if (hello.status === 200 && jsonOf(hello) !== undefined) return undefined
  return fail(
    `/mcp responds to initialize with ${hello.status}${describeAnswer(hello)}`,
    'Forward POST requests for /mcp to the hub unchanged, with bodies of up to 1 MiB.',
  )
}

/** Tries to publish with an invalid token, so that nothing is published. A hub that can reach its store responds with 401. */
export async function checkPublishing({ ask }: DeployedHub): Promise<CheckProblems> {
  const token = makeToken(() => randomBytes(1)[0]!)
  const answer = await ask('/api/v1/repos/doctor/is-not-there/versions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: '{"content":"A test of publishing.","dry_run":true}',
  })
  if (answer.status === 401 && readError(answer)) return undefined
  return fail(
    `Publishing responds with ${answer.status}${describeAnswer(answer)}`,
    answer.status === 503
      ? 'If the message names settings, set them in the environment of the functions, then deploy again.'
      : 'Allow POST requests under /api to reach the hub with their Authorization header and bodies of up to 1 MiB.',
  )
}

/** Starts a sign-in, and follows it to the provider. */
export async function checkSignIn({ url, ask }: DeployedHub): Promise<CheckProblems> {
  const settings = await ask('/settings', { headers: { Accept: 'text/html' } })
  if (settings.status === 503) {
    const named =
      settings.text.match(/\b(?:GITHUB_CLIENT_(?:ID|SECRET)|SIGN_IN_[A-Z_]+|SESSION_SECRET|SITE_URL)\b/g) ?? []
    return fail(
      `Sign-in is not set up: ${[...new Set(named)].join(', ')} expected.`,
      'Set SESSION_SECRET and all settings of a provider, GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET or the three of SIGN_IN_ISSUER, and deploy again.',
    )
  }
  if (settings.status !== 200)
    return fail(`/settings responds with ${settings.status}.`, 'Forward requests for /settings and /auth to the hub.')
  const start = await ask('/auth/sign-in')
  const given = start.headers.get('Location') ?? ''
  // These results are fine: in local mode, a page explains that the sign-in link is needed; with two providers, a page asks which; and if sign-in is disabled, the route does not exist.
  if (start.status < 300 || start.status === 404 || given.startsWith('/')) return undefined
  const location = URL.parse(given)
  const callback = location?.searchParams.get('redirect_uri')
  if (!location || (callback !== `${url}/auth/callback` && callback !== `${url}/auth/callback/oidc`))
    return fail(
      `A sign-in redirects back to ${callback ?? 'nowhere'}, not to ${url}/auth/callback.`,
      `Set SITE_URL=${url}, and the same callback at the provider.`,
    )
  const provider = await fetch(location, { redirect: 'manual', signal: AbortSignal.timeout(15_000) })
  if (provider.status < 400) return undefined
  return fail(
    `${location.host} responds with ${provider.status} to a sign-in with this client ID and callback.`,
    `Copy the client ID from the application at the provider, and set its callback to ${callback}.`,
  )
}
