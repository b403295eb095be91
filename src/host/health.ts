// Serves `/healthz`: that the hub is alive, and which problems it knows (docs/contract.md section 13).
import { HEALTH_ADDRESS } from '../domain/api/addresses.ts'
import type { FetchState } from '../stores/content/content-clone.ts'
import { VERSION } from './version.ts'

/** The health of a hub. */
export interface Health {
  /** `starting` before the first build, `degraded` when the content has problems or a build failed. */
  status: 'starting' | 'ok' | 'degraded'
  /** The commit that was checked out when the content was read, or null. */
  commit: string | null
  /** When the build being served was completed; null before the first build. */
  built_at: string | null
  counts: { repositories: number; versions: number; owners: number } | null
  /** The problems in the content, as one sentence each. The last valid versions of the affected files are served. */
  broken: readonly string[]
  /** Why the newest content could not be built, or null. */
  failure: string | null
  /** Why the content is polled, if the operating system does not report changes; otherwise null. */
  polling: string | null
  /** How up to date the clone of the GitHub repository is; null when the content is a local folder. */
  fetch: {
    /** When the clone was last known to be up to date; null if it has not been up to date since startup. */
    at: string | null
    /** Seconds since `at`. */
    age_seconds: number | null
    /** Why the last fetch failed, or null. */
    failure: string | null
  } | null
  /** Whether the last query of the shared database succeeded; null when the state is a local file. */
  database: 'reachable' | 'unreachable' | null
}

/** The health before the first build. */
export const STARTING: Health = {
  status: 'starting',
  commit: null,
  built_at: null,
  counts: null,
  broken: [],
  failure: null,
  polling: null,
  fetch: null,
  database: null,
}

/** Adds the status of the clone to the health of a hub that follows GitHub, because after a failed fetch the hub may serve outdated content. */
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

/** Adds the status of the shared database, without which nobody can publish or sign in. @param isReachable undefined without a shared database */
export function addDatabase(health: Health, isReachable: (() => boolean) | undefined): Health {
  if (!isReachable) return health
  const database = isReachable() ? 'reachable' : 'unreachable'
  return {
    ...health,
    database,
    status: health.status === 'ok' && database === 'unreachable' ? 'degraded' : health.status,
  }
}

/** Maximum number of problems listed. */
const MAX_BROKEN = 100

/** Serves `/healthz`, and passes all other requests on. @param healthOf called for each request to `/healthz` */
export function withHealth(
  answer: (request: Request, ip: string) => Promise<Response>,
  healthOf: () => Health,
): (request: Request, ip: string) => Promise<Response> {
  return (request, ip) =>
    request.url.includes(HEALTH_ADDRESS) && new URL(request.url).pathname === HEALTH_ADDRESS
      ? Promise.resolve(respondWithHealth(request, healthOf()))
      : answer(request, ip)
}

/** Responds with 200 whatever the health is, because a restart does not help a hub that responds; `/readyz` has the other question. */
function respondWithHealth(request: Request, health: Health): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD', 'Cache-Control': 'no-store' } })
  const broken = health.broken.slice(0, MAX_BROKEN)
  const { status, ...facts } = health
  const text = `${JSON.stringify({ status, version: VERSION, ...facts, broken, broken_count: health.broken.length })}\n`
  return new Response(request.method === 'HEAD' ? null : text, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'Access-Control-Allow-Origin': '*',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}
