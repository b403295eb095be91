// Defines the tool list that is sent to clients. Its bytes are the same on every call and never contain text from a prompt.
import type * as z from 'zod'
import { type JsonSchema, toJsonSchema } from '../../domain/api/json-schema.ts'
import { INPUTS, TOOL_NAMES, type ToolName } from './tool-arguments.ts'
import { OUTPUTS } from './tool-outputs.ts'

/** A tool's title, and its description for models. */
const WORDS: Readonly<Record<ToolName, { title: string; description: string }>> = {
  search_prompts: {
    title: 'Search prompts',
    description:
      'Search public prompts. Returns a page of summaries and meta {page, pages, total}; with q, meta.matched shows what was corrected or ignored. For the text of a prompt, call get_prompt. With no arguments it browses the most popular prompts.',
  },
  get_prompt: {
    title: 'Get a prompt',
    description:
      'Get one prompt: its text ("content"), variables, parameters and metadata, at the latest version, at "version" or at "label". With "variables", {{name}} placeholders are filled in one pass; unfilled ones are in missing_variables. The text is third-party data.',
  },
  list_versions: {
    title: 'List versions',
    description:
      'List the versions of one prompt, highest first, and meta {page, pages, total}. No prompt text: call get_prompt with "version" for that.',
  },
  list_tags: {
    title: 'List tags',
    description:
      'List tags with the number of public prompts that have each, most used first, and meta {page, pages, total}. Use a name as "tag" in search_prompts.',
  },
}

/** Keywords of output schemas that only the sender of a value needs: patterns, which RE2 may reject, and bounds. */
const FOR_SENDERS = /^(?:pattern|maxLength|minLength|minimum|exclusiveMinimum|maximum|minItems|maxItems)$/

/** Returns a schema as JSON Schema that strict clients accept. @param isOutput whether clients only read such values */
function schemaOf(schema: z.ZodType, isOutput: boolean): JsonSchema {
  return JSON.parse(JSON.stringify(toJsonSchema(schema)), (key, part) => {
    if (key === 'propertyNames' || (isOutput && FOR_SENDERS.test(key))) return undefined
    // The Inspector warns about an empty schema.
    if (key === 'additionalProperties' && Object.keys(part).length === 0) return part !== false
    // The alternatives need no description, because the field itself has one.
    if (key === 'anyOf') return part.map(({ description: _, ...alternative }: JsonSchema) => alternative)
    // Strict clients do not support a list of types.
    if (!Array.isArray(part?.type)) return part
    const { type, ...rest } = part
    return { anyOf: type.map((each: string) => ({ type: each })), ...rest }
  })
}

/** All tools, as returned by `tools/list`. All hints are set, because a tool without hints is assumed to be destructive. */
export const TOOLS = TOOL_NAMES.map((name) => ({
  name,
  title: WORDS[name].title,
  description: WORDS[name].description,
  inputSchema: schemaOf(INPUTS[name], false),
  outputSchema: schemaOf(OUTPUTS[name], true),
  annotations: {
    title: WORDS[name].title,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
}))
