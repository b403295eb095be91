// Handles a publish request: first the checks that need no git, then the publish.
import { hash } from 'node:crypto'
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/api/limits.ts'
import { type Addresses, addressesBelow } from '../../domain/api/record-links.ts'
import { COMMON_HEADERS, isPublishedAt, matchRoute, matchRouteOfAnyNames, ROUTES } from '../../domain/api/routes.ts'
import { isName, isOwner } from '../../domain/content/names.ts'
import { contentTooLarge, IDEMPOTENCY_KEY, parsePublishRequest, refuseExcess } from '../../domain/publishing/request.ts'
import { canonicalJson } from '../../domain/text/json.ts'
import { measure } from '../../ports/measure.ts'
import type { RateLimiter, SharedLimiter } from '../../ports/rate-limiter.ts'
import type { Connect } from '../connect.ts'
import { type IncomingBody, openBody } from '../read-body.ts'
import { type PublishTools, publishToGit } from './attempt.ts'
import { type AuthTools, authenticate, requireScope } from './authenticate.ts'
import type { Outcome } from './decide-round.ts'
import { OF_PROCESS } from './rounds.ts'

/** What publishing needs. */
export interface PublishDependencies extends PublishTools, AuthTools {
  /** Notes when a token was last used; a failure is ignored, because it is only a hint for people. */
  noteUse: (tokenId: string) => Promise<void>
  /** Limits publishes, by who publishes. */
  limiter: SharedLimiter
  /** Limits requests with bad tokens, by the client's address. */
  failedTokens: RateLimiter
  /** As the platform says it. No handler takes it from a header, which clients can write. */
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
  // Names of any form match here: a malformed one is refused below, with a message of its own, and only after the token was found good.
  const route = matchRouteOfAnyNames(pathname)
  if (!route || !isPublishedAt(route.id)) return await answerElsewhere(request, pathname)
  const { owner = '', name = '' } = route.parameters
  try {
    const incoming = openLimitedBody(request)
    await incoming.checkLength()
    requireJson(request)
    const dependencies = await connect()
    const bearer = await authenticate(request, dependencies, new Date(arrivedMs)).catch(async (thrown: unknown) => {
      throw await limitFailures(thrown, dependencies)
    })
    const waitSeconds = await dependencies.limiter.take(bearer.publisher)
    if (waitSeconds > 0) throw (await refusals()).refuseRate('publishes', waitSeconds)
    if (!isOwner(owner) || !isName(name)) throw refuseName()
    const key = readIdempotencyKey(request)
    // The rest of the body is read only when the token is good, so that requests with a bad one take no memory.
    const bytes = await incoming.read()
    const body = parsePublishRequest(parseJsonBody(bytes), measure)
    requireScope(bearer, owner, name)
    const idempotency =
      key === undefined
        ? undefined
        : { key: digest(bearer.id, `${owner}/${name}`, key), request: digest(canonicalJson(body)) }
    const addresses = addressesBelow(dependencies.baseUrl)
    const accepted = { owner, name, bearer, body, idempotency, arrivedMs, addresses }
    if (bearer.holder.kind === 'job')
      await (await import('./admit-job.ts')).admitJob(
        { ...accepted, job: bearer.holder, request: digest(pathname, hash('sha256', bytes)) },
        dependencies,
        time,
      )
    const outcome = await publishToGit(accepted, dependencies, time)
    if (bearer.tokenId !== undefined)
      await dependencies.noteUse(bearer.tokenId).catch(() => {
        // The last use is a hint for people; the publish is done either way.
      })
    return respondWithOutcome(outcome, addresses)
  } catch (thrown) {
    return (await refusals()).answerThrown(request, thrown)
  }
}

/** Imported at the first refusal, because a publish that succeeds does not need it. */
const refusals = () => import('../refusals.ts')

/** Answers a POST to an address that only reads, or to one at which nothing is. */
async function answerElsewhere(request: Request, pathname: string): Promise<Response> {
  const route = matchRoute(pathname)
  const { answerNotFound, answerThrown, refuseMethod } = await refusals()
  return route ? answerThrown(request, refuseMethod(request.method, ROUTES[route.id].methods)) : answerNotFound(request)
}

/** Opens the body of a publish. To read more than 1 MiB of it throws HubError `content_too_large`. */
function openLimitedBody(request: Request): IncomingBody {
  return openBody(request, LIMITS.requestBytes, contentTooLarge)
}

/** @throws HubError `unsupported_media_type` */
function requireJson(request: Request): void {
  const encoding = request.headers.get('Content-Encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new HubError(
      'unsupported_media_type',
      'The body is compressed. Send it uncompressed, without Content-Encoding.',
    )
  const type = (request.headers.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json')
    throw new HubError(
      'unsupported_media_type',
      'Publishing takes JSON. Send it with "Content-Type: application/json".',
    )
}

/** @throws HubError `invalid_request` for bytes that are not UTF-8, and for a text that is not JSON, which one with a byte order mark is not either (RFC 8259 section 8.1); `validation_failed` for JSON that holds more than any publish may */
function parseJsonBody(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new HubError('invalid_request', 'The body is not UTF-8. Save the prompt as UTF-8 and send it again.')
  }
  refuseExcess(text)
  try {
    return JSON.parse(text)
  } catch {
    throw new HubError(
      'invalid_request',
      'The body is not valid JSON. Generate it with a program such as jq or JSON.stringify.',
    )
  }
}

/** Reads the Idempotency-Key header. @returns undefined when there is none. @throws HubError `invalid_request` */
function readIdempotencyKey(request: Request): string | undefined {
  const key = request.headers.get('Idempotency-Key')
  if (key === null || IDEMPOTENCY_KEY.pattern.test(key)) return key ?? undefined
  const { shortest, longest } = IDEMPOTENCY_KEY
  throw new HubError('invalid_request', `Idempotency-Key: expected ${shortest} to ${longest} visible ASCII characters.`)
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

/** SHA-256 of some parts, in hex. A NUL stands between them, so none may hold one. */
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
async function limitFailures(thrown: unknown, { failedTokens, clientAddress }: PublishDependencies): Promise<unknown> {
  if (!(thrown instanceof HubError) || thrown.code !== 'unauthorized') return thrown
  const waitSeconds = failedTokens.take(clientAddress)
  return waitSeconds === 0 ? thrown : (await refusals()).refuseRate('badTokens', waitSeconds)
}
