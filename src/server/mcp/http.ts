// Builds the HTTP responses of /mcp: CORS, no caching, and errors as JSON-RPC.

const METHODS = 'POST, OPTIONS'

/** Headers of every response, including errors, because browser clients read errors too. */
const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Mcp-Session-Id, MCP-Protocol-Version, Retry-After',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

/** Thrown for a request that is rejected before any protocol method is considered. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: number
  /** Seconds until a retry makes sense; 0 if unknown. */
  readonly waitSeconds: number

  constructor(status: number, code: number, message: string, waitSeconds = 0) {
    super(message)
    this.status = status
    this.code = code
    this.waitSeconds = waitSeconds
  }
}

/** Responds with the library's response, but with our headers instead of its own, so that the response never contains a session ID. @param waitSeconds for Retry-After; 0 omits it */
export async function respondWithResult(response: Response, waitSeconds: number): Promise<Response> {
  const headers = new Headers(HEADERS)
  const type = response.headers.get('Content-Type')
  if (type) headers.set('Content-Type', type)
  if (waitSeconds > 0) headers.set('Retry-After', String(waitSeconds))
  const bytes = await response.arrayBuffer()
  return new Response(bytes.byteLength === 0 ? null : bytes, { status: response.status, headers })
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
