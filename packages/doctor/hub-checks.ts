// Checks from outside that every part of a deployed hub responds, and that its proxy or CDN changes nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { isPrivateHost } from '../../src/domain/access/private-host.ts'
import { DATA_FILES } from '../../src/domain/api/data-paths.ts'
import { ROUTES } from '../../src/domain/api/routes.ts'
import { type Check, type CheckProblems, check, fail } from './checks.ts'
import { checkForgedHeaders, isForReaders } from './hub-readers.ts'
import { type DeployedHub, describeAnswer, type HubResponse, jsonOf, readError } from './hub-requests.ts'
import { checkMcp, checkPublishing, checkSignIn } from './hub-service-checks.ts'

const Description = z.object({ servers: z.array(z.object({ url: z.string() })).min(1) })
const HealthAnswer = z.object({ failure: z.string().nullable(), broken: z.array(z.string()) })
const Index = z.object({
  data: z.array(z.object({ owner: z.string(), name: z.string(), latest_version: z.string().nullable() })),
})
const Versions = z.object({ data: z.array(z.object({ version: z.string() })) })

const LIST = ROUTES.listRepositories.path
const API_ABSENT = '/api/v1/repos/doctor/is-not-there'
const DATA_ABSENT = DATA_FILES.repository('doctor', 'is-not-there')

/** Lists the checks, each after the checks that it needs. @param proxyHeader the header in which a trusted proxy names people */
export function hubChecks(hub: DeployedHub, proxyHeader?: string): Check[] {
  const readers = 'nobody becomes a reader by sending the header of a proxy'
  const reading = 'the API and its search respond, including to pages from other origins'
  const signIn = 'users can sign in, and the provider redirects them back to the hub'
  return [
    check('hub-reachable', 'the hub responds', [], () => checkReach(hub)),
    check('hub-readers', readers, ['hub-reachable'], () => checkForgedHeaders(hub, proxyHeader)),
    check('hub-build', 'a complete build is served', ['hub-reachable'], () => checkBuild(hub)),
    check('hub-address', 'the hub knows its own URL', ['hub-build'], () => checkAddress(hub)),
    check('hub-reading', reading, ['hub-build'], () => checkReading(hub)),
    check('hub-not-found', 'URLs that do not exist return JSON', ['hub-reading'], () => checkNotFound(hub)),
    check('hub-cache-headers', 'Cache-Control arrives as the hub sent it', ['hub-not-found'], () =>
      checkCacheHeaders(hub),
    ),
    check('hub-cache-age', 'no cache stores a list for longer than a minute', ['hub-cache-headers'], () =>
      checkCacheAge(hub),
    ),
    check('hub-cache-key', 'caches include the query string in their key', ['hub-cache-headers'], () =>
      checkCacheKey(hub),
    ),
    check('hub-mcp', 'agents can reach the MCP server', ['hub-build'], () => checkMcp(hub)),
    check('hub-publishing', 'publishing is set up, and the token store responds', ['hub-reading'], () =>
      checkPublishing(hub),
    ),
    check('hub-sign-in', signIn, ['hub-address'], () => checkSignIn(hub)),
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

async function checkReach(hub: DeployedHub): Promise<CheckProblems> {
  const { url } = hub
  let answer: HubResponse
  try {
    answer = await askFront(hub)
  } catch (error) {
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

async function checkBuild({ ask }: DeployedHub): Promise<CheckProblems> {
  const index = await ask(DATA_FILES.index())
  if (!Index.safeParse(jsonOf(index)).success)
    return fail(
      `${DATA_FILES.index()} is not the hub’s list of prompts (${index.status}).`,
      'Make sure that a complete build of the hub is served: all of dist/, or npm start.',
    )
  // Only the Node server has `/healthz`; other hosts respond with 404.
  const health = HealthAnswer.safeParse(jsonOf(await ask('/healthz'))).data
  const trouble = health?.failure ?? health?.broken[0]
  if (!trouble) return undefined
  return fail(
    `The hub serves an older version of the content: ${trouble}`,
    'Run npm run check:content to list the problems in the content.',
  )
}

async function checkAddress({ url, ask }: DeployedHub): Promise<CheckProblems> {
  const known = Description.parse(jsonOf(await ask(ROUTES.getOpenapi.path))).servers[0]!.url
  if (known === url) return undefined
  return fail(
    `The hub uses ${known} as its URL, so every link in its responses points there.`,
    `Set SITE_URL=${url} both for the build and for the server, and build again.`,
  )
}

async function checkReading(hub: DeployedHub): Promise<CheckProblems> {
  const { url, ask } = hub
  const list = await ask(LIST)
  if (list.status !== 200 || jsonOf(list) === undefined)
    return fail(
      `${LIST} responds with ${list.status}${describeAnswer(list)}`,
      'Make sure that requests under /api reach the hub’s functions unchanged.',
    )
  const readers = list.headers.get('Access-Control-Allow-Origin')
  // Only a private hub's own pages may read it. The check of the URL reports a hub that uses another one.
  if (readers !== '*' && !(await isForReaders(hub)) && !(isPrivateUrl(readers) && isPrivateUrl(url)))
    return fail(
      'A proxy or CDN removes or changes Access-Control-Allow-Origin, so no other site can read the hub.',
      'Configure the proxy to pass on the hub’s headers unchanged.',
    )
  const search = await ask(`${LIST}?q=prompt`)
  if (search.status === 200) return undefined
  return fail(
    `Search responds with ${search.status}${describeAnswer(search)}`,
    'Make sure that the build wrote build/search.db, and that it is deployed with the functions (included_files in netlify.toml).',
  )
}

function isPrivateUrl(url: string | null): boolean {
  const parsed = url === null ? null : URL.parse(url)
  return parsed !== null && isPrivateHost(parsed.hostname)
}

async function checkNotFound({ ask }: DeployedHub): Promise<CheckProblems> {
  for (const path of [API_ABSENT, DATA_ABSENT]) {
    const answer = await ask(path)
    if (answer.status !== 404 || readError(answer)?.code !== 'not_found')
      return fail(
        `${path} returns ${answer.status} and ${answer.headers.get('Content-Type') ?? 'no type'} instead of the hub’s JSON 404 response.`,
        'Remove error pages and fallback pages from the proxy or host; the hub itself responds to unknown URLs under /api and /data.',
      )
  }
  return undefined
}

/** Finds a prompt that has versions. @returns the URL path of its content, and up to two of its versions, latest first; no versions if there is no such prompt */
async function findVersioned({ ask }: DeployedHub): Promise<{ raw: string; versions: string[] }> {
  const { data } = Index.parse(jsonOf(await ask(DATA_FILES.index())))
  for (const { owner, name, latest_version: latest } of data) {
    if (latest === null) continue
    const listed = Versions.parse(jsonOf(await ask(DATA_FILES.versions(owner, name)))).data
    const raw = ROUTES.getRaw.path.replace('{owner}', owner).replace('{name}', name)
    return { raw, versions: [...new Set([latest, ...listed.map(({ version }) => version)])].slice(0, 2) }
  }
  return { raw: '', versions: [] }
}

/** @see docs/contract.md section 4 */
async function checkCacheHeaders(hub: DeployedHub): Promise<CheckProblems> {
  const { raw, versions } = await findVersioned(hub)
  //  path, description, and what its Cache-Control must contain
  const expected: [string, string, RegExp][] = [
    [LIST, 'a list', (await isForReaders(hub)) ? /^private, max-age=60$/ : /(?=.*\bpublic\b)(?=.*\bmax-age=60\b)/],
    [API_ABSENT, 'a 404', /\bmax-age=30\b/],
    [`${LIST}?page=0`, 'an error', /\bno-store\b/],
  ]
  if (versions[0]) expected.push([`${raw}?version=${versions[0]}`, 'a version', /\bimmutable\b/])
  for (const [path, what, pattern] of expected) {
    const given = (await hub.ask(path)).headers.get('Cache-Control') ?? 'nothing'
    if (!pattern.test(given))
      return fail(
        `The Cache-Control header of ${what} (${path}) arrives as “${given}”.`,
        'Remove the CDN or proxy rule that rewrites Cache-Control (browser TTL, expires, header rules); the hub sets it for each response.',
      )
  }
  return undefined
}

/** Maximum age of a mutable response in a shared cache: one minute plus the time of a slow revalidation. */
const OLDEST_SECONDS = 90

async function checkCacheAge({ ask }: DeployedHub): Promise<CheckProblems> {
  const { headers } = await ask(ROUTES.listTags.path)
  const age = Number(headers.get('Age') ?? 0)
  // Netlify purges cached responses instead of letting them expire, and counts their age from the deploy, so a high age is normal there (docs/notes/netlify.md section 6).
  const isNetlify = /netlify/i.test(`${headers.get('Cache-Status')} ${headers.get('Server')}`)
  if (age <= OLDEST_SECONDS || isNetlify) return undefined
  return fail(
    `A cache served a list that is ${age} s old, so publishes appear late.`,
    'Configure the cache to follow CDN-Cache-Control, or else Cache-Control, and remove rules that cache everything for longer.',
  )
}

async function checkCacheKey(hub: DeployedHub): Promise<CheckProblems> {
  const { raw, versions } = await findVersioned(hub)
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
