// Checks a deployed hub's MCP server, publishing and sign-in, without publishing or signing in.
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { makeToken } from '../domain/access/token-form.ts'
import { type Check, type Finding, fail } from './checks.ts'
import { type DeployedHub, describeError, jsonOf, readError } from './hub-requests.ts'

const Answered = z.object({ result: z.record(z.string(), z.unknown()) })
/** Checks that need a served build, at a URL that the hub knows. */
export const SERVICE_CHECKS: readonly Check<DeployedHub>[] = [
  { name: 'hub-mcp', about: 'agents can reach the MCP server', needs: ['hub-build'], run: checkMcp },
  {
    name: 'hub-publishing',
    about: 'publishing is set up, and the token store responds',
    needs: ['hub-reading'],
    run: checkPublishing,
  },
  {
    name: 'hub-sign-in',
    about: 'users can sign in, and GitHub redirects them back to the hub',
    needs: ['hub-address'],
    run: checkSignIn,
  },
]

async function checkMcp({ ask }: DeployedHub): Promise<Finding[]> {
  const clientInfo = { name: 'prompt-hub-doctor', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const hello = await ask('/mcp', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
  if (hello.status === 403)
    return [
      fail(
        'The MCP server does not accept the host name of this URL.',
        'Set SITE_URL to the public URL, and configure the proxy to pass on the Host header.',
      ),
    ]
  if (hello.status !== 200 || !Answered.safeParse(jsonOf(hello)).success)
    return [
      fail(
        `/mcp responds to initialize with ${hello.status}${describeError(hello)}`,
        'Forward POST requests for /mcp to the hub unchanged, with bodies of up to 1 MiB.',
      ),
    ]
  return []
}

/** Tries to publish with an invalid token, so that nothing is published: a hub that can reach its store responds with 401. */
async function checkPublishing({ ask }: DeployedHub): Promise<Finding[]> {
  const token = makeToken(() => randomBytes(1)[0]!)
  const answer = await ask('/api/v1/repos/doctor/is-not-there/versions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: '{"content":"Whether publishing is set up.","dry_run":true}',
  })
  if (answer.status === 401 && readError(answer)) return []
  return [
    fail(
      `Publishing responds with ${answer.status}${describeError(answer)}`,
      answer.status === 503
        ? 'If the message names settings, set them in the environment of the functions, then deploy again.'
        : 'Allow POST requests under /api to reach the hub with their Authorization header and bodies of up to 1 MiB.',
    ),
  ]
}

async function checkSignIn({ url, ask }: DeployedHub): Promise<Finding[]> {
  const settings = await ask('/settings', { headers: { Accept: 'text/html' } })
  if (settings.status === 503)
    return [
      fail(
        `Sign-in is not set up: ${settingsNamed(settings.text) ?? '/settings responds with 503'}.`,
        'Set GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET and SESSION_SECRET, and deploy again.',
      ),
    ]
  if (settings.status !== 200)
    return [fail(`/settings responds with ${settings.status}.`, 'Forward requests for /settings and /auth to the hub.')]
  const start = await ask('/auth/sign-in')
  const given = start.headers.get('Location') ?? ''
  // Both are fine: in local mode a page explains that the link is needed, and without sign-in the route does not exist.
  if (start.status < 300 || start.status === 404 || given.startsWith('/')) return []
  const location = URL.parse(given)
  const callback = location?.searchParams.get('redirect_uri')
  if (!location || callback !== `${url}/auth/callback`)
    return [
      fail(
        `A sign-in redirects back to ${callback ?? 'nowhere'}, not to ${url}/auth/callback.`,
        `Set SITE_URL=${url}, and the same callback in the OAuth app on GitHub.`,
      ),
    ]
  const github = await fetch(location, { redirect: 'manual', signal: AbortSignal.timeout(15_000) })
  return github.status < 400
    ? []
    : [
        fail(
          `GitHub responds with ${github.status} to a sign-in with this client ID and callback.`,
          `Copy GITHUB_CLIENT_ID from the OAuth app, and set its callback to ${url}/auth/callback.`,
        ),
      ]
}

/** Lists the settings named in a page; undefined if there are none. */
function settingsNamed(page: string): string | undefined {
  const names = [...new Set(page.match(/\b(?:GITHUB_CLIENT_ID|GITHUB_CLIENT_SECRET|SESSION_SECRET|SITE_URL)\b/g))]
  return names.length === 0 ? undefined : `${names.join(', ')} expected`
}
