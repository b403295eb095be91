// Handles `tools/call`: returns a result, or an error that tells the model what to do next.
import { toHubError } from '../../ports/log.ts'
import { CATALOGUE_UNAVAILABLE } from '../../ports/site-files.ts'
import type { ReadDeps } from '../read/records.ts'
import { invalidParams, isObject, type McpResult, unknownName } from './protocol.ts'
import { TOOL_ANSWERS } from './tool-answers.ts'
import { readArguments, TOOL_NAMES, type ToolName } from './tool-arguments.ts'

/** The dependencies of MCP methods, including the rate limit's state. */
export interface McpDeps extends ReadDeps {
  /** Seconds until the client may call a tool again; 0 if it may do so now. */
  waitSeconds: number
}

/**
 * Calls a tool.
 *
 * @returns the result, which may report a failure, because models read results but not protocol errors
 * @throws McpFailure if no known tool is named
 */
export async function callTool(params: Record<string, unknown>, deps: McpDeps): Promise<McpResult> {
  const { name, arguments: given = {} } = params
  const tool = TOOL_NAMES.find((candidate) => candidate === name)
  if (!tool) throw unknownName('tool', name, `The tools are ${TOOL_NAMES.join(', ')}.`)
  if (!isObject(given)) throw invalidParams('arguments: expected an object, for example {"owner": "acme"}.')
  try {
    if (deps.waitSeconds > 0) throw (await import('../refusals.ts')).rateLimitError('toolCalls', deps.waitSeconds)
    const structured = await answerTool(tool, given, deps)
    // Clients forward one or the other to the model, so both contain the same data.
    return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured }
  } catch (thrown) {
    const { code, message } = toHubError(thrown)
    // One message for all stores, because the difference is of no use to the model.
    const sentence = code === 'unavailable' ? CATALOGUE_UNAVAILABLE : message
    // Errors have no structuredContent, because the 1.x client would validate it against the output schema.
    return { content: [{ type: 'text', text: `${code}: ${sentence}` }], isError: true }
  }
}

function answerTool<Name extends ToolName>(tool: Name, given: Record<string, unknown>, deps: ReadDeps) {
  return TOOL_ANSWERS[tool](readArguments(tool, given), deps)
}
