// The routes of the website that are the same for everybody.
import { handlePage } from '../server/pages/handle-page.ts'
import { methodNotAllowed } from '../server/refusals.ts'
import { findFile, preflightFile } from '../server/static-files.ts'
import type { Answer, ReadParts, RouteGroup } from './app.ts'

const answerPage =
  <Place>({ hub, files }: ReadParts<Place>): Answer<Place> =>
  async (request, _, place) => {
    const { method } = request
    if (method === 'GET' || method === 'HEAD')
      return (files && (await findFile(request, files(place)))) ?? handlePage(request, () => hub(request, place))
    const preflight = method === 'OPTIONS' && files ? await preflightFile(request, files(place)) : undefined
    if (preflight) return preflight
    throw methodNotAllowed(method, ['GET', 'HEAD'])
  }

/** Adds the guide and the tag whose addresses look like the settings of an owner. These come before the editor. */
export const namesakes =
  <Place>(parts: ReadParts<Place>): RouteGroup<Place> =>
  (add) => {
    for (const path of ['/docs/settings', '/tags/settings']) add('all', path, answerPage(parts))
  }

/** Adds every other address. This comes last. */
export const pages =
  <Place>(parts: ReadParts<Place>): RouteGroup<Place> =>
  (add) =>
    add('all', '*', answerPage(parts))
