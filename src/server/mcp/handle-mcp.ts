// Handles the MCP endpoint: checks the request, passes it to the MCP library, and enforces the deadline.
import { HubError } from '../../domain/api/errors.ts'
import { toHubError } from '../../ports/log.ts'
import { within } from '../../ports/within.ts'
import { findForeignSource } from '../guard.ts'
import type { Connect, Hub } from '../hub.ts'
import { Refusal, respondToPreflight, respondWithRefusal } from './http.ts'
import { CODES } from './protocol.ts'
import { readMessage } from './read-message.ts'
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
  const message = await readMessage(request)
  const waitSeconds = await hub.limiter.take(hub.clientAddress)
  // A tool call reports failures in its result, which the model reads. All other methods report them in the HTTP status, which the client reads.
  if (waitSeconds > 0 && message.method !== 'tools/call') throw await rateLimitRefusal(waitSeconds)
  return serveMessage({ request, message, hub, waitSeconds })
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
