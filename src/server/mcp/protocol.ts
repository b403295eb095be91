// Defines what the files of /mcp share: error codes, the exceptions that become JSON-RPC errors, limits, and HTTP responses.
import type { Bytes } from '../../built/site-files.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type BodyBounds, findJsonExcess } from '../../domain/text/json.ts'
import { printable } from '../../domain/text/printable.ts'

/** The result of a method, before the library serialises it. */
export type McpResult = Record<string, unknown>

/** JSON-RPC error codes, including MCP's own. */
export const CODES = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** The request was rejected before its method was dispatched. */
  refused: -32_000,
} as const

/** The exception for a JSON-RPC error. The library sends its code, message and data to the client. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure'
  readonly code: number
  readonly data: Readonly<Record<string, unknown>> | undefined

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Creates the error for invalid parameters. */
export function invalidParams(message: string): McpFailure {
  return new McpFailure(CODES.invalidParams, message)
}

/** Creates the error for an unknown tool, prompt, resource or similar. @param given the name in the request @param hint what to do instead */
export function unknownName(
  what: string,
  given: unknown,
  hint: string,
  data?: Readonly<Record<string, unknown>>,
): McpFailure {
  const problem =
    typeof given === 'string' ? `There is no ${what} ${printable(given)}.` : `Expected the ${what} as a string.`
  return new McpFailure(CODES.invalidParams, `${problem} ${hint}`, data)
}

const FIELDS: BodyBounds = {
  known: new Set(),
  unknown: LIMITS.parameterKeys,
  keys: LIMITS.parameterKeys,
  values: LIMITS.parameterKeys,
  depth: LIMITS.parameterDepth,
}

/** Returns whether JSON text is within the limits of a message. The MCP library describes every wrong value, on the thread that answers: 20,000 take 0.1 s. */
export const isWithinLimits = (json: string) => findJsonExcess(json, FIELDS) === undefined

/** Parses an object that was sent as JSON text, which some clients do with nested objects; returns any other value unchanged. */
export function readObject(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{') || !isWithinLimits(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const METHODS = 'POST, OPTIONS'

/** Headers for every response, including errors, because clients in browsers need to read errors too. */
const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Mcp-Session-Id, MCP-Protocol-Version, Retry-After',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

/** The error for a request that is rejected before its method is dispatched. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: number
  /** The number of seconds after which to retry; 0 if unknown. */
  readonly waitSeconds: number

  constructor(status: number, code: number, message: string, waitSeconds = 0) {
    super(message)
    this.status = status
    this.code = code
    this.waitSeconds = waitSeconds
  }
}

/** Responds with a message as JSON, or with none. @param waitSeconds for Retry-After; 0 omits it */
export function respond(status: number, body: Bytes | string | null, waitSeconds = 0, type: string | null = JSON_TYPE) {
  const headers: Record<string, string> = { ...HEADERS }
  if (body && type) headers['Content-Type'] = type
  if (status === 405) headers.Allow = METHODS
  if (waitSeconds > 0) headers['Retry-After'] = String(waitSeconds)
  return new Response(body || null, { status, headers })
}

const JSON_TYPE = 'application/json'

/** Responds with a rejection. */
export function respondWithRefusal(request: Request, { status, code, message, waitSeconds }: Refusal): Response {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  return respond(status, request.method === 'HEAD' ? null : body, waitSeconds)
}

/** Responds to a preflight request. */
export function respondToPreflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...HEADERS,
      Allow: METHODS,
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers':
        '*, Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID',
      'Access-Control-Max-Age': '86400',
    },
  })
}
