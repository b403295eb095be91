// Answers the MCP endpoint: checks the request, dispatches by protocol generation, and enforces the deadline.
import { HubError } from '../../domain/api/errors.ts'
import { toHubError } from '../../ports/log.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import type { Connect } from '../connect.ts'
import type { ReadTools } from '../read/records.ts'
import type { Serving } from './dispatch.ts'
import { checkSource, type IsOwnHost } from './guard.ts'
import { Refusal, respondToPreflight, respondWithLeg, respondWithRefusal } from './http.ts'
import { CODES, isObject } from './protocol.ts'
import { readMessage } from './read-message.ts'

/** What the endpoint needs. */
export interface McpDependencies extends ReadTools {
  isOwnHost: IsOwnHost
  /** Counts messages of every method. */
  limiter: RateLimiter
  /** As the platform says it. No handler takes it from a header, which clients can write. */
  clientAddress: string
  /** Longest time to an answer; left out, the usual one. */
  deadlineMs?: number
}

/** Well under what platforms and clients wait. */
const DEADLINE_MS = 8_000

/** Answers one request. Never throws. */
export async function answerMcp(request: Request, connect: Connect<McpDependencies>): Promise<Response> {
  try {
    const dependencies = await connect()
    checkSource(request, dependencies.isOwnHost)
    if (request.method === 'OPTIONS') return respondToPreflight()
    if (request.method !== 'POST') {
      throw new Refusal(405, CODES.refused, 'Use POST. This server is stateless: it has no sessions and no streams.')
    }
    return await withDeadline(answerMessage(request, dependencies), dependencies.deadlineMs ?? DEADLINE_MS)
  } catch (thrown) {
    return respondWithRefusal(request, thrown instanceof Refusal ? thrown : refuseTrouble(thrown))
  }
}

async function answerMessage(request: Request, dependencies: McpDependencies): Promise<Response> {
  const { limiter, clientAddress } = dependencies
  const message = await readMessage(request)
  const waitSeconds = limiter.take(clientAddress)
  // A tool call is refused in its result, because models read results; every other method is refused by a status, which clients read.
  if (waitSeconds > 0 && message.method !== 'tools/call') throw await refuseRate(waitSeconds)
  const response = await serve({ request: withoutBody(request), message, tools: { ...dependencies, waitSeconds } })
  return respondWithLeg(response, waitSeconds)
}

/** Members of `_meta` that only requests of 2026 and later have. */
const CLAIMS = ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'] as const

/** Serves one message by the leg of its generation. A message that is surely of 2025 loads that leg and its library alone; of any other, the library of 2026 says which generation it is of. */
async function serve(serving: Serving): Promise<Response> {
  if (!mayBeModern(serving)) return serveLegacy(serving)
  const { isLegacy, serveModern } = await import('./modern-leg.ts')
  return (await isLegacy(serving)) ? serveLegacy(serving) : serveModern(serving)
}

async function serveLegacy(serving: Serving): Promise<Response> {
  return (await import('./legacy-leg.ts')).serveLegacy(serving)
}

function mayBeModern({ request, message }: Serving): boolean {
  const version = request.headers.get('MCP-Protocol-Version') ?? '2025'
  const meta = isObject(message.params) && isObject(message.params._meta) ? message.params._meta : {}
  const isPlain = /^202[45]/.test(version) && !request.headers.has('Mcp-Method')
  return !isPlain || CLAIMS.some((claim) => Object.hasOwn(meta, claim))
}

/** The request without its body, which is read by now, and without a session that another server may have named: there are no sessions here. */
function withoutBody(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.delete('Mcp-Session-Id')
  headers.delete('Content-Length')
  return new Request(request.url, { method: 'POST', headers })
}

async function withDeadline(work: Promise<Response>, deadlineMs: number): Promise<Response> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const refusal = new Refusal(504, CODES.internalError, 'The hub did not answer in time. Try again in a few seconds.')
    timer = setTimeout(() => reject(refusal), deadlineMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    // When the deadline was first, nobody waits for this work any more, so an error of it is dropped.
    work.catch(() => {})
  }
}

async function refuseRate(waitSeconds: number): Promise<Refusal> {
  const { sayTooMany } = await import('../refusals.ts')
  return new Refusal(429, CODES.refused, sayTooMany('messages', waitSeconds), waitSeconds)
}

/** Tells a client only a sentence that was written for clients, never what went wrong inside. */
function refuseTrouble(thrown: unknown): Refusal {
  const error = toHubError(thrown)
  return thrown instanceof HubError && error.code === 'unavailable'
    ? new Refusal(503, CODES.internalError, error.message)
    : new Refusal(500, CODES.internalError, 'Internal error')
}
