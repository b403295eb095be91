// Checks from outside that a running hub answers, and that its proxy or CDN changes nothing.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { makeToken } from '../domain/access/token.ts'
import { ROUTES } from '../domain/api/routes.ts'
import { findCertificateCause } from './certificate-cause.ts'
import { type Check, check, type Findings, fail } from './checks.ts'
import { type DeployedHub, describeAnswer, type HubResponse, jsonOf, readError } from './hub-requests.ts'

const Description = z.object({ servers: z.array(z.object({ url: z.string() })).min(1) })
const List = z.object({
  data: z.array(z.object({ owner: z.string(), name: z.string(), latest_version: z.string().nullable() })),
})
const Versions = z.object({ data: z.array(z.object({ version: z.string() })) })

const LIST = ROUTES.listRepositories.path
const ABSENT = '/api/v1/repos/doctor/is-not-there'

/** Lists the checks, each after the checks that it needs. @param proxyHeader the header in which a trusted proxy names people */
export function hubChecks(hub: DeployedHub, proxyHeader?: string): Check[] {
  const readers = 'nobody becomes a reader by sending the header of a proxy'
  const caching = 'proxies and caches pass on responses as the hub sent them'
  return [
    check('hub-reachable', 'the hub responds', [], () => checkReach(hub)),
    check('hub-readers', readers, ['hub-reachable'], () => checkForgedHeaders(hub, proxyHeader)),
    check('hub-reading', 'the API and its search respond', ['hub-reachable'], () => checkReading(hub)),
    check('hub-address', 'the hub knows its own URL', ['hub-reading'], () => checkAddress(hub)),
    check('hub-caching', caching, ['hub-reading'], () => checkCaching(hub)),
    check('hub-mcp', 'agents can reach the MCP server', ['hub-reading'], () => checkMcp(hub)),
    check('hub-publishing', 'publishing is set up', ['hub-reading'], () => checkPublishing(hub)),
    check('hub-sign-in', 'a sign-in returns to the hub', ['hub-address'], () => checkSignIn(hub)),
  ]
}

/** How long to wait for a hub that sends Retry-After, because a hub needs several seconds after startup to prepare its pages. */
const PREPARING_MS = 60_000
const ASK_AGAIN_MS = 1_000

async function askFront({ ask }: DeployedHub): Promise<HubResponse> {
  for (const lastMs = performance.now() + PREPARING_MS; ; ) {
    const answer = await ask('/')
    const isPreparing = answer.status === 503 && answer.headers.has('Retry-After')
    if (!isPreparing || performance.now() > lastMs) return answer
    await sleep(ASK_AGAIN_MS)
  }
}

async function checkReach(hub: DeployedHub): Promise<Findings> {
  const { url } = hub
  let answer: HubResponse
  try {
    answer = await askFront(hub)
  } catch (error) {
    const certificate = findCertificateCause(url, error)
    if (certificate) return certificate
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    return fail(
      `${url} does not respond: ${cause}.`,
      'Check that the hub is running, and check its DNS name, certificate and firewall.',
    )
  }
  const { status, headers } = answer
  if (status >= 300 && status < 400)
    return fail(
      `${url} redirects to ${headers.get('Location')}.`,
      'Use the URL that it redirects to, and set SITE_URL to it.',
    )
  if (status === 401 && readError(answer)?.code === 'unauthorized')
    return fail(
      'Only readers may read this hub, so the doctor cannot check it.',
      'Set HUB_TOKEN to a token with the permission read, and run the doctor again.',
    )
  if (status === 401)
    return fail(
      'The entire hub is password-protected, so programs cannot read it.',
      'Use a private network instead: a password in front of the hub also replaces the hub’s tokens.',
    )
  if (status < 500) return undefined
  return fail(`${url} responds with ${status}.`, 'Check the hub’s log, or that of the proxy in front of it.')
}

/** Returns whether only readers may read the hub. */
async function isForReaders({ askAsStranger }: DeployedHub): Promise<boolean> {
  const answer = await askAsStranger(LIST)
  return answer.status === 401 && readError(answer)?.code === 'unauthorized'
}

/** Sends the header that a proxy would send. A proxy must replace it, or else everybody can read the hub. */
async function checkForgedHeaders(hub: DeployedHub, proxyHeader = 'X-Forwarded-User'): Promise<Findings> {
  if (!(await isForReaders(hub))) return undefined
  const { status } = await hub.askAsStranger(LIST, { headers: { [proxyHeader]: 'doctor' } })
  if (status !== 200) return undefined
  return fail(
    `Whoever sends the header ${proxyHeader} may read the hub: the proxy passes it on, or TRUSTED_PROXIES includes clients.`,
    `Configure the proxy to replace ${proxyHeader} in every request, and list only the proxy in TRUSTED_PROXIES.`,
  )
}

async function checkReading({ ask }: DeployedHub): Promise<Findings> {
  for (const path of [LIST, `${LIST}?q=prompt`]) {
    const answer = await ask(path)
    if (answer.status !== 200 || !List.safeParse(jsonOf(answer)).success)
      return fail(
        `${path} responds with ${answer.status}${describeAnswer(answer)}`,
        'Make sure that a complete build is served (npm start, or all that npm run build writes), and that requests under /api reach it unchanged.',
      )
  }
  return undefined
}

async function checkAddress({ url, ask }: DeployedHub): Promise<Findings> {
  const known = Description.parse(jsonOf(await ask(ROUTES.getOpenapi.path))).servers[0]!.url
  if (known === url) return undefined
  return fail(
    `The hub uses ${known} as its URL, so every link in its responses points there.`,
    `Set SITE_URL=${url} both for the build and for the server, and build again.`,
  )
}

/** Finds a prompt that has versions. @returns the URL path of its content, and up to two of its versions, latest first; no versions if there is no such prompt */
async function findVersioned({ ask }: DeployedHub): Promise<{ raw: string; versions: string[] }> {
  const { data } = List.parse(jsonOf(await ask(LIST)))
  for (const { owner, name, latest_version: latest } of data) {
    if (latest === null) continue
    const listed = Versions.parse(jsonOf(await ask(`${LIST}/${owner}/${name}/versions`))).data
    const raw = ROUTES.getRaw.path.replace('{owner}', owner).replace('{name}', name)
    return { raw, versions: [...new Set([latest, ...listed.map(({ version }) => version)])].slice(0, 2) }
  }
  return { raw: '', versions: [] }
}

/** Checks the headers of a list, a 404, an error and a version, and that a cache does not mix up versions. @see docs/contract.md section 4 */
async function checkCaching(hub: DeployedHub): Promise<Findings> {
  const { raw, versions } = await findVersioned(hub)
  //  path, and what its Cache-Control must contain
  const expected: [string, RegExp][] = [
    [LIST, /\bmax-age=60\b/],
    [ABSENT, /\bmax-age=30\b/],
    [`${LIST}?page=0`, /\bno-store\b/],
    ...versions.map((version): [string, RegExp] => [`${raw}?version=${version}`, /\bimmutable\b/]),
  ]
  for (const [path, pattern] of expected) {
    const { status, headers } = await hub.ask(path)
    const given = headers.get('Cache-Control') ?? 'nothing'
    if (!pattern.test(given))
      return fail(
        `The Cache-Control header of ${path} (${status}) arrives as “${given}”.`,
        'Remove rules of the CDN or proxy that rewrite Cache-Control or replace error pages; the hub sets the header for each response.',
      )
  }
  for (const version of versions) {
    const given = (await hub.ask(`${raw}?version=${version}`)).headers.get('X-Prompt-Version')
    if (given !== version)
      return fail(
        `${raw}?version=${version} returns ${given ?? 'no version'}: a cache does not include the query string in its key.`,
        'Include the query string in the cache key; docs/running.md has example configurations.',
      )
  }
  return undefined
}

/** Sends the message with which an MCP client starts a session. */
async function checkMcp({ ask }: DeployedHub): Promise<Findings> {
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
async function checkPublishing({ ask }: DeployedHub): Promise<Findings> {
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
      : 'Allow POST requests under /api to reach the hub with their Authorization header and bodies of up to 12 MiB.',
  )
}

/** Starts a sign-in, without following it to the provider. */
async function checkSignIn({ url, ask }: DeployedHub): Promise<Findings> {
  const settings = await ask('/settings', { headers: { Accept: 'text/html' } })
  if (settings.status !== 200)
    return fail(
      `/settings responds with ${settings.status}.`,
      'Set SESSION_SECRET and all settings of a provider, deploy again, and forward requests for /settings and /auth to the hub.',
    )
  const start = await ask('/auth/sign-in')
  const given = start.headers.get('Location') ?? ''
  // These results are fine: in local mode, a page explains that the sign-in link is needed; with two providers, a page asks which; and if sign-in is disabled, the route does not exist.
  if (start.status < 300 || start.status === 404 || given.startsWith('/')) return undefined
  const callback = URL.parse(given)?.searchParams.get('redirect_uri')
  if (callback === `${url}/auth/callback` || callback === `${url}/auth/callback/oidc`) return undefined
  return fail(
    `A sign-in redirects back to ${callback ?? 'nowhere'}, not to ${url}/auth/callback.`,
    `Set SITE_URL=${url}, and the same callback at the provider.`,
  )
}
