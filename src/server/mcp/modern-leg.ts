// Serves protocol version 2026-07-28 through the 2.x server package, and detects a request's version.

import { dispatch, isSupported, type Serving } from './dispatch.ts'
import { CACHE_HINTS, CAPABILITIES, describeServer, INSTRUCTIONS } from './identity.ts'

/** Imports the library when first needed. With an `import` at the top of this file, it would be loaded with the function, because the bundler moves it to the top of the bundle. */
const load = () => import('@modelcontextprotocol/server')

/** Returns whether a request that might be from 2026 actually uses a 2025 revision; the library decides. */
export async function isLegacy({ request, message }: Serving): Promise<boolean> {
  const { isLegacyRequest } = await load()
  return isLegacyRequest(request, message)
}

/** Handles one message. */
export async function serveModern({ request, message, deps }: Serving): Promise<Response> {
  const { createMcpHandler, Server } = await load()
  const handler = createMcpHandler(
    () => {
      const server = new Server(describeServer(deps.baseUrl), {
        capabilities: CAPABILITIES,
        instructions: INSTRUCTIONS,
        cacheHints: { 'server/discover': CACHE_HINTS['server/discover'] },
        jsonSchemaValidator: NO_VALIDATOR,
      })
      if (isSupported(message.method ?? '')) {
        server.fallbackRequestHandler = ({ method, params }) => dispatch(method, { ...params }, deps, '2026')
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

/** The library validates only client responses to requests from the server, and this server sends none. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('this server sends no requests to its clients')
  },
}
