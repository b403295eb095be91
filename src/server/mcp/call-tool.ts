// Handles `tools/call`: returns a result, or an error that tells the model what to do next.
import { isObject } from '../../domain/text/json.ts'
import { toHubError } from '../../ports/log.ts'
import { CATALOGUE_UNAVAILABLE } from '../../ports/site-files.ts'
import type { Hub } from '../hub.ts'
import { invalidParams, type McpResult, readObject, unknownName } from './protocol.ts'
import { LONG_TEXT, TOOL_ANSWERS } from './tool-answers.ts'
import { readArguments, TOOL_NAMES, type ToolName } from './tool-arguments.ts'

/**
 * Calls a tool.
 *
 * @param waitSeconds the number of seconds until the client may call a tool again; 0 if it may do so now
 * @returns the result; it also reports failures, because models read results but not protocol errors
 * @throws McpFailure if there is no such tool, or if its arguments are not an object
 */
export async function callTool(params: Record<string, unknown>, hub: Hub, waitSeconds: number): Promise<McpResult> {
  const { name } = params
  const given = readObject(params.arguments ?? {})
  const tool = TOOL_NAMES.find((candidate) => candidate === name)
  if (!tool) throw unknownName('tool', name, `The tools are ${TOOL_NAMES.join(', ')}.`)
  if (!isObject(given)) throw invalidParams('arguments: expected an object, for example {"owner": "acme"}.')
  try {
    if (waitSeconds > 0) throw (await import('../refusals.ts')).rateLimitError('toolCalls', waitSeconds)
    const structured = await answerTool(tool, given, hub)
    return {
      content: [{ type: 'text', text: JSON.stringify(withoutLongText(structured)) }],
      structuredContent: structured,
    }
  } catch (thrown) {
    const { code, message } = toHubError(thrown)
    // The message is the same for all stores, because a model cannot use the difference.
    const sentence = code === 'unavailable' ? CATALOGUE_UNAVAILABLE : message
    // Errors have no structuredContent, because the 1.x client would validate it against the output schema.
    return { content: [{ type: 'text', text: `${code}: ${sentence}` }], isError: true }
  }
}

/**
 * Returns what the text block contains. Some clients forward the text block to the model, others `structuredContent`, so both
 * contain the same data. A long text is only in `structuredContent`, because clients that forward both would send it twice;
 * unless the client asked for a part of it.
 */
function withoutLongText(structured: Record<string, unknown>): Record<string, unknown> {
  const { data } = structured
  if (!isObject(data) || typeof data.content !== 'string' || 'next_offset' in data) return structured
  const { content, ...rest } = data
  if (content.length <= LONG_TEXT) return structured
  const note = `The text is in structuredContent. If you cannot see it, call get_prompt again with "limit": ${LONG_TEXT}, then with "offset": next_offset.`
  return { ...structured, data: { ...rest, note } }
}

function answerTool<Name extends ToolName>(tool: Name, given: Record<string, unknown>, hub: Hub) {
  return TOOL_ANSWERS[tool](readArguments(tool, given), hub)
}
