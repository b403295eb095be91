// Owns answering a publish: the checks that need no git, in their order, then the publish itself and its answer.
import { hash } from 'node:crypto'
import { HubError } from '../../domain/api/errors.ts'
import { type Addresses, addressesBelow } from '../../domain/api/record-links.ts'
import { isPublishedAt, matchRoute, matchRouteOfAnyNames, ROUTES } from '../../domain/api/routes.ts'
import { canonicalJson } from '../../domain/content/canonical-json.ts'
import { isName, isOwner } from '../../domain/content/names.ts'
import { parsePublishRequest } from '../../domain/publishing/request.ts'
import { toHubError } from '../../ports/log.ts'
import { measure } from '../../ports/measure.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import type { Connect } from '../connect.ts'
import { answerNotFound, refuseMethod, refuseRate } from '../refusals.ts'
import { COMMON_HEADERS, respondWithError } from '../respond.ts'
import { type PublishTools, publishToGit } from './attempt.ts'
import { type AuthTools, authenticate, requireScope } from './authenticate.ts'
import type { Outcome } from './decide-round.ts'
import { openLimitedBody, parseJsonBody, readIdempotencyKey, requireJson } from './request-body.ts'
import { OF_PROCESS } from './time-and-chance.ts'

/** What publishing needs. */
export interface PublishDependencies extends PublishTools, AuthTools {
  /** Notes when a token was last used; a failure is ignored, because it is only a hint for people. */
  noteUse: (tokenId: string) => Promise<void>
  /** Counts by who publishes. */
  limiter: RateLimiter
  /** Counts tokens that are no good, by the client's address. */
  failedTokens: RateLimiter
  /** As the platform gives it; a header never decides it. */
  clientAddress: string
}

/** Answers one POST. Never throws: everything becomes an answer. */
export async function answerPublish(
  request: Request,
  connect: Connect<PublishDependencies>,
  time = OF_PROCESS,
): Promise<Response> {
  const arrivedMs = time.now()
  const { pathname } = new URL(request.url)
  // A malformed name is refused with a message of its own, and only after the token was found good.
  const route = matchRouteOfAnyNames(pathname)
  if (!route || !isPublishedAt(route.id)) return answerElsewhere(request, pathname)
  const { owner = '', name = '' } = route.parameters
  try {
    const incoming = openLimitedBody(request)
    await incoming.checkLength()
    requireJson(request)
    const dependencies = await connect()
    // The rest of the body is read only when the token is good, so that requests with a bad one take no memory.
    let bytes: Buffer | undefined
    const readBody = async () => (bytes ??= await incoming.read())
    const digestRequest = async () => digest(pathname, hash('sha256', await readBody()))
    const bearer = await authenticate(request, dependencies, new Date(arrivedMs), digestRequest).catch(
      (thrown: unknown) => {
        throw limitFailures(thrown, dependencies)
      },
    )
    const waitSeconds = dependencies.limiter.take(bearer.publisher)
    if (waitSeconds > 0) throw refuseRate('publishes', waitSeconds)
    if (!isOwner(owner) || !isName(name)) throw refuseName()
    const key = readIdempotencyKey(request)
    const body = parsePublishRequest(parseJsonBody(await readBody()), measure)
    requireScope(bearer, owner, name)
    const idempotency =
      key === undefined
        ? undefined
        : { key: digest(bearer.id, `${owner}/${name}`, key), request: digest(canonicalJson(body)) }
    const addresses = addressesBelow(dependencies.baseUrl)
    const accepted = { owner, name, bearer, body, idempotency, arrivedMs, addresses }
    const outcome = await publishToGit(accepted, dependencies, time)
    if (bearer.tokenId !== undefined)
      await dependencies.noteUse(bearer.tokenId).catch(() => {
        // The last use is a hint for people; the publish is done either way.
      })
    return respondWithOutcome(outcome, addresses)
  } catch (thrown) {
    return respondWithError(request, toHubError(thrown))
  }
}

/** A POST to an address that only reads, or to none at all. */
function answerElsewhere(request: Request, pathname: string): Response {
  const route = matchRoute(pathname)
  return route
    ? respondWithError(request, refuseMethod(request.method, ROUTES[route.id].methods))
    : answerNotFound(request)
}

function respondWithOutcome(
  { record, warnings, isNew, isUnchanged, isReplay, commit }: Outcome,
  addresses: Addresses,
): Response {
  const headers = new Headers({
    ...COMMON_HEADERS,
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
  })
  if (isNew) headers.set('Location', record.url)
  if (isReplay) headers.set('Idempotency-Replayed', 'true')
  return new Response(
    JSON.stringify({
      data: {
        ...record,
        html_url: addresses.versionPage(record.owner, record.name, record.version),
        unchanged: isUnchanged,
        commit,
        warnings,
      },
    }),
    {
      status: isNew ? 201 : 200,
      headers,
    },
  )
}

/** SHA-256 of some parts, in hex; no part holds a NUL. */
function digest(...parts: string[]): string {
  return hash('sha256', parts.join('\0'))
}

function refuseName(): HubError {
  return new HubError(
    'not_found',
    'No repository can have this name. Owners and names are lower-case letters, digits and single hyphens, and some owners are reserved.',
  )
}

/** An address that sends many bad tokens is told to wait; a good token from the same address is not held up. */
function limitFailures(thrown: unknown, { failedTokens, clientAddress }: PublishDependencies): unknown {
  if (!(thrown instanceof HubError) || thrown.code !== 'unauthorized') return thrown
  const waitSeconds = failedTokens.take(clientAddress)
  return waitSeconds === 0 ? thrown : refuseRate('badTokens', waitSeconds)
}
