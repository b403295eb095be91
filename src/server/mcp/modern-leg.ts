// Owns serving the revision 2026-07-28 through the 2.x server package, its only importer, and telling which revision a request speaks.
import { dispatch, isOurs } from './dispatch.ts'
import { CACHE_HINTS, CAPABILITIES, describeServer, INSTRUCTIONS } from './identity.ts'
import type { Serving } from './serving.ts'
import { isObject } from './tool-arguments.ts'

/** Loaded when first needed: most requests of a 2025 client never need it. */
const load = () => import('@modelcontextprotocol/server')

/** What only a request of 2026 and later carries. */
const CLAIMS = ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'] as const

/** Whether a request speaks a 2025 revision. Only what could be a claim of another is put before the library. */
export async function isLegacy({ request, message }: Serving): Promise<boolean> {
  const version = request.headers.get('MCP-Protocol-Version') ?? '2025'
  const meta = isObject(message.params) && isObject(message.params._meta) ? message.params._meta : {}
  const isPlain = /^202[45]/.test(version) && !request.headers.has('Mcp-Method')
  if (isPlain && !CLAIMS.some((claim) => Object.hasOwn(meta, claim))) return true
  const { isLegacyRequest } = await load()
  return isLegacyRequest(request, message)
}

/** Serves one message. */
export async function serveModern({ request, message, tools }: Serving): Promise<Response> {
  const { createMcpHandler, Server } = await load()
  const handler = createMcpHandler(
    () => {
      const server = new Server(describeServer(tools.baseUrl), {
        capabilities: CAPABILITIES,
        instructions: INSTRUCTIONS,
        cacheHints: { 'server/discover': CACHE_HINTS['server/discover'] },
        jsonSchemaValidator: NO_VALIDATOR,
      })
      if (isOurs(message.method ?? '')) {
        server.fallbackRequestHandler = ({ method, params }) => dispatch(method, { ...params }, tools, '2026')
      }
      return server
    },
    { legacy: 'reject', keepAliveMs: 0 },
  )
  try {
    const response = await handler.fetch(request, { parsedBody: message })
    return new Response(await response.arrayBuffer(), response)
  } finally {
    await handler.close()
  }
}

/** Only answers to what a server asks are ever validated, and this one asks nothing. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('this server asks its clients nothing')
  },
}
