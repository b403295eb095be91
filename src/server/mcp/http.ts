// Builds the HTTP responses of /mcp: CORS, no caching, and errors as JSON-RPC.

const METHODS = 'POST, OPTIONS'

/** Headers for every response, including errors, because clients in browsers need to read errors too. */
export const HEADERS = {
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

/** Responds with a rejection. */
export function respondWithRefusal(request: Request, { status, code, message, waitSeconds }: Refusal): Response {
  const headers = new Headers({ ...HEADERS, 'Content-Type': 'application/json' })
  if (status === 405) headers.set('Allow', METHODS)
  if (waitSeconds > 0) headers.set('Retry-After', String(waitSeconds))
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  return new Response(request.method === 'HEAD' ? null : body, { status, headers })
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
