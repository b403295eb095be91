// Turns messages and a prompt's parameters into the object that a model SDK takes.
import { type ChatMessage, forAnthropic } from './chat.ts'
import { isObject } from './records.ts'
import { PromptHubError } from './trouble.ts'

/** A JSON schema. The author wrote it, so its type is only known to be an object; each SDK has a type of its own. */
// biome-ignore lint/suspicious/noExplicitAny: unknown would be assignable to none of them
export type JsonSchema = any

/** Settings with the same name and type in most SDKs. */
interface Sampling {
  temperature?: number
  top_p?: number
}

/** Argument of `chat.completions.create` of the package `openai`. */
export interface OpenAIChatCall extends Sampling {
  model?: string
  messages: ChatMessage[]
  max_completion_tokens?: number
  stop?: string[]
  seed?: number
  presence_penalty?: number
  frequency_penalty?: number
  response_format?:
    | { type: 'text' | 'json_object' }
    | { type: 'json_schema'; json_schema: { name: string; schema: JsonSchema } }
  tools?: { type: 'function'; function: { name: string; description?: string; parameters?: JsonSchema } }[]
}

/** Argument of `responses.create` of the package `openai`. */
export interface OpenAIResponsesCall extends Sampling {
  model?: string
  input: ChatMessage[]
  max_output_tokens?: number
  text?: { format: { type: 'text' | 'json_object' } | { type: 'json_schema'; name: string; schema: JsonSchema } }
  tools?: { type: 'function'; name: string; description?: string; parameters: JsonSchema; strict: boolean }[]
}

/** Argument of `messages.create` of the package `@anthropic-ai/sdk`. */
export interface AnthropicCall extends Sampling {
  model?: string
  system?: string
  messages: { role: 'user' | 'assistant'; content: string }[]
  /** Required by Anthropic. */
  max_tokens?: number
  top_k?: number
  stop_sequences?: string[]
  output_config?: { format: { type: 'json_schema'; schema: JsonSchema } }
  tools?: { name: string; description?: string; input_schema: JsonSchema }[]
}

/** Argument of `models.generateContent` of the package `@google/genai`. */
export interface GeminiCall {
  model?: string
  contents: { role: 'user' | 'model'; parts: { text: string }[] }[]
  config: {
    systemInstruction?: string
    temperature?: number
    topP?: number
    topK?: number
    maxOutputTokens?: number
    stopSequences?: string[]
    seed?: number
    presencePenalty?: number
    frequencyPenalty?: number
    responseMimeType?: 'text/plain' | 'application/json'
    responseJsonSchema?: JsonSchema
    tools?: {
      functionDeclarations: { name: string; description?: string; parametersJsonSchema: JsonSchema }[]
    }[]
  }
}

/** Arguments of `generateText` and `streamText` of the package `ai`, without `model`, which is an object of a provider's package. */
export interface AiSdkCall {
  system?: string
  messages: { role: 'user' | 'assistant'; content: string }[]
  temperature?: number
  topP?: number
  topK?: number
  maxOutputTokens?: number
  stopSequences?: string[]
  seed?: number
  presencePenalty?: number
  frequencyPenalty?: number
  /** What `Output.object` and `Output.json` make. */
  output?: {
    name: string
    responseFormat: PromiseLike<{ type: 'json'; schema?: JsonSchema; name?: string; description?: string }>
    parseCompleteOutput(given: { text: string }): Promise<JsonSchema>
    parsePartialOutput(): Promise<undefined>
    createElementStreamTransform(): undefined
  }
  tools?: Record<string, { description?: string; inputSchema: JsonSchema }>
}

/** The arguments, by SDK. */
export interface ModelCalls {
  'openai-chat': OpenAIChatCall
  'openai-responses': OpenAIResponsesCall
  anthropic: AnthropicCall
  gemini: GeminiCall
  'ai-sdk': AiSdkCall
}

/** How a parameter is written for an SDK: the keys to add, or undefined if the SDK cannot take it. */
type Writer = (value: unknown) => Record<string, unknown> | undefined

const asNumber =
  (key: string, highest = Number.POSITIVE_INFINITY): Writer =>
  (value) =>
    typeof value === 'number' && value <= highest ? { [key]: value } : undefined
const asText =
  (key: string): Writer =>
  (value) =>
    typeof value === 'string' ? { [key]: value } : undefined
const asTexts =
  (key: string): Writer =>
  (value) => {
    const texts = typeof value === 'string' ? [value] : value
    return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? { [key]: texts } : undefined
  }

interface Tool {
  name: string
  description?: string
  parameters?: JsonSchema
  strict?: boolean
}

/** Writes functions that the model may call. */
const asTools =
  (write: (tools: Tool[]) => Record<string, unknown>): Writer =>
  (value) => {
    if (!Array.isArray(value)) return undefined
    const tools = value.map((each: unknown) => (isObject(each) && each.type === 'function' ? each.function : undefined))
    return tools.every((tool) => isObject(tool) && typeof tool.name === 'string')
      ? write(tools as unknown as Tool[])
      : undefined
  }

interface Format {
  type: 'text' | 'json_object' | 'json_schema'
  /** Of the type `json_schema`. */
  json: { name: string; schema: JsonSchema; description?: string; strict?: boolean }
}

/** Writes the format of the output. */
const asFormat =
  (write: (format: Format) => Record<string, unknown> | undefined): Writer =>
  (value) => {
    const { type, json_schema: json } = isObject(value) ? value : {}
    if (type === 'text' || type === 'json_object') return write({ type, json: { name: '', schema: undefined } })
    const isSchema = isObject(json) && typeof json.name === 'string' && isObject(json.schema)
    return type === 'json_schema' && isSchema ? write({ type, json: json as unknown as Format['json'] }) : undefined
  }

/** A schema of a function without parameters. */
const NOTHING = { type: 'object', properties: {} }
const withDescription = ({ description }: Tool) => (description === undefined ? {} : { description })

/** The schema as the AI SDK takes it, which its function `jsonSchema` would make. */
const aiSchema = (schema: JsonSchema) => ({
  [Symbol.for('vercel.ai.schema')]: true,
  jsonSchema: schema,
  validate: undefined,
})

const WRITERS: Record<keyof ModelCalls, Record<string, Writer>> = {
  'openai-chat': {
    model: asText('model'),
    temperature: asNumber('temperature'),
    top_p: asNumber('top_p'),
    max_tokens: asNumber('max_completion_tokens'),
    stop: asTexts('stop'),
    seed: asNumber('seed'),
    presence_penalty: asNumber('presence_penalty'),
    frequency_penalty: asNumber('frequency_penalty'),
    response_format: asFormat(({ type, json }) => ({
      response_format: type === 'json_schema' ? { type, json_schema: json } : { type },
    })),
    tools: asTools((tools) => ({ tools: tools.map((tool) => ({ type: 'function', function: tool })) })),
  },
  'openai-responses': {
    model: asText('model'),
    temperature: asNumber('temperature'),
    top_p: asNumber('top_p'),
    max_tokens: asNumber('max_output_tokens'),
    response_format: asFormat(({ type, json }) => ({
      text: { format: type === 'json_schema' ? { type, ...json } : { type } },
    })),
    // Unlike Chat Completions, Responses take a function without `strict` for a strict one.
    tools: asTools((tools) => ({
      tools: tools.map((tool) => ({ type: 'function', parameters: NOTHING, strict: false, ...tool })),
    })),
  },
  anthropic: {
    model: asText('model'),
    temperature: asNumber('temperature', 1),
    top_p: asNumber('top_p'),
    top_k: asNumber('top_k'),
    max_tokens: asNumber('max_tokens'),
    stop: asTexts('stop_sequences'),
    response_format: asFormat(({ type, json }) =>
      type === 'json_schema'
        ? { output_config: { format: { type, schema: json.schema } } }
        : type === 'text'
          ? {}
          : undefined,
    ),
    tools: asTools((tools) => ({
      tools: tools.map((tool) => ({
        name: tool.name,
        ...withDescription(tool),
        input_schema: tool.parameters ?? NOTHING,
      })),
    })),
  },
  gemini: {
    model: asText('model'),
    temperature: asNumber('temperature'),
    top_p: asNumber('topP'),
    top_k: asNumber('topK'),
    max_tokens: asNumber('maxOutputTokens'),
    stop: asTexts('stopSequences'),
    seed: asNumber('seed'),
    presence_penalty: asNumber('presencePenalty'),
    frequency_penalty: asNumber('frequencyPenalty'),
    response_format: asFormat(({ type, json }) => ({
      responseMimeType: type === 'text' ? 'text/plain' : 'application/json',
      ...(type === 'json_schema' && { responseJsonSchema: json.schema }),
    })),
    tools: asTools((tools) => ({
      tools: [
        {
          functionDeclarations: tools.map((tool) => ({
            name: tool.name,
            ...withDescription(tool),
            parametersJsonSchema: tool.parameters ?? NOTHING,
          })),
        },
      ],
    })),
  },
  'ai-sdk': {
    // The caller passes the model: an object of a provider's package.
    model: (value) => (typeof value === 'string' ? {} : undefined),
    temperature: asNumber('temperature'),
    top_p: asNumber('topP'),
    top_k: asNumber('topK'),
    max_tokens: asNumber('maxOutputTokens'),
    stop: asTexts('stopSequences'),
    seed: asNumber('seed'),
    presence_penalty: asNumber('presencePenalty'),
    frequency_penalty: asNumber('frequencyPenalty'),
    response_format: asFormat(({ type, json: { name, schema, description } }) => {
      const details = schema === undefined ? {} : { schema, name, ...(description !== undefined && { description }) }
      const output = {
        name: schema === undefined ? 'json' : 'object',
        responseFormat: Promise.resolve({ type: 'json', ...details }),
        parseCompleteOutput: async ({ text }: { text: string }) => JSON.parse(text),
        parsePartialOutput: async () => undefined,
        createElementStreamTransform: () => undefined,
      }
      return type === 'text' ? {} : { output }
    }),
    tools: asTools((tools) => ({
      tools: Object.fromEntries(
        tools.map((tool) => [
          tool.name,
          { ...withDescription(tool), inputSchema: aiSchema(tool.parameters ?? NOTHING) },
        ]),
      ),
    })),
  },
}

/**
 * The object to pass to an SDK.
 *
 * @param drop leaves out the parameters that the SDK cannot take
 * @throws PromptHubError `invalid_request` for an unknown SDK, and naming every parameter that it cannot take
 */
export function callFor<Target extends keyof ModelCalls>(
  target: Target,
  messages: ChatMessage[],
  parameters: Readonly<Record<string, unknown>>,
  drop: boolean,
): ModelCalls[Target] {
  if (!Object.hasOwn(WRITERS, target)) {
    const known = Object.keys(WRITERS).join(', ')
    throw new PromptHubError('invalid_request', `for: expected one of ${known}, got ${JSON.stringify(target)}`)
  }
  const writers: Record<string, Writer> = WRITERS[target]
  const settings: Record<string, unknown> = {}
  const refused: string[] = []
  for (const [key, value] of Object.entries(parameters)) {
    const written = Object.hasOwn(writers, key) ? writers[key]!(value) : undefined
    if (written) Object.assign(settings, written)
    else refused.push(key)
  }
  if (refused.length > 0 && !drop)
    throw new PromptHubError(
      'invalid_request',
      `${target} cannot take ${refused.map((key) => `${key} (${JSON.stringify(parameters[key])?.slice(0, 60)})`).join(', ')}; drop: true leaves out what it cannot take`,
    )
  return withMessages(target, messages, settings) as ModelCalls[Target]
}

function withMessages(target: keyof ModelCalls, messages: ChatMessage[], settings: Record<string, unknown>): object {
  if (target === 'openai-chat') return { messages, ...settings }
  if (target === 'openai-responses') return { input: messages, ...settings }
  const { system, messages: turns } = forAnthropic(messages)
  if (target !== 'gemini') return { ...(system !== undefined && { system }), messages: turns, ...settings }
  const { model, ...config } = settings
  const contents = turns.map(({ role, content }) => ({
    role: role === 'assistant' ? 'model' : 'user',
    parts: [{ text: content }],
  }))
  const instruction = system !== undefined && { systemInstruction: system }
  return { ...(model !== undefined && { model }), contents, config: { ...instruction, ...config } }
}
