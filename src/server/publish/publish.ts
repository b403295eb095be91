// Handles publish requests: first the checks that do not need git, then the publish.
import { hash } from 'node:crypto'
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/api/limits.ts'
import { type Addresses, addressesBelow } from '../../domain/api/record-links.ts'
import {
  COMMON_HEADERS,
  isPublishedAt,
  matchManageRoute,
  matchRoute,
  matchRouteOfAnyNames,
  ROUTES,
} from '../../domain/api/routes.ts'
import { isName, isOwner } from '../../domain/content/names.ts'
import { contentTooLarge, findExcess, IDEMPOTENCY_KEY, parsePublishRequest } from '../../domain/publishing/request.ts'
import { canonicalJson } from '../../domain/text/json.ts'
import { measure } from '../../ports/measure.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import type { Connect } from '../connect.ts'
import { type IncomingBody, openBody } from '../read-body.ts'
import { type PublishDeps, publishToGit } from './attempt.ts'
import { type AuthDeps, authenticate, type Bearer, requirePermission, requireScope } from './authenticate.ts'
import type { Outcome } from './decide-round.ts'
import { SYSTEM_CLOCK } from './rounds.ts'

/** The dependencies for publishing. */
export interface PublishHandlerDeps extends PublishDeps, AuthDeps {
  /** Records when a token was last used; failures are ignored, because this is only informational. */
  recordTokenUse: (tokenId: string) => Promise<void>
  /** Limits publishes for each publisher. */
  limiter: RateLimiter
  /** Limits requests with invalid tokens for each client IP address. */
  failedTokens: RateLimiter
  /** The IP address as reported by the platform. Handlers never take it from a header, because clients can forge headers. */
  clientAddress: string
}

/** Handles one POST. Never throws: errors become responses. */
export async function handlePublish(
  request: Request,
  connect: Connect<PublishHandlerDeps>,
  time = SYSTEM_CLOCK,
): Promise<Response> {
  const arrivedMs = time.now()
  const { pathname } = new URL(request.url)
  // All names match here: a malformed one is rejected below with its own message, and only after the token has been validated.
  const route = matchRouteOfAnyNames(pathname)
  if (!route || !isPublishedAt(route.id)) return await respondElsewhere(request, pathname)
  const { owner = '', name = '' } = route.parameters
  try {
    const incoming = openLimitedBody(request)
    await incoming.checkLength()
    requireJson(request)
    const deps = await connect()
    const bearer = await admitBearer(request, deps, new Date(arrivedMs))
    if (!isOwner(owner) || !isName(name)) throw invalidNameError()
    const key = readIdempotencyKey(request)
    // The rest of the body is read only if the token is valid, so that requests with an invalid one use no memory.
    const bytes = await incoming.read()
    const body = parsePublishRequest(parseJsonBody(bytes, findExcess), measure)
    requireScope(bearer, owner, name)
    requirePermission(bearer, 'publish')
    const idempotency =
      key === undefined
        ? undefined
        : { key: digest(bearer.id, `${owner}/${name}`, key), request: digest(canonicalJson(body)) }
    const addresses = addressesBelow(deps.baseUrl)
    const accepted = { owner, name, bearer, body, idempotency, arrivedMs, addresses }
    if (bearer.holder.kind === 'job')
      await (await import('./admit-job.ts')).admitJob(
        { ...accepted, needed: 'publish', job: bearer.holder, request: digest(pathname, hash('sha256', bytes)) },
        deps,
        time,
      )
    const outcome = await publishToGit(accepted, deps, time)
    await recordUse(bearer, deps)
    return respondWithOutcome(outcome, addresses)
  } catch (thrown) {
    return (await refusals()).respondToError(request, thrown)
  }
}

/** Imports the rejections when first needed, because a successful publish does not need them. */
export const refusals = () => import('../refusals.ts')

/** Authenticates the sender of a write, and counts the request. @throws HubError `unauthorized`, `forbidden`, `rate_limited`, `unavailable` */
export async function admitBearer(request: Request, deps: PublishHandlerDeps, now: Date): Promise<Bearer> {
  const bearer = await authenticate(request, deps, now).catch(async (thrown: unknown) => {
    throw await limitFailures(thrown, deps)
  })
  const waitSeconds = await deps.limiter.take(bearer.publisher)
  if (waitSeconds > 0) throw (await refusals()).rateLimitError('publishes', waitSeconds)
  return bearer
}

/** Records that a token was used. */
export async function recordUse({ tokenId }: Bearer, { recordTokenUse }: PublishHandlerDeps): Promise<void> {
  if (tokenId === undefined) return
  await recordTokenUse(tokenId).catch(() => {
    // The last use is only informational; the write succeeds either way.
  })
}

/** Responds to a write whose URL does not exist or does not support the method. */
export async function respondElsewhere(request: Request, pathname: string): Promise<Response> {
  const route = matchRoute(pathname)
  const { respondNotFound, respondToError, methodNotAllowed } = await refusals()
  const methods = route ? ROUTES[route.id].methods : matchManageRoute(pathname)?.methods
  return methods ? respondToError(request, methodNotAllowed(request.method, methods)) : respondNotFound(request)
}

/** Opens a write's body. Reading more than 1 MiB throws HubError `content_too_large`. */
export function openLimitedBody(request: Request): IncomingBody {
  return openBody(request, LIMITS.requestBytes, contentTooLarge)
}

/** @throws HubError `unsupported_media_type` */
export function requireJson(request: Request, types: readonly string[] = ['application/json']): void {
  const encoding = request.headers.get('Content-Encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new HubError(
      'unsupported_media_type',
      'The body is compressed. Send it uncompressed, without Content-Encoding.',
    )
  const type = (request.headers.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (!types.includes(type))
    throw new HubError(
      'unsupported_media_type',
      'The body must be JSON. Send it with "Content-Type: application/json".',
    )
}

/** @throws HubError `invalid_request` for bytes that are not UTF-8 and for invalid JSON, including JSON with a byte order mark (RFC 8259 section 8.1); `validation_failed` for JSON with more values than any publish may have */
export function parseJsonBody(bytes: Uint8Array, findExcess: (text: string) => HubError | undefined): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new HubError('invalid_request', 'The body is not UTF-8. Save the prompt as UTF-8 and send it again.')
  }
  const excess = findExcess(text)
  if (excess) throw excess
  try {
    return JSON.parse(text)
  } catch {
    throw new HubError(
      'invalid_request',
      'The body is not valid JSON. Generate it with a program such as jq or JSON.stringify.',
    )
  }
}

/** Reads the Idempotency-Key header. @returns undefined if there is none @throws HubError `invalid_request` */
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

/** Computes the SHA-256 of several parts, in hex. They are separated by NUL, so none may contain NUL. */
function digest(...parts: string[]): string {
  return hash('sha256', parts.join('\0'))
}

export function invalidNameError(): HubError {
  return new HubError(
    'not_found',
    'No repository can have this name. Owners and names consist of lower-case letters, digits and single hyphens, and some owners are reserved.',
  )
}

/** An IP address that sends many invalid tokens must wait; valid tokens from the same address are not delayed. */
async function limitFailures(thrown: unknown, { failedTokens, clientAddress }: PublishHandlerDeps): Promise<unknown> {
  if (!(thrown instanceof HubError) || thrown.code !== 'unauthorized') return thrown
  const waitSeconds = await failedTokens.take(clientAddress)
  return waitSeconds === 0 ? thrown : (await refusals()).rateLimitError('badTokens', waitSeconds)
}
