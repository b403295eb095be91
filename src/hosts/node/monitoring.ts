// The routes that monitoring programs ask: `/healthz`, `/readyz` and `/metrics`.

import { isEqual } from '../../account/session.ts'
import { HEALTH_ADDRESS, METRICS_ADDRESS, READY_ADDRESS } from '../../catalogue/published/addresses.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { RouteGroup } from '../../routes/app.ts'
import { methodNotAllowed } from '../../server/refusals.ts'
import { respondWithHealth } from './health.ts'
import type { Metrics } from './metrics.ts'
import { respondWithReadiness } from './readiness.ts'
import type { StatusSources } from './status-metrics.ts'

/** No page asks these, so there is no preflight to answer. */
const METHODS = ['GET', 'HEAD']

/** Adds the routes for monitoring programs. @param metrics undefined if they are disabled @param metricsToken if set, only who sends it may read them */
export function monitoring(
  sources: StatusSources,
  metrics: Metrics | undefined,
  metricsToken?: string | undefined,
): RouteGroup<object> {
  const { healthOf, checkAll } = sources
  return (add) => {
    const addRead = (path: string, answer: (request: Request) => Response | Promise<Response>) =>
      add('all', path, (request) => {
        if (!METHODS.includes(request.method)) throw methodNotAllowed(request.method, METHODS)
        return answer(request)
      })
    addRead(HEALTH_ADDRESS, (request) => respondWithHealth(request, healthOf()))
    addRead(READY_ADDRESS, (request) => respondWithReadiness(request, checkAll, healthOf))
    if (!metrics) return
    addRead(METRICS_ADDRESS, ({ headers, url }) => {
      // A proxy keeps others away from this very address, and the router also finds it with a slash at its end.
      if (new URL(url).pathname !== METRICS_ADDRESS)
        throw new HubError('not_found', `There is nothing here. The metrics are at ${METRICS_ADDRESS}.`)
      if (metricsToken !== undefined && !isEqual(headers.get('Authorization') ?? '', `Bearer ${metricsToken}`))
        throw new HubError(
          'unauthorized',
          'The metrics need the token of METRICS_TOKEN: Authorization: Bearer <token>.',
        )
      return metrics.respond(sources)
    })
  }
}

/** Answers all other requests to the port of the metrics. */
export const nothingElse: RouteGroup<object> = (add) =>
  add('all', '*', () => {
    throw new HubError('not_found', `This port has only ${METRICS_ADDRESS} and the health addresses.`)
  })
