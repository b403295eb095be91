// Describes for `/healthz` that the hub is alive, and which problems it knows (docs/contract.md section 13).

import type { FetchState } from '../../content/content-clone.ts'
import { UNCACHED_JSON } from '../../server/respond.ts'
import { VERSION } from '../../version.ts'
import type { PublishingHealth } from './watch-publishing.ts'
import type { StateHealth } from './watch-state.ts'

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
  /** How long the oldest change that is not being served yet has been known; null if there is none. */
  unbuilt: { since: string; age_seconds: number } | null
  /** How up to date the clone of the GitHub repository is; null when the content is a local folder. */
  fetch: {
    /** When the clone was last known to be up to date; null if it has not been up to date since startup. */
    at: string | null
    /** Seconds since `at`. */
    age_seconds: number | null
    /** Why the last fetch failed, or null. */
    failure: string | null
  } | null
  /** Whether tokens and sessions can be read and written; null if this is not known. */
  state: StateHealth | null
  /** Why nothing can be published now, or null. */
  publishing: string | null
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
  unbuilt: null,
  fetch: null,
  state: null,
  publishing: null,
}

/** A change is built within seconds, also on a large hub, so an older one means that building does not work. */
const MAX_UNBUILT_SECONDS = 300

/** Adds the age of the oldest change that is not built, because a builder that does nothing reports no failure. */
export function addUnbuilt(health: Health, since: Date | undefined, now: Date): Health {
  if (!since) return health
  const age_seconds = ageOf(since, now)
  const isLate = age_seconds > MAX_UNBUILT_SECONDS
  return {
    ...health,
    status: health.status === 'ok' && isLate ? 'degraded' : health.status,
    unbuilt: { since: since.toISOString(), age_seconds },
  }
}

const ageOf = (since: Date, now: Date): number => Math.max(0, Math.round((now.getTime() - since.getTime()) / 1000))

/** Adds the status of the clone to the health of a hub that follows GitHub, because after a failed fetch the hub may serve outdated content. */
export function addFetch(health: Health, { fetchedAt, failure }: FetchState, now: Date): Health {
  return {
    ...health,
    status: health.status === 'ok' && failure !== undefined ? 'degraded' : health.status,
    fetch: {
      at: fetchedAt?.toISOString() ?? null,
      age_seconds: fetchedAt ? ageOf(fetchedAt, now) : null,
      failure: failure ?? null,
    },
  }
}

/** Adds the status of the state store, without which nobody can publish or sign in. */
export function addState(health: Health, state: StateHealth): Health {
  return { ...health, state, status: health.status === 'ok' && state.problem !== null ? 'degraded' : health.status }
}

/** Adds why nothing can be published. A hub that never could since its start only reads, so it is not degraded. */
export function addPublishing(health: Health, { problem, wasPossible }: PublishingHealth): Health {
  const isStopped = wasPossible && problem !== null
  return { ...health, publishing: problem, status: health.status === 'ok' && isStopped ? 'degraded' : health.status }
}

/** Maximum number of problems listed. */
const MAX_BROKEN = 100

/** Responds with 200 whatever the health is, because a restart does not help a hub that responds; `/readyz` has the other question. */
export function respondWithHealth(request: Request, health: Health): Response {
  const broken = health.broken.slice(0, MAX_BROKEN)
  const { status, ...facts } = health
  return respondWithFacts(request, { status, version: VERSION, ...facts, broken, broken_count: health.broken.length })
}

/** Responds to a monitoring program with a record as one line. */
export function respondWithFacts(
  request: Request,
  facts: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const text = request.method === 'HEAD' ? null : `${JSON.stringify(facts)}\n`
  return new Response(text, { status, headers: { ...UNCACHED_JSON, ...headers } })
}
