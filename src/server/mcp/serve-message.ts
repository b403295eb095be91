// Serves a message through the MCP library, with one server per message. The library supports both protocol generations.

import { dispatch, isSupported, type Serving } from './dispatch.ts'
import { HEADERS } from './http.ts'
import { CACHE_HINTS, CAPABILITIES, describeServer, INSTRUCTIONS } from './identity.ts'
import { CODES, type Era } from './protocol.ts'
import type { Message } from './read-message.ts'

/** Handles one message, which has already been parsed; the request's body is not read again. */
export async function serveMessage({ request, message, ...serving }: Serving): Promise<Response> {
  // The library is imported here because a top-level import would be loaded with the function, even for requests that are rejected.
  const { createMcpHandler, isLegacyRequest, Server, WebStandardStreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/server'
  )
  const createServer = (era: Era) => {
    const server = new Server(describeServer(serving.hub.baseUrl), {
      capabilities: CAPABILITIES,
      instructions: INSTRUCTIONS,
      cacheHints: { 'server/discover': CACHE_HINTS['server/discover'] },
      jsonSchemaValidator: NO_VALIDATOR,
    })
    // A single handler serves all methods: with one handler per method, the library would validate parameters itself and report a client's mistake as an internal error. For an unknown method, no handler is set, so the library reports it with the status that the protocol version requires.
    if (isSupported(message.method ?? ''))
      server.fallbackRequestHandler = ({ method, params }) => dispatch(method, { ...params }, serving, era)
    return server
  }
  const headers = new Headers(request.headers)
  // The body has already been read, and this server has no sessions.
  for (const name of ['Content-Length', 'Mcp-Session-Id']) headers.delete(name)
  const open = () => new Request(request.url, { method: 'POST', headers })
  if (!(await isLegacyRequest(open(), message))) {
    const handler = createMcpHandler(() => createServer('2026'), { legacy: 'reject', keepAliveMs: 0 })
    return readWhole(await handler.fetch(open(), { parsedBody: message }), handler, serving.waitSeconds)
  }
  // `createMcpHandler` would always send an event stream to these clients, but most of them expect JSON.
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsEvents(request),
    keepAliveMs: 0,
  })
  const send = transport.send.bind(transport)
  transport.send = (answer, options) =>
    send('error' in answer ? { ...answer, error: forOlderClients(message, answer.error) } : answer, options)
  const server = createServer('2025')
  await server.connect(transport)
  // The library rejects requests whose Accept header does not list both types, so the header is replaced.
  headers.set('Accept', 'application/json, text/event-stream')
  return readWhole(await transport.handleRequest(open(), { parsedBody: message }), server, serving.waitSeconds)
}

const INITIALIZE_FORM =
  'initialize: expected the string "protocolVersion", the object "capabilities", and "clientInfo" with the strings "name" and "version".'

/** Changes an error of the library for clients of the 2025 generation. */
function forOlderClients<Failure extends { code: number; message: string }>({ method }: Message, error: Failure) {
  // The library reports invalid parameters of the handshake as an internal error, with its validator's output as the message.
  if (method === 'initialize') return { code: CODES.invalidParams, message: INITIALIZE_FORM }
  // The library sends the 2026 codes to all clients, but for a missing resource, these clients expect a different code.
  const isMissing = method === 'resources/read' && error.code === CODES.invalidParams
  return isMissing ? { ...error, code: CODES.resourceNotFound } : error
}

/** Copies the library's response, but replaces its headers, so that it never contains a session ID. The response is read completely before its server is closed, because closing would truncate it. @param waitSeconds for Retry-After; 0 omits it */
async function readWhole(
  response: Response,
  server: { close(): Promise<void> },
  waitSeconds: number,
): Promise<Response> {
  const headers = new Headers(HEADERS)
  const type = response.headers.get('Content-Type')
  if (type) headers.set('Content-Type', type)
  if (waitSeconds > 0) headers.set('Retry-After', String(waitSeconds))
  try {
    const bytes = await response.arrayBuffer()
    return new Response(bytes.byteLength === 0 ? null : bytes, { status: response.status, headers })
  } finally {
    await server.close()
  }
}

/** Replaces the library's default validator, which takes milliseconds to create. It only validates client responses to requests from the server, and this server sends none. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('this server sends no requests to its clients')
  },
}

function wantsEvents(request: Request): boolean {
  const accepted = (request.headers.get('Accept') ?? '').toLowerCase()
  return accepted.includes('text/event-stream') && !accepted.includes('application/json') && !accepted.includes('*/*')
}
