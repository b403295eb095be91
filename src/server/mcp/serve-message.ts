// Serves a message: tool calls directly, because the MCP library takes longer than a tool itself, and everything else through the library.

import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { Bytes } from '../../built/site-files.ts'
import { importOnce } from '../../concurrency/promises.ts'
import { dispatch, isSupported, type Serving } from './dispatch.ts'
import { CACHE_HINTS, CAPABILITIES, CONSTANT, describeServer, INSTRUCTIONS } from './identity.ts'
import { CODES, McpFailure, type McpResult, Refusal, respond } from './protocol.ts'
import { callTool } from './tool-answers.ts'

type Library = typeof import('@modelcontextprotocol/server')

/** Imported for the first message, because requests that are rejected do not need it. */
const importLibrary = importOnce(() => import('@modelcontextprotocol/server'))

/** The revision of the 2026 generation. */
const REVISION = '2026-07-28'

/** Handles one message, which has already been parsed; the request's body is not read again. */
export async function serveMessage(serving: Serving): Promise<Response> {
  const { request, message, waitSeconds } = serving
  const library = await importLibrary()
  const version = request.headers.get('MCP-Protocol-Version') ?? undefined
  const method = request.headers.get('Mcp-Method') ?? undefined
  const name = request.headers.get('Mcp-Name') ?? undefined
  const headers = { protocolVersionHeader: version, mcpMethodHeader: method, mcpNameHeader: name }
  const route = library.classifyInboundRequest({ httpMethod: 'POST', ...headers, body: message })
  const isToolCall = message.method === 'tools/call'
  if (route.kind === 'legacy') {
    const versions = library.SUPPORTED_PROTOCOL_VERSIONS
    if (route.reason !== 'initialize' && version !== undefined && !versions.includes(version))
      throw new Refusal(400, CODES.refused, `Unknown MCP-Protocol-Version. Use one of ${versions.join(', ')}.`)
    if (route.reason === 'notification' || route.reason === 'response') return respond(202, null)
    const answer = isToolCall ? await answerCall(serving) : JSON.stringify(await askLibrary(library, serving))
    return respond(200, answer, waitSeconds)
  }
  // The library checks the headers of a call that do not plainly repeat its body.
  const isPlain =
    route.kind === 'modern' && route.messageKind === 'request' && version === REVISION && method !== undefined
  if (isPlain && isToolCall && name === message.params?.name) {
    const _meta = { [library.SERVER_INFO_META_KEY]: describeServer(serving.hub.baseUrl) }
    return respond(200, await answerCall(serving, { resultType: 'complete', _meta }), waitSeconds)
  }
  const options = { legacy: 'reject', keepAliveMs: 0 } as const
  const handler = library.createMcpHandler(() => createServer(library, serving, CACHE_HINTS), options)
  const answer = await handler.fetch(request, { parsedBody: message })
  return respond(answer.status, await answer.text(), waitSeconds, answer.headers.get('Content-Type'))
}

/** Answers a call of a tool, as JSON. @param more fields of the result */
async function answerCall({ message, hub, waitSeconds }: Serving, more?: McpResult): Promise<Bytes | string> {
  const { id, params = {} } = message
  try {
    const result = await callTool(params, hub, waitSeconds)
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
    const end = more ? `,${JSON.stringify(more).slice(1)}}` : '}}'
    return Buffer.concat([Buffer.from(start), result.subarray(0, -1), Buffer.from(end)])
  } catch (thrown) {
    if (!(thrown instanceof McpFailure)) throw thrown
    const { code, message: sentence, data } = thrown
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: sentence, data } })
  }
}

/** Answers a request of the 2025 generation. */
async function askLibrary(library: Library, serving: Serving): Promise<unknown> {
  const { message } = serving
  // The library reports invalid parameters of the handshake as an internal error, with its validator's output.
  if (message.method === 'initialize' && !library.isInitializeRequest(message))
    return { jsonrpc: '2.0', id: message.id, error: { code: CODES.invalidParams, message: INITIALIZE_FORM } }
  const [client, server] = library.InMemoryTransport.createLinkedPair()
  const answered = new Promise((resolve) => {
    client.onmessage = resolve
  })
  await createServer(library, serving).connect(server)
  await client.send(message as JSONRPCMessage)
  return answered
}

const INITIALIZE_FORM =
  'initialize: expected the string "protocolVersion", the object "capabilities", and "clientInfo" with the strings "name" and "version".'

/** Creates a server of the library for one message. @param hints fields for the results of methods */
function createServer(library: Library, { message, ...serving }: Serving, hints?: ReadonlyMap<string, object>) {
  const server = new library.Server(describeServer(serving.hub.baseUrl), {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    cacheHints: { 'server/discover': CONSTANT },
    jsonSchemaValidator: NO_VALIDATOR,
  })
  // A single handler serves all methods: with one handler per method, the library would validate parameters itself and report a client's mistake as an internal error. For an unknown method, no handler is set, so the library reports it with the status that the protocol version requires.
  if (isSupported(message.method ?? ''))
    server.fallbackRequestHandler = async ({ method, params }) => ({
      ...(await dispatch(method, { ...params }, serving)),
      ...hints?.get(method),
    })
  return server
}

/** Replaces the library's default validator, which takes milliseconds to create. It only validates client responses to requests from the server, and this server sends none. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('this server sends no requests to its clients')
  },
}
