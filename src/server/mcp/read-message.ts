// Reads a message from a request body. Checks the media type, size, JSON and shape, in that order.

import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isObject } from '../../domain/text/json.ts'
import { isUtf8, mediaTypeOf, NOT_UTF_8 } from '../content-type.ts'
import { openBody } from '../read-body.ts'
import { Refusal } from './http.ts'
import { CODES, isWithinLimits } from './protocol.ts'

/** A JSON-RPC message, if its form is right, which the MCP library checks. */
export interface Message {
  method?: string
  id?: string | number
  params?: Record<string, unknown>
}

/** Maximum size of a request body, in bytes. It is sufficient because no argument is longer than a prompt's content. */
const MAX_BYTES = LIMITS.contentBytes

/** Reads the message in a request. @throws Refusal for a message that cannot be handled */
export async function readMessage(request: Request): Promise<Message> {
  if (mediaTypeOf(request.headers) !== 'application/json')
    throw new Refusal(415, CODES.refused, 'Send the message as Content-Type: application/json.')
  if (!isUtf8(request.headers)) throw new Refusal(415, CODES.refused, NOT_UTF_8)
  const text = await readText(request)
  // Batches are rejected: the library does not respond to a batch that contains a request and its cancellation, and revisions since 2025-06-18 do not support batches.
  if (text.trimStart().startsWith('[')) {
    throw new Refusal(400, CODES.invalidRequest, 'Send one message at a time: batches are not supported.')
  }
  if (!isWithinLimits(text)) {
    const { parameterKeys, parameterDepth } = LIMITS
    const most = `${parameterKeys} keys and ${parameterKeys} values, and ${parameterDepth} levels`
    throw new Refusal(400, CODES.invalidRequest, `Send a smaller message: it may have ${most}.`)
  }
  const message = parseJson(text)
  if (!isObject(message)) throw new Refusal(400, CODES.invalidRequest, 'Expected a JSON-RPC 2.0 message, an object.')
  // Some clients send null instead of omitting the parameters.
  if (message.params === null) delete message.params
  return message
}

async function readText(request: Request): Promise<string> {
  const bytes = await openBody(request, MAX_BYTES, tooLarge)
    .read()
    .catch((thrown: unknown): never => {
      throw thrown instanceof HubError ? new Refusal(400, CODES.parseError, thrown.message) : thrown
    })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal(400, CODES.parseError, 'The body is not UTF-8.')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, CODES.parseError, 'The body is not JSON.')
  }
}

function tooLarge(): Refusal {
  return new Refusal(413, CODES.refused, `The body is longer than ${MAX_BYTES} bytes. Send a shorter message.`)
}
