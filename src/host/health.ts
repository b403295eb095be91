// Answers `/healthz` of our own host. docs/contract.md section 13.
import { HEALTH_ADDRESS } from '../domain/api/addresses.ts'
import type { FetchState } from '../stores/content/content-clone.ts'

/** How a hub is. */
export interface Health {
  /** `starting` before the first build, `degraded` when something in the content or in the building is broken. */
  status: 'starting' | 'ok' | 'degraded'
  /** The commit that was checked out when the content was read, or null. */
  commit: string | null
  /** When what is served was built, or null before the first build. */
  built_at: string | null
  counts: { repositories: number; versions: number; owners: number } | null
  /** What is broken in the content and therefore served as it was before, a sentence each. */
  broken: readonly string[]
  /** Why the newest content could not be built at all, or null. */
  failure: string | null
  /** Why changes of the content are looked for every few seconds, where the system does not tell of them, or null. */
  polling: string | null
  /** How far the clone of the repository on GitHub follows it; null where the content is a folder of this machine. */
  fetch: {
    /** When GitHub last said where the branch is, and the clone had it; null before the first time since the start. */
    at: string | null
    /** How long ago that was. */
    age_seconds: number | null
    /** Why the last fetch failed, or null. */
    failure: string | null
  } | null
  /** Whether the database that several machines share answered last; null where the state is a file of this machine. */
  database: 'reachable' | 'unreachable' | null
}

/** Before anything is built. */
export const STARTING: Health = {
  status: 'starting',
  ...{
    commit: null,
    built_at: null,
    counts: null,
    broken: [],
    failure: null,
    polling: null,
    fetch: null,
    database: null,
  },
}

/** The health of a hub that follows GitHub: what is served may be old when the last fetch failed. */
export function addFetch(health: Health, { fetchedAt, failure }: FetchState, now: Date): Health {
  return {
    ...health,
    status: health.status === 'ok' && failure !== undefined ? 'degraded' : health.status,
    fetch: {
      at: fetchedAt?.toISOString() ?? null,
      age_seconds: fetchedAt ? Math.max(0, Math.round((now.getTime() - fetchedAt.getTime()) / 1000)) : null,
      failure: failure ?? null,
    },
  }
}

/** The health of a hub that shares a database: without it nobody publishes or signs in. @param isReachable left out where there is none */
export function addDatabase(health: Health, isReachable: (() => boolean) | undefined): Health {
  if (!isReachable) return health
  const database = isReachable() ? 'reachable' : 'unreachable'
  return {
    ...health,
    database,
    status: health.status === 'ok' && database === 'unreachable' ? 'degraded' : health.status,
  }
}

/** How many problems are listed. */
const MAX_BROKEN = 100

/** Answers `/healthz`, and hands everything else on. @param healthOf asked once a request */
export function withHealth(
  answer: (request: Request, ip: string) => Promise<Response>,
  healthOf: () => Health,
): (request: Request, ip: string) => Promise<Response> {
  return (request, ip) =>
    request.url.includes(HEALTH_ADDRESS) && new URL(request.url).pathname === HEALTH_ADDRESS
      ? Promise.resolve(respondWithHealth(request, healthOf()))
      : answer(request, ip)
}

/** Answers with the health: 200 as long as something is served, 503 before. */
function respondWithHealth(request: Request, health: Health): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD', 'Cache-Control': 'no-store' } })
  const broken = health.broken.slice(0, MAX_BROKEN)
  const text = `${JSON.stringify({ ...health, broken, broken_count: health.broken.length })}\n`
  return new Response(request.method === 'HEAD' ? null : text, {
    status: health.built_at === null ? 503 : 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'Access-Control-Allow-Origin': '*',
      'X-Content-Type-Options': 'nosniff',
      ...(health.built_at === null ? { 'Retry-After': '5' } : {}),
    },
  })
}
