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
      'Search public prompts by text and/or tag. Returns one page of short summaries and meta {page, pages, total}; with q, meta.matched shows what was corrected or ignored. It never returns prompt text: call get_prompt for that. With no arguments it browses the most popular prompts.',
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

/** Returns a tool's input as JSON Schema. */
function inputSchemaOf(tool: ToolName): JsonSchema {
  return tidy(toJsonSchema(INPUTS[tool]), ['propertyNames'])
}

/** Schema keywords for a value's bounds, which are useful to the sender of a value but not to its reader. */
const BOUNDS = ['maxLength', 'minLength', 'minimum', 'exclusiveMinimum', 'maximum', 'minItems', 'maxItems']

/** Returns a tool's output as JSON Schema, without patterns, which only input needs and which RE2 may reject. */
function outputSchemaOf(tool: ToolName): JsonSchema {
  return tidy(toJsonSchema(OUTPUTS[tool]), ['propertyNames', 'pattern', ...BOUNDS])
}

/** Removes keywords that clients cannot use, and replaces lists of types with `anyOf`, because strict clients do not support such lists. */
function tidy(schema: JsonSchema, dropped: readonly string[]): JsonSchema {
  const { type, anyOf, properties, items, additionalProperties, ...rest } = schema
  const under = (part: z.core.JSONSchema._JSONSchema) => (typeof part === 'boolean' ? part : tidy(part, dropped))
  const types = Array.isArray(type) ? type.map((each): JsonSchema => ({ type: each })) : undefined
  const tidied: JsonSchema = {
    ...(types || type === undefined ? {} : { type }),
    // The alternatives need no description, because the field itself has one.
    ...(anyOf || types ? { anyOf: (anyOf ?? types!).map((part) => withoutDescription(tidy(part, dropped))) } : {}),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, under(part)])),
    }),
    ...(items !== undefined && { items: Array.isArray(items) ? items.map(under) : under(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: emitOpenSchema(under(additionalProperties)) }),
    ...rest,
  }
  for (const key of dropped) Reflect.deleteProperty(tidied, key)
  // zod emits the largest safe integer as a maximum, but this is not a limit of the hub.
  if (tidied.maximum === Number.MAX_SAFE_INTEGER) delete tidied.maximum
  return tidied
}

/** Emits a schema that allows anything as `true`, because the Inspector warns about an empty one. */
function emitOpenSchema(part: z.core.JSONSchema._JSONSchema): z.core.JSONSchema._JSONSchema {
  return typeof part !== 'boolean' && Object.keys(part).length === 0 ? true : part
}

function withoutDescription({ description: _, ...rest }: JsonSchema): JsonSchema {
  return rest
}

/** All tools, as returned by `tools/list`. All hints are set, because a tool without hints is assumed to be destructive. */
export const TOOLS = TOOL_NAMES.map((name) => ({
  name,
  title: WORDS[name].title,
  description: WORDS[name].description,
  inputSchema: inputSchemaOf(name),
  outputSchema: outputSchemaOf(name),
  annotations: {
    title: WORDS[name].title,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
}))
