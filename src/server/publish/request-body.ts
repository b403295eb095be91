// Owns reading a publish request from the wire: size, media type, encoding and JSON, each with its own answer.
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/api/limits.ts'
import { contentTooLarge, IDEMPOTENCY_KEY, refuseExcess } from '../../domain/publishing/request.ts'
import { type IncomingBody, openBody } from '../read-body.ts'

/** Opens the body of a publish: of at most 1 MiB. @throws HubError `content_too_large`, when it is read */
export function openLimitedBody(request: Request): IncomingBody {
  return openBody(request, LIMITS.requestBytes, contentTooLarge)
}

/** @throws HubError `unsupported_media_type` */
export function requireJson(request: Request): void {
  const encoding = request.headers.get('Content-Encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new HubError('unsupported_media_type', 'The body is compressed. Send it as it is, without Content-Encoding.')
  const type = (request.headers.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json')
    throw new HubError(
      'unsupported_media_type',
      'Publishing takes JSON. Send it with "Content-Type: application/json".',
    )
}

/** @throws HubError `invalid_request` for bytes that are no UTF-8 and text that is no JSON; a byte order mark is neither JSON nor forgiven (RFC 8259 section 8.1); `validation_failed` for one that holds more than any publish */
export function parseJsonBody(bytes: Uint8Array): unknown {
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
    throw new HubError('invalid_request', 'The body is not JSON. Let a program write it, such as jq or JSON.stringify.')
  }
}

/** Reads the Idempotency-Key header. @returns undefined when there is none. @throws HubError `invalid_request` */
export function readIdempotencyKey(request: Request): string | undefined {
  const key = request.headers.get('Idempotency-Key')
  if (key === null || IDEMPOTENCY_KEY.pattern.test(key)) return key ?? undefined
  const { shortest, longest } = IDEMPOTENCY_KEY
  throw new HubError('invalid_request', `Idempotency-Key: expected ${shortest} to ${longest} visible ASCII characters.`)
}
