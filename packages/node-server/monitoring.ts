// Serves the addresses that monitoring programs ask: `/healthz`, `/readyz` and `/metrics`.

import { pathOf } from '../../src/server/address.ts'
import { methodNotAllowed, respondWithError } from '../../src/server/refusals.ts'
import { HEALTH_ADDRESS, METRICS_ADDRESS, READY_ADDRESS } from '../catalogue/published/addresses.ts'
import { respondWithHealth } from './health.ts'
import type { Metrics } from './metrics.ts'
import { respondWithReadiness } from './readiness.ts'
import type { HostedFunction } from './run-functions.ts'
import type { StatusSources } from './status-metrics.ts'

/** Handles a request. @param peer the IP address of the connection, whatever its headers say */
export type Answer = (request: Request, ip: string, peer?: string) => Promise<Response>

/** Returns the function that answers monitoring programs. @param metrics undefined if they are disabled */
export function serveMonitoring(sources: StatusSources, metrics: Metrics | undefined): HostedFunction<unknown> {
  const { healthOf, checkAll } = sources
  const answer = async (request: Request) => {
    const path = pathOf(request.url)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respondWithError(request, methodNotAllowed(request.method, ['GET', 'HEAD']))
    if (path.startsWith(HEALTH_ADDRESS)) return respondWithHealth(request, healthOf())
    if (path.startsWith(READY_ADDRESS) || !metrics) return respondWithReadiness(request, checkAll, healthOf)
    const found = await metrics.respond(sources)
    return request.method === 'HEAD' ? new Response(null, found) : found
  }
  return { default: answer, config: { path: [HEALTH_ADDRESS, READY_ADDRESS, ...(metrics ? [METRICS_ADDRESS] : [])] } }
}
