// Handles all write requests to the API: POST publishes a version; PATCH, PUT and DELETE change what is already published. The checks that do not need git run here, in the order given in docs/contract.md section 7.
import { hash } from 'node:crypto'
import type { Permission } from '../../domain/access/token.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters, WriteId } from '../../domain/api/routes.ts'
import { LIMITS } from '../../domain/limits.ts'
import { contentTooLarge, filesTooLarge, tooLargeForPlatform } from '../../domain/publishing/request.ts'
import { isName, isOwner } from '../../domain/values/names.ts'
import type { Connect } from '../hub.ts'
import { NOT_UTF_8, openBody, readContentType } from '../request.ts'
import { wantsText } from '../respond.ts'
import {
  authenticate,
  type Bearer,
  requireOwnerScope,
  requirePermission,
  requireRights,
  requireScope,
} from './authenticate.ts'
import { openPublish } from './publish.ts'
import type { PublishHub } from './publish-hub.ts'
import type { Body } from './write-to-git.ts'
import { type Clock, openClock, readOwnerFile, type Sending } from './write-to-git.ts'

/** Handles one write. Never throws: errors become responses. @param route its parameters may be malformed @param onRefusal called first with what was thrown */
export async function handleWrite(
  request: Request,
  route: WriteRoute,
  connect: Connect<PublishHub>,
  time = openClock(),
  onRefusal?: (thrown: unknown) => void,
): Promise<Response> {
  const arrivedMs = time.now()
  const { method } = request
  const isOfOwner = OF_OWNERS.has(route.id)
  const isOfSeveral = route.id === 'setLabels'
  const { handle = '', owner = handle, name = '' } = route.parameters
  try {
    const { kind, incoming } = await openSentBody(request, route.platformBytes)
    const isOptional =
      ['DELETE', 'GET', 'HEAD'].includes(method) || route.id === 'acceptProposal' || route.id === 'rejectProposal'
    // The media type of an optional body is checked only if there is a body.
    if (!isOptional) requireMediaType(request, kind)
    const deps = await connect()
    const bearer = await identify(request, deps, new Date(arrivedMs))
    const waitSeconds = await deps.limiter.take(bearer.publisher)
    if (waitSeconds > 0) throw (await refusals()).rateLimitError('publishes', waitSeconds)
    if (!isOwner(owner) || !(isOfOwner || isOfSeveral || isName(name))) throw (await refusals()).invalidNameError()
    const parse = await openWrite(request, route)
    // The rest of the body is read only if the token is valid, so that requests with an invalid token use no memory.
    const response = await incoming.use(async (bytes) => {
      const isEmpty = bytes.length === 0 && isOptional
      if (isOptional && !isEmpty) requireMediaType(request, kind)
      const { needed, carryOut, names = [name] } = await parse(isEmpty ? '{}' : decodeBody(kind, bytes), deps)
      if (isOfOwner) requireOwnerScope(bearer, owner)
      else for (const one of names) requireScope(bearer, owner, one)
      requirePermission(bearer, needed)
      const sending = { owner, name, bearer, arrivedMs: time.now(), wantsText: wantsText(request) }
      if (bearer.holder.kind === 'job') {
        const { pathname, search } = new URL(request.url)
        const sent = [method, pathname + search, hash('sha256', bytes)].join('\0')
        await admitJob(bearer.holder, sending, { needed, names }, sent, deps, time)
      }
      return carryOut(sending, deps, time)
    }, bearer.publisher)
    // The time of last use is only informational, so the write succeeds even if it cannot be stored.
    if (bearer.tokenId !== undefined) await deps.recordTokenUse(bearer.tokenId).catch(() => {})
    return response
  } catch (thrown) {
    onRefusal?.(thrown)
    return (await refusals()).respondToSender(request, thrown)
  }
}

/** The writes to an owner itself. */
const OF_OWNERS: ReadonlySet<WriteId> = new Set(['changeOwner', 'listWebhooks', 'setWebhook', 'removeWebhook'])

/** Opens a write. All but publishes are imported on first use, because most writes are publishes. */
async function openWrite(request: Request, { id, parameters }: WriteRoute) {
  if (id === 'publishVersion') return openPublish(request)
  if (id === 'changeOwner') return (await import('./owner.ts')).openOwnerChange()
  if (id === 'setLabels') return (await import('./labels-together.ts')).openLabels(parameters)
  if (id === 'listWebhooks' || id === 'setWebhook' || id === 'removeWebhook')
    return (await import('./webhooks.ts')).openWebhook(id, parameters)
  if (id === 'recordResult' || id === 'removeResult') return (await import('./results.ts')).openResult(id, parameters)
  if (id === 'deleteRepository' || id === 'deleteVersion')
    return (await import('./deletion.ts')).openDeletion(id, parameters)
  if (id === 'proposeVersion') return (await import('./propose.ts')).openProposal(request)
  if (id === 'acceptProposal' || id === 'rejectProposal')
    return (await import('./decide-proposal.ts')).openDecision(id, parameters)
  return (await import('./manage.ts')).openChange(id, parameters)
}

/** A write, with the parameters of its path. */
export interface WriteRoute {
  id: WriteId
  parameters: PathParameters
  /** The longest request that reaches the hub on its platform; undefined if that is longer than any that the hub takes. */
  platformBytes?: number | undefined
}

/** Imports the code for rejections on first use, because a successful publish does not need it. */
const refusals = () => import('../refusals.ts')

/** Authenticates the sender, and limits invalid tokens. @throws HubError `unauthorized`, `forbidden`, `rate_limited`, `unavailable` */
export async function identify(request: Request, deps: PublishHub, now: Date): Promise<Bearer> {
  return authenticate(request, deps, now).catch(async (thrown: unknown): Promise<never> => {
    // After many invalid tokens, an IP address must wait. Requests with valid tokens from the same address are not delayed.
    const isInvalid = thrown instanceof HubError && thrown.code === 'unauthorized'
    const waitSeconds = isInvalid ? await (await deps.failedTokens()).take(deps.clientAddress) : 0
    throw waitSeconds > 0 ? (await refusals()).rateLimitError('badTokens', waitSeconds) : thrown
  })
}

/** How long a used token is remembered after it expires. This must be longer than the tolerance of a few seconds for expired tokens. */
const JOB_LEEWAY_MS = 60_000

/**
 * Checks that the owner trusts a CI job, then marks its token as used for the request. This happens before the write is queued, so that an untrusted job delays nobody and nothing is stored about it.
 *
 * @throws HubError `forbidden`; `unauthorized` if the token was used for another request; `unavailable`
 */
async function admitJob(
  { jti, endsMs }: Extract<Bearer['holder'], { kind: 'job' }>,
  sending: Sending,
  { needed, names }: { needed: Permission; names: readonly string[] },
  request: string,
  { git, spendJob }: PublishHub,
  time: Clock,
): Promise<void> {
  const { owner, bearer } = sending
  const [name] = names
  const file = await readOwnerFile(git, { ...sending, name }, time)
  for (const one of names) requireRights(bearer, { owner, name: one }, needed, file)
  if (!(await spendJob({ jti, request: hash('sha256', request), endsMs: endsMs + JOB_LEEWAY_MS })))
    throw new HubError(
      'unauthorized',
      'This OIDC token was already used for another request. Request a new one from GitHub for each publish.',
    )
}

/** What a request has as its body: JSON, a prompt file, or the archive of a skill's folder. docs/contract.md section 7 */
type BodyKind = 'json' | 'prompt-file' | 'archive'

/** The media types of each method: merge patches of RFC 7396, prompt files of RFC 7763, archives of RFC 6713. */
const KINDS: Readonly<Record<string, Readonly<Record<string, BodyKind>>>> = {
  POST: { 'application/json': 'json', 'text/markdown': 'prompt-file', 'application/gzip': 'archive' },
  PATCH: { 'application/json': 'json', 'application/merge-patch+json': 'json' },
  PUT: { 'application/json': 'json' },
  DELETE: { 'application/json': 'json' },
}

/** Returns what a request has as its body; undefined for a media type that its method does not accept. */
function bodyKindOf({ method, headers }: Request): BodyKind | undefined {
  const { mediaType } = readContentType(headers)
  const kinds = Object.hasOwn(KINDS, method) ? KINDS[method]! : {}
  return Object.hasOwn(kinds, mediaType) ? kinds[mediaType] : undefined
}

/** Opens the body of a write or a check, and refuses one that is too long, as far as that is known. @param platformBytes the longest request that reaches the hub on its platform @throws HubError `content_too_large` */
export async function openSentBody(request: Request, platformBytes: number | undefined) {
  const kind = bodyKindOf(request)
  const mayHaveFiles = request.method === 'POST' && (kind === 'json' || kind === 'archive')
  const most = mayHaveFiles ? (platformBytes ?? LIMITS.requestBytesWithFiles) : LIMITS.requestBytes
  const tooLarge = () => {
    if (mayHaveFiles && platformBytes !== undefined) return tooLargeForPlatform(platformBytes)
    return kind === 'archive' && mayHaveFiles ? filesTooLarge() : contentTooLarge()
  }
  const incoming = openBody(request, most, tooLarge)
  await incoming.checkLength()
  return { kind, incoming }
}

/** Checks that a body is in a form that the method accepts. @throws HubError `unsupported_media_type` */
export function requireMediaType(request: Request, kind: BodyKind | undefined): void {
  const encoding = request.headers.get('Content-Encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new HubError(
      'unsupported_media_type',
      'The body is compressed. Send it uncompressed, without Content-Encoding.',
    )
  if (kind !== 'archive' && !readContentType(request.headers).isUtf8)
    throw new HubError('unsupported_media_type', NOT_UTF_8)
  if (kind === undefined)
    throw new HubError(
      'unsupported_media_type',
      request.method === 'POST'
        ? 'The body must be JSON, a prompt file or the archive of a skill. Send JSON with "Content-Type: application/json", a prompt file with "Content-Type: text/markdown", or a tar archive with "Content-Type: application/gzip".'
        : 'The body must be JSON. Send it with "Content-Type: application/json".',
    )
}

/** Decodes a body that is not an archive. A byte order mark before JSON is ignored, as RFC 8259 section 8.1 permits; in a prompt file, it may be content. @throws HubError `invalid_request` for bytes that are not UTF-8 */
export function decodeBody(kind: BodyKind | undefined, bytes: Uint8Array<ArrayBuffer>): Body {
  if (kind === 'archive') return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: kind === 'prompt-file' }).decode(bytes)
  } catch {
    throw new HubError('invalid_request', 'The body is not UTF-8. Save the prompt as UTF-8 and send it again.')
  }
}
