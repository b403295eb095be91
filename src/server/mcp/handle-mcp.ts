// Handles the MCP endpoint: checks the request, reads its message, and enforces the deadline.

import { within } from '../../concurrency/promises.ts'
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isObject } from '../../domain/text/json.ts'
import { toHubError } from '../../log.ts'
import type { Connect, Hub } from '../hub.ts'
import { findForeignSource, NOT_UTF_8, openBody, readContentType } from '../request.ts'
import type { Message } from './dispatch.ts'
import { CODES, isWithinLimits, Refusal, respondToPreflight, respondWithRefusal } from './protocol.ts'
import { serveMessage } from './serve-message.ts'

/** The default deadline is well below the timeouts of platforms and clients. */
const DEADLINE_MS = 8_000

/** Handles one request. Never throws. @param deadlineMs the time limit for a response */
export async function handleMcp(request: Request, connect: Connect, deadlineMs = DEADLINE_MS): Promise<Response> {
  try {
    const hub = await connect()
    const foreign = findForeignSource(request, hub)
    if (foreign !== undefined) throw new Refusal(403, CODES.refused, foreign)
    if (request.method === 'OPTIONS') return respondToPreflight()
    if (request.method !== 'POST') {
      throw new Refusal(405, CODES.refused, 'Use POST. This server is stateless: it has no sessions and no streams.')
    }
    return await within(deadlineMs, handleMessage(request, hub), lateRefusal)
  } catch (thrown) {
    return respondWithRefusal(request, thrown instanceof Refusal ? thrown : errorRefusal(thrown))
  }
}

async function handleMessage(request: Request, hub: Hub): Promise<Response> {
  const message = await readMessage(request, hub)
  const waitSeconds = await hub.limiter.take(hub.clientAddress)
  // A tool call reports failures in its result, which the model reads. All other methods report them in the HTTP status, which the client reads.
  if (waitSeconds > 0 && message.method !== 'tools/call') throw await rateLimitRefusal(waitSeconds)
  return serveMessage({ request, message, hub, waitSeconds })
}

/** Maximum size of a request body, in bytes. It is sufficient because no argument is longer than a prompt's content. */
const MAX_BYTES = LIMITS.contentBytes

/** Reads the message in a request: checks the media type, size and JSON, in that order. @throws Refusal for a message that cannot be handled */
async function readMessage(request: Request, { clientAddress }: Hub): Promise<Message> {
  const { mediaType, isUtf8 } = readContentType(request.headers)
  if (mediaType !== 'application/json')
    throw new Refusal(415, CODES.refused, 'Send the message as Content-Type: application/json.')
  if (!isUtf8) throw new Refusal(415, CODES.refused, NOT_UTF_8)
  const text = await readText(request, clientAddress)
  // Batches are rejected: the library does not respond to a batch that contains a request and its cancellation, and revisions since 2025-06-18 do not support batches.
  if (text.trimStart().startsWith('[')) {
    throw new Refusal(400, CODES.invalidRequest, 'Send one message at a time: batches are not supported.')
  }
  if (!isWithinLimits(text)) {
    const { parameterKeys, parameterDepth } = LIMITS
    const most = `${parameterKeys} keys and ${parameterKeys} values, and ${parameterDepth} levels`
    throw new Refusal(400, CODES.invalidRequest, `Send a smaller message: it may have ${most}.`)
  }
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw new Refusal(400, CODES.parseError, 'The body is not JSON.')
  }
  if (!isObject(message)) throw new Refusal(400, CODES.invalidRequest, 'Expected a JSON-RPC 2.0 message, an object.')
  // Some clients send null instead of omitting the parameters.
  if (message.params === null) delete message.params
  return message
}

async function readText(request: Request, sender: string): Promise<string> {
  const bytes = await openBody(request, MAX_BYTES, tooLarge)
    .read(sender)
    .catch((thrown: unknown): never => {
      throw thrown instanceof HubError ? new Refusal(400, CODES.parseError, thrown.message) : thrown
    })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal(400, CODES.parseError, 'The body is not UTF-8.')
  }
}

function tooLarge(): Refusal {
  return new Refusal(413, CODES.refused, `The body is longer than ${MAX_BYTES} bytes. Send a shorter message.`)
}

const lateRefusal = () =>
  new Refusal(504, CODES.internalError, 'The hub did not respond in time. Try again in a few seconds.')

async function rateLimitRefusal(waitSeconds: number): Promise<Refusal> {
  const { describeRateLimit } = await import('../refusals.ts')
  return new Refusal(429, CODES.refused, describeRateLimit('messages', waitSeconds), waitSeconds)
}

/** Converts an error to a rejection. Clients only see messages written for them, never internal errors. */
function errorRefusal(thrown: unknown): Refusal {
  const error = toHubError(thrown)
  return thrown instanceof HubError && error.code === 'unavailable'
    ? new Refusal(503, CODES.internalError, error.message)
    : new Refusal(500, CODES.internalError, 'Internal error')
}
