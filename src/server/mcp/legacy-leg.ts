// Serves the 2025 protocol versions through the 1.x SDK: one server and one transport per request.

import { dispatch, isOurs, type Serving } from './dispatch.ts'
import { CAPABILITIES, describeServer, INSTRUCTIONS } from './identity.ts'

/** Serves one message. @param message parsed already; the request's own body is not read again */
export async function serveLegacy({ request, message, tools }: Serving): Promise<Response> {
  // Imported here, not at the head of the file: loading one library instead of two makes the first answer of a cold function faster.
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  ])
  const server = new Server(describeServer(tools.baseUrl), {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: NO_VALIDATOR,
  })
  // One handler for all methods: with a handler for each, the library checks parameters itself and answers a client's mistake as an internal error.
  if (isOurs(message.method ?? '')) {
    server.fallbackRequestHandler = ({ method, params }) => dispatch(method, { ...params }, tools, '2025')
  }
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsEvents(request),
    keepAliveMs: 0,
  })
  await server.connect(transport)
  try {
    // The library refuses a client whose Accept does not name both types; here every client gets an answer.
    const headers = new Headers(request.headers)
    headers.set('Accept', 'application/json, text/event-stream')
    const response = await transport.handleRequest(new Request(request.url, { method: 'POST', headers }), {
      parsedBody: message,
    })
    // Read to its end before the server is closed, which would cut it.
    return new Response(await response.arrayBuffer(), response)
  } finally {
    await server.close()
  }
}

/** The library validates only what clients answer to questions of the server. This server asks none, and making the usual validator takes milliseconds. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('this server asks its clients nothing')
  },
}

function wantsEvents(request: Request): boolean {
  const accepted = (request.headers.get('Accept') ?? '').toLowerCase()
  return accepted.includes('text/event-stream') && !accepted.includes('application/json') && !accepted.includes('*/*')
}
