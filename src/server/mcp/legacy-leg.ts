// Serves the 2025 protocol versions through the 1.x SDK, with one server and one transport per request.

import { dispatch, isSupported, type Serving } from './dispatch.ts'
import { CAPABILITIES, describeServer, INSTRUCTIONS } from './identity.ts'

/** Handles one message. @param message already parsed; the request's own body is not read again */
export async function serveLegacy({ request, message, deps }: Serving): Promise<Response> {
  // Imported here, not at the top of the file: loading one library instead of two speeds up the first response of a cold function.
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  ])
  const server = new Server(describeServer(deps.baseUrl), {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: NO_VALIDATOR,
  })
  // There is one handler for all methods: with a handler per method, the library would validate parameters itself and report a client's mistake as an internal error.
  if (isSupported(message.method ?? '')) {
    server.fallbackRequestHandler = ({ method, params }) => dispatch(method, { ...params }, deps, '2025')
  }
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsEvents(request),
    keepAliveMs: 0,
  })
  await server.connect(transport)
  try {
    // The library rejects clients whose Accept header does not list both types; here, every client gets a response.
    const headers = new Headers(request.headers)
    headers.set('Accept', 'application/json, text/event-stream')
    const response = await transport.handleRequest(new Request(request.url, { method: 'POST', headers }), {
      parsedBody: message,
    })
    // The response is read completely before the server is closed, which would cut it off.
    return new Response(await response.arrayBuffer(), response)
  } finally {
    await server.close()
  }
}

/** The library validates only client responses to requests from the server. This server sends none, and creating the default validator takes milliseconds. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('this server sends no requests to its clients')
  },
}

function wantsEvents(request: Request): boolean {
  const accepted = (request.headers.get('Accept') ?? '').toLowerCase()
  return accepted.includes('text/event-stream') && !accepted.includes('application/json') && !accepted.includes('*/*')
}
