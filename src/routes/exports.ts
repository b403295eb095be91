// The route of exports, apart from other reads, because the converters need libraries that no other read does.
import { API_PATHS } from '../domain/api/routes.ts'
import type { Hub } from '../server/hub.ts'
import { openExport } from '../server/read/export.ts'
import { handleRead } from '../server/read/read.ts'
import { type Opens, only, type RouteGroup } from './app.ts'

/** The converters, which only a valid request needs. */
const answer = openExport(async () => (await import('./export-version.ts')).exportVersion)

/** Adds the route that exports a version. */
export const exports =
  <Place>({ hub }: { hub: Opens<Hub, Place> }): RouteGroup<Place> =>
  (add) => {
    for (const { path, routes, methods } of API_PATHS) {
      const route = routes.get('GET')
      if (route?.by !== 'export') continue
      add(
        'all',
        path,
        only(methods, (request, parameters, place) =>
          handleRead(request, route, parameters, answer, () => hub(request, place)),
        ),
      )
    }
  }
