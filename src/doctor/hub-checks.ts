// Checks from outside that every part of a deployed hub responds and that the proxy forwards everything.
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { DATA_FILES, ROUTES } from '../domain/api/routes.ts'
import { type Check, type Finding, fail } from './checks.ts'
import { CACHE_CHECKS } from './hub-cache-checks.ts'
import { type DeployedHub, describeError, type HubResponse, jsonOf, readError } from './hub-requests.ts'
import { SERVICE_CHECKS } from './hub-service-checks.ts'

const Description = z.object({ servers: z.array(z.object({ url: z.string() })).min(1) })
const HealthAnswer = z.object({
  status: z.string(),
  failure: z.string().nullable(),
  broken: z.array(z.string()),
})
/** Ordered so that each check comes after those it depends on. */
export const HUB_CHECKS: readonly Check<DeployedHub>[] = [
  { name: 'hub-reachable', about: 'the hub responds', run: checkReach },
  { name: 'hub-build', about: 'a complete build is served', needs: ['hub-reachable'], run: checkBuild },
  { name: 'hub-address', about: 'the hub knows its own URL', needs: ['hub-build'], run: checkAddress },
  {
    name: 'hub-reading',
    about: 'functions, including search, respond to pages from every origin',
    needs: ['hub-build'],
    run: checkReading,
  },
  {
    name: 'hub-not-found',
    about: 'URLs that do not exist return JSON',
    needs: ['hub-reading'],
    run: checkNotFound,
  },
  ...CACHE_CHECKS,
  ...SERVICE_CHECKS,
]

const API_ABSENT = `${ROUTES.getRepository.path.replace('{owner}', 'doctor').replace('{name}', 'is-not-there')}`
const DATA_ABSENT = DATA_FILES.repository('doctor', 'is-not-there')

/** How long to wait for a hub that sends Retry-After: after it starts, it prepares its pages for several seconds. */
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

async function checkReach(hub: DeployedHub): Promise<Finding[]> {
  const { url } = hub
  let answer: HubResponse
  try {
    answer = await askFront(hub)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    return [
      fail(
        `${url} does not respond: ${cause}.`,
        'Check that the hub is running, and check its DNS name, certificate and firewall.',
      ),
    ]
  }
  const { status, headers } = answer
  if (status >= 300 && status < 400)
    return [
      fail(
        `${url} redirects to ${headers.get('Location')}.`,
        'Use the URL that it redirects to, and set SITE_URL to it.',
      ),
    ]
  if (status === 401)
    return [
      fail(
        'The entire hub is password-protected, so programs cannot read it.',
        'Use a private network instead: a password in front of the hub also replaces the hub’s tokens.',
      ),
    ]
  return status < 500
    ? []
    : [fail(`${url} responds with ${status}.`, 'Check the hub’s log, or that of the proxy in front of it.')]
}

async function checkBuild({ ask }: DeployedHub): Promise<Finding[]> {
  const index = await ask(DATA_FILES.index())
  const list = z.object({ data: z.array(z.unknown()) }).safeParse(jsonOf(index)).data
  if (!list)
    return [
      fail(
        `${DATA_FILES.index()} is not the hub’s list of prompts (${index.status}).`,
        'Make sure that a complete build of the hub is served: all of dist/, or npm start.',
      ),
    ]
  // Only the Node server has `/healthz`. Other hosts respond with 404.
  const health = HealthAnswer.safeParse(jsonOf(await ask('/healthz'))).data
  const trouble = health?.failure ?? health?.broken[0]
  if (trouble)
    return [
      fail(
        `The hub serves an older state: ${trouble}`,
        'Run npm run check:content to list the problems in the content.',
      ),
    ]
  return []
}

async function checkAddress({ url, ask }: DeployedHub): Promise<Finding[]> {
  const known = Description.parse(jsonOf(await ask(ROUTES.getOpenapi.path))).servers[0]!.url
  return known === url
    ? []
    : [
        fail(
          `The hub uses ${known} as its URL, so every link in its responses points there.`,
          `Set SITE_URL=${url} both for the build and for the server, and build again.`,
        ),
      ]
}

async function checkReading({ ask }: DeployedHub): Promise<Finding[]> {
  const list = await ask(ROUTES.listRepositories.path)
  if (list.status !== 200 || jsonOf(list) === undefined)
    return [
      fail(
        `${ROUTES.listRepositories.path} responds with ${list.status}${describeError(list)}`,
        'Make sure that requests under /api reach the hub’s functions unchanged.',
      ),
    ]
  if (list.headers.get('Access-Control-Allow-Origin') !== '*')
    return [
      fail(
        'A proxy or CDN removes or changes Access-Control-Allow-Origin, so no other site can read the hub.',
        'Configure the proxy to pass on the hub’s headers unchanged.',
      ),
    ]
  const search = await ask(`${ROUTES.listRepositories.path}?q=prompt`)
  return search.status === 200
    ? []
    : [
        fail(
          `Search responds with ${search.status}${describeError(search)}`,
          'Make sure that the build wrote build/search.db, and that it is deployed with the functions (included_files in netlify.toml).',
        ),
      ]
}

async function checkNotFound({ ask }: DeployedHub): Promise<Finding[]> {
  for (const path of [API_ABSENT, DATA_ABSENT]) {
    const answer = await ask(path)
    const code = readError(answer)?.code
    if (answer.status !== 404 || code !== 'not_found')
      return [
        fail(
          `${path} returns ${answer.status} and ${answer.headers.get('Content-Type') ?? 'no type'} instead of the hub’s JSON 404 response.`,
          'Remove error pages and fallback pages from the proxy or host; the hub itself responds to unknown URLs under /api and /data.',
        ),
      ]
  }
  return []
}
