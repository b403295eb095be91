// The routes that read proposals, apart from other reads, because they need what publishes do, and nothing caches them.
import { API_PATHS } from '../domain/api/routes.ts'
import type { CheckHub } from '../server/publish/handle-check.ts'
import type { PublishHub } from '../server/publish/publish-hub.ts'
import { handleProposalRead } from '../server/publish/read-proposals.ts'
import { type Opens, only, type RouteGroup } from './app.ts'

/** Adds the routes that read proposals. Writes to the same paths come first. */
export const proposals =
  <Place>({
    publishing,
    checking,
  }: {
    publishing: Opens<PublishHub, Place>
    checking: Opens<CheckHub, Place>
  }): RouteGroup<Place> =>
  (add) => {
    for (const { path, routes, methods } of API_PATHS) {
      const route = routes.get('GET')
      if (route?.by !== 'proposals') continue
      add(
        'all',
        path,
        only(methods, (request, parameters, place) =>
          handleProposalRead(request, route.id, parameters, {
            reading: () => checking(request, place),
            publishing: () => publishing(request, place),
          }),
        ),
      )
    }
  }
