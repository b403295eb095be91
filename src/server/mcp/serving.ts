// Owns which leg serves a message: there is one for each generation of the protocol, and only the one that is needed is loaded, with its library.
import type { McpTools } from './call-tool.ts'
import { isObject } from './protocol.ts'
import type { Message } from './read-message.ts'

/** One message to be served. */
export interface Serving {
  /** Its address and headers; the body has been read. */
  request: Request
  message: Message
  tools: McpTools
}

/** What only a request of 2026 and later carries. */
const CLAIMS = ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'] as const

/** Serves one message by the leg of its generation. Only what could claim to be of 2026 is put before that revision's library, which decides. */
export async function serve(serving: Serving): Promise<Response> {
  if (!mayBeModern(serving)) return serveLegacy(serving)
  const { isLegacy, serveModern } = await import('./modern-leg.ts')
  return (await isLegacy(serving)) ? serveLegacy(serving) : serveModern(serving)
}

async function serveLegacy(serving: Serving): Promise<Response> {
  return (await import('./legacy-leg.ts')).serveLegacy(serving)
}

function mayBeModern({ request, message }: Serving): boolean {
  const version = request.headers.get('MCP-Protocol-Version') ?? '2025'
  const meta = isObject(message.params) && isObject(message.params._meta) ? message.params._meta : {}
  const isPlain = /^202[45]/.test(version) && !request.headers.has('Mcp-Method')
  return !isPlain || CLAIMS.some((claim) => Object.hasOwn(meta, claim))
}
