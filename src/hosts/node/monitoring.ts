// Serves the addresses that monitoring programs ask: `/healthz`, `/readyz` and `/metrics`.

import { isEqual } from '../../account/session.ts'
import { HEALTH_ADDRESS, METRICS_ADDRESS, READY_ADDRESS } from '../../catalogue/published/addresses.ts'
import { HubError } from '../../domain/api/errors.ts'
import { pathOf } from '../../server/address.ts'
import { methodNotAllowed, respondWithError } from '../../server/refusals.ts'
import { respondWithHealth } from './health.ts'
import type { Metrics } from './metrics.ts'
import { respondWithReadiness } from './readiness.ts'
import type { StatusSources } from './status-metrics.ts'

/** Handles a request. @param peer the IP address of the connection, whatever its headers say */
export type Answer = (request: Request, ip: string, peer?: string) => Promise<Response>

/** Answers monitoring programs, and passes all other requests on. @param metrics undefined if they are disabled @param metricsToken if set, only who sends it may read them */
export function withMonitoring(
  answer: Answer,
  sources: StatusSources,
  metrics: Metrics | undefined,
  metricsToken?: string | undefined,
): Answer {
  const { healthOf, checkAll } = sources
  return async (request, ip) => {
    const path = pathOf(request.url)
    const isMetrics = path === METRICS_ADDRESS && metrics !== undefined
    if (path !== HEALTH_ADDRESS && path !== READY_ADDRESS && !isMetrics) return answer(request, ip)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respondWithError(request, methodNotAllowed(request.method, ['GET', 'HEAD']))
    if (path === HEALTH_ADDRESS) return respondWithHealth(request, healthOf())
    if (!isMetrics) return respondWithReadiness(request, checkAll, healthOf)
    if (metricsToken !== undefined && !isEqual(request.headers.get('Authorization') ?? '', `Bearer ${metricsToken}`))
      return respondWithError(
        request,
        new HubError('unauthorized', 'The metrics need the token of METRICS_TOKEN: Authorization: Bearer <token>.'),
      )
    const found = await metrics.respond(sources)
    return request.method === 'HEAD' ? new Response(null, found) : found
  }
}

/** Answers all other requests to the port of the metrics. */
export const nothingElse: Answer = async (request) =>
  respondWithError(
    request,
    new HubError('not_found', `This port has only ${METRICS_ADDRESS} and the health addresses.`),
  )
