// Owns serving the 2025 revisions through the 1.x SDK, its only importer: one server and one transport a request, nothing held open.
import { dispatch, isOurs } from './dispatch.ts'
import { CAPABILITIES, describeServer, INSTRUCTIONS } from './identity.ts'
import type { Serving } from './serving.ts'

/** Serves one message. @param message parsed already; the request's own body is not read again */
export async function serveLegacy({ request, message, tools }: Serving): Promise<Response> {
  // Loaded when first needed: a cold function answers its first request sooner by the time that the other one takes.
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  ])
  const server = new Server(describeServer(tools.baseUrl), {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: NO_VALIDATOR,
  })
  // Not one handler a method: the library's own check of parameters answers a client's mistake as an internal error.
  if (isOurs(message.method ?? '')) {
    server.fallbackRequestHandler = ({ method, params }) => dispatch(method, { ...params }, tools, '2025')
  }
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !wantsEvents(request),
    keepAliveMs: 0,
  })
  await server.connect(transport)
  try {
    // Whatever a client accepts, it gets an answer; the library refuses those that do not name both.
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

/** Only answers to what a server asks are ever validated, and this one asks nothing; making the usual one costs milliseconds. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('this server asks its clients nothing')
  },
}

function wantsEvents(request: Request): boolean {
  const accepted = (request.headers.get('Accept') ?? '').toLowerCase()
  return accepted.includes('text/event-stream') && !accepted.includes('application/json') && !accepted.includes('*/*')
}
