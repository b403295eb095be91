// Owns serving the revision 2026-07-28 through the 2.x server package, its only importer, and telling which revision a request speaks.
import { createMcpHandler, isLegacyRequest, Server } from '@modelcontextprotocol/server'
import { dispatch, isOurs } from './dispatch.ts'
import { CACHE_HINTS, CAPABILITIES, describeServer, INSTRUCTIONS } from './identity.ts'
import type { Serving } from './serving.ts'

/** Whether a request speaks a 2025 revision. */
export function isLegacy({ request, message }: Serving): Promise<boolean> {
  return isLegacyRequest(request, message)
}

/** Serves one message. */
export async function serveModern({ request, message, tools }: Serving): Promise<Response> {
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
