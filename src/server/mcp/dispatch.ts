// Dispatches MCP methods. This file depends on neither HTTP nor an MCP library.
import { parseBuilt } from '../../built/site-files.ts'
import { HubError } from '../../domain/api/errors.ts'
import { toHubError } from '../../log.ts'
import type { Hub } from '../hub.ts'
import { CODES, invalidParams, McpFailure, type McpResult } from './protocol.ts'
import { callTool } from './tool-answers.ts'

/** A JSON-RPC message, if its form is right, which the MCP library checks. */
export interface Message {
  method?: string
  id?: string | number
  params?: Record<string, unknown>
}

/** A message to handle. */
export interface Serving {
  /** The request's URL and headers; its body has already been read. */
  request: Request
  message: Message
  hub: Hub
  /** The number of seconds until the client may call a tool again; 0 if it may do so now. */
  waitSeconds: number
}

type MethodHandler = (params: Record<string, unknown>, hub: Hub, waitSeconds: number) => McpResult | Promise<McpResult>

/** The methods handled here; the library handles the handshake and ping. Most requests call tools, so the handlers of other methods are imported on first use. */
const METHODS: ReadonlyMap<string, MethodHandler> = new Map(
  Object.entries<MethodHandler>({
    'tools/list': async () => ({ tools: (await import('./tools.ts')).TOOLS }),
    'tools/call': async (...given) => parseBuilt(await callTool(...given)),
    'prompts/list': async (_, hub) => (await import('./prompts.ts')).listPrompts(hub),
    'prompts/get': async (params, hub) => (await import('./prompts.ts')).getPrompt(params, hub),
    'resources/list': async (_, hub) => (await import('./resources.ts')).listResources(hub),
    'resources/templates/list': async () => ({ resourceTemplates: (await import('./resources.ts')).TEMPLATES }),
    'resources/read': async (params, hub) => (await import('./resources.ts')).readResource(params, hub),
    'resources/directory/read': async (params, hub) => (await import('./skills.ts')).readDirectory(params, hub),
    // Always empty, because clients load lists without the user asking, and skills are third-party text.
    'skills/list': () => ({ skills: [] }),
    'skills/get': async (params, hub) => (await import('./skills.ts')).getSkill(params, hub),
    'completion/complete': async (params, hub) => (await import('./completions.ts')).completeArgument(params, hub),
  }),
)

/** The methods that return a list. Each has a single page, so no cursor was ever issued; some clients send null or an empty string for the first page. */
const LIST = /\/(?:list|directory\/read)$/

/** Returns whether `METHODS` has a handler for a method. */
export function isSupported(method: string): boolean {
  return METHODS.has(method)
}

/**
 * Handles one request.
 *
 * @param params as received; each method validates its own
 * @throws McpFailure
 */
export async function dispatch(
  method: string,
  params: Record<string, unknown>,
  { hub, waitSeconds }: Pick<Serving, 'hub' | 'waitSeconds'>,
): Promise<McpResult> {
  const answer = METHODS.get(method)
  if (!answer) throw new McpFailure(CODES.methodNotFound, 'Method not found')
  if (LIST.test(method) && (params.cursor ?? '') !== '')
    throw invalidParams('Unknown cursor. The list has a single page; omit "cursor".')
  try {
    return await answer(params, hub, waitSeconds)
  } catch (thrown) {
    if (thrown instanceof McpFailure) throw thrown
    const error = toHubError(thrown)
    const isSayable = thrown instanceof HubError && error.code !== 'internal_error'
    throw new McpFailure(CODES.internalError, isSayable ? error.message : 'Internal error')
  }
}
