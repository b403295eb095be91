// Decides which bodies a publish, a check and a change accept, opens them, and decodes them.
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { contentTooLarge, filesTooLarge, tooLargeForPlatform } from '../../domain/publishing/request.ts'
import { NOT_UTF_8, openBody, readContentType } from '../read-body.ts'

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
export function bodyKindOf({ method, headers }: Request): BodyKind | undefined {
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

/** A body: text, or the bytes of an archive. */
export type Body = string | Uint8Array<ArrayBuffer>

/** Decodes a body that is not an archive. A byte order mark before JSON is ignored, as RFC 8259 section 8.1 permits; in a prompt file, it may be content. @throws HubError `invalid_request` for bytes that are not UTF-8 */
export function decodeBody(kind: BodyKind | undefined, bytes: Uint8Array<ArrayBuffer>): Body {
  if (kind === 'archive') return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: kind === 'prompt-file' }).decode(bytes)
  } catch {
    throw new HubError('invalid_request', 'The body is not UTF-8. Save the prompt as UTF-8 and send it again.')
  }
}
