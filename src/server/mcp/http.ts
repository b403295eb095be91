// Builds the HTTP responses of /mcp: CORS, no caching, and errors as JSON-RPC.

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
export function respond(status: number, body: string | null, waitSeconds = 0, type: string | null = JSON_TYPE) {
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
