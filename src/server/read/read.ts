// Handles GET requests to the API: responds with the record for the route, or with a JSON error.

import { importOnce } from '../../concurrency/promises.ts'
import { areValid, lowerCasePath, type PathParameters, type Route } from '../../domain/api/routes.ts'
import type { Connect, Hub } from '../hub.ts'
import { countRequest, pathOf, queryOf } from '../request.ts'
import { respondWith, respondWithRedirect } from '../respond.ts'
import type { RouteHandler } from './answers.ts'
import { findSuccessor } from './records.ts'

/** Handles one GET or HEAD request. Never throws: errors become responses. @param parameters as in the path */
export async function handleRead(
  request: Request,
  { mediaType, cache }: Pick<Route, 'mediaType' | 'cache'>,
  parameters: PathParameters,
  answer: RouteHandler,
  connect: Connect,
): Promise<Response> {
  if (!areValid(parameters)) return respondElsewhere(request)
  const subject = { owner: parameters.owner ?? parameters.handle, name: parameters.name }
  try {
    const query = queryOf(request.url)
    const hub = await connect()
    await countRequest(hub)
    const given = query === '' ? NO_QUERY : new URLSearchParams(query)
    const found = answer(parameters, given, hub)
    // A renamed prompt may have none; this is awaited below.
    found.catch(() => {})
    const now = await findNow(parameters, hub)
    if (now !== undefined) return respondWithRedirect(pathOf(request.url).replace(...now) + query)
    return respondWith(request, { mediaType, cache, subject, ...(await found) })
  } catch (thrown) {
    return (await refusals()).respondToError(request, thrown, subject)
  }
}

/** Finds what has been renamed in the path of a read. @returns the old part of the path and the new one */
async function findNow(
  { owner, name, handle }: PathParameters,
  { siteFiles }: Hub,
): Promise<[before: string, now: string] | undefined> {
  if (handle !== undefined) {
    const now = await (await renamed()).findNewOwner(handle, siteFiles)
    return now === undefined ? undefined : [`/users/${handle}`, `/users/${now}`]
  }
  if (owner === undefined || name === undefined) return undefined
  // Most prompts have no successor, and so need nothing else.
  if ((await findSuccessor(owner, name, siteFiles)) === null) return undefined
  const now = await (await renamed()).findNewName(owner, name, siteFiles)
  return now === undefined ? undefined : [`/repos/${owner}/${name}`, `/repos/${now}`]
}

/** Responds to a GET request for an unknown URL of the API. One with uppercase letters is redirected, whether or not there is anything at the lowercase one. */
export async function respondElsewhere(request: Request): Promise<Response> {
  const path = pathOf(request.url)
  const lowerCase = lowerCasePath(path)
  if (lowerCase !== path && PLAIN_PATH.test(path)) return respondWithRedirect(lowerCase + queryOf(request.url))
  return (await refusals()).respondNotFound(request)
}

/** Imported on the first rejection, because successful reads do not need this code. */
const refusals = () => import('../refusals.ts')

const renamed = importOnce(() => import('./renamed.ts'))

const PLAIN_PATH = /^[\w./-]+$/

const NO_QUERY = new URLSearchParams()
