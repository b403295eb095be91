// Decides which bodies a publish, a check and a change accept, and decodes them.
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { NOT_UTF_8, readContentType } from '../content-type.ts'

const JSON_TYPE = 'application/json'
/** The media types accepted for PATCH (RFC 7396 section 4). */
const PATCH_TYPES = [JSON_TYPE, 'application/merge-patch+json']
/** A prompt file (RFC 7763). docs/contract.md section 7 */
const PROMPT_FILE_TYPE = 'text/markdown'

/** The archive of a skill's folder (RFC 6713). docs/contract.md section 7 */
const ARCHIVE_TYPE = 'application/gzip'

const mediaTypeOf = ({ headers }: Request): string => readContentType(headers).type

/** Returns whether a publish has a prompt file as its body instead of JSON. */
export function isPromptFile(request: Request): boolean {
  return request.method === 'POST' && mediaTypeOf(request) === PROMPT_FILE_TYPE
}

/** Returns whether a publish has an archive as its body. */
export function isArchive(request: Request): boolean {
  return request.method === 'POST' && mediaTypeOf(request) === ARCHIVE_TYPE
}

/** Returns the maximum number of bytes of a body. */
export function maxBytesOf(request: Request): number {
  const mayHaveFiles = request.method === 'POST' && [JSON_TYPE, ARCHIVE_TYPE].includes(mediaTypeOf(request))
  return mayHaveFiles ? LIMITS.requestBytesWithFiles : LIMITS.requestBytes
}

/** Checks that a body is in a form that the method accepts. @throws HubError `unsupported_media_type` */
export function requireMediaType(request: Request): void {
  const encoding = request.headers.get('Content-Encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new HubError(
      'unsupported_media_type',
      'The body is compressed. Send it uncompressed, without Content-Encoding.',
    )
  const { type, isUtf8 } = readContentType(request.headers)
  if (!isUtf8 && type !== ARCHIVE_TYPE) throw new HubError('unsupported_media_type', NOT_UTF_8)
  if (isPromptFile(request) || isArchive(request)) return
  if (request.method === 'PATCH' ? !PATCH_TYPES.includes(type) : type !== JSON_TYPE)
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
export function decodeBody(request: Request, bytes: Uint8Array<ArrayBuffer>): Body {
  if (isArchive(request)) return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: isPromptFile(request) }).decode(bytes)
  } catch {
    throw new HubError('invalid_request', 'The body is not UTF-8. Save the prompt as UTF-8 and send it again.')
  }
}
