// Owns the publish API's conversation: the checks that need no git, in their order, and the answer.
import { hash } from 'node:crypto'
import { HubError } from '../../domain/api/errors.ts'
import { matchRoute } from '../../domain/api/routes.ts'
import { canonicalJson } from '../../domain/content/canonical-json.ts'
import { isName, isOwner } from '../../domain/content/values.ts'
import { parsePublishRequest } from '../../domain/publishing/request.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import { measure } from '../measure.ts'
import { methodsOf } from '../read/read.ts'
import { answerNotFound, refuseMethod } from '../refusals.ts'
import { COMMON_HEADERS, respondWithError, toHubError } from '../respond.ts'
import { digest, type Outcome, type PublishTools, publishToGit } from './attempt.ts'
import { type AuthTools, authenticate, requireScope } from './authenticate.ts'
import { parseJsonBody, readIdempotencyKey, readLimitedBody, requireJson } from './request-body.ts'

/** What publishing needs. */
export interface PublishDependencies extends PublishTools, AuthTools {
  /** Notes the use of a token; its failure is nobody's problem. */
  noteUse: (tokenId: string) => Promise<void>
  /** Counts by token. */
  limiter: RateLimiter
}

/** Answers one POST. Never throws: everything becomes an answer. @param connect makes the dependencies; what it throws is answered too */
export async function answerPublish(request: Request, connect: () => PublishDependencies): Promise<Response> {
  const arrived = new Date()
  const { pathname } = new URL(request.url)
  const path = /^\/api\/v1\/repos\/([^/]+)\/([^/]+)\/versions\/?$/.exec(pathname)
  if (!path) return answerElsewhere(request, pathname)
  const [, owner = '', name = ''] = path
  try {
    const bytes = await readLimitedBody(request)
    requireJson(request)
    const dependencies = connect()
    const caller = await authenticate(request, dependencies, arrived, digest(pathname, hash('sha256', bytes)))
    const waitSeconds = dependencies.limiter.take(caller.id)
    if (waitSeconds > 0) throw refuseRate(waitSeconds)
    if (!isOwner(owner) || !isName(name)) throw refuseName()
    const key = readIdempotencyKey(request)
    const body = parsePublishRequest(parseJsonBody(bytes), measure)
    requireScope(caller, owner, name)
    const idempotency =
      key === undefined
        ? undefined
        : { key: digest(caller.id, `${owner}/${name}`, key), request: digest(canonicalJson(body)) }
    const outcome = await publishToGit({ owner, name, caller, body, idempotency, arrived }, dependencies)
    if (caller.tokenId !== undefined)
      await dependencies.noteUse(caller.tokenId).catch(() => {
        // The last use is a hint for people; the publish is done either way.
      })
    return respondWithOutcome(outcome)
  } catch (thrown) {
    return respondWithError(request, toHubError(thrown))
  }
}

/** A POST to an address that only reads, or to none at all. */
function answerElsewhere(request: Request, pathname: string): Response {
  const route = matchRoute(pathname)
  return route ? respondWithError(request, refuseMethod(request.method, methodsOf(route.id))) : answerNotFound(request)
}

function respondWithOutcome({ record, isNew, isUnchanged, isReplay, commit }: Outcome): Response {
  const headers = new Headers({
    ...COMMON_HEADERS,
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
  })
  if (isNew) headers.set('Location', record.url)
  if (isReplay) headers.set('Idempotency-Replayed', 'true')
  return new Response(JSON.stringify({ data: { ...record, unchanged: isUnchanged, commit } }), {
    status: isNew ? 201 : 200,
    headers,
  })
}

function refuseName(): HubError {
  return new HubError(
    'not_found',
    'No repository can have this name. Owners and names are lower-case letters, digits and single hyphens, and some owners are reserved.',
  )
}

function refuseRate(waitSeconds: number): HubError {
  return new HubError('rate_limited', `Too many publishes with this token. Try again in ${waitSeconds} s.`, {
    retryAfterSeconds: waitSeconds,
  })
}
