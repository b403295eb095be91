// Converts model settings of other tools to the hub's names, which are those of OpenAI's Chat Completions, and back. src/pages/docs/filling.md
import type { Parameters } from '../../../src/domain/api/schema.ts'
import { ParametersInput } from '../../../src/domain/content/front-matter.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import type { ConversionProblems } from './portable.ts'
import { textOf } from './source-file.ts'

type Settings = Readonly<Record<string, unknown>>

/** Google's and Microsoft's names of parameters. */
export const CAMEL_CASE = {
  topP: 'top_p',
  topK: 'top_k',
  maxOutputTokens: 'max_tokens',
  stopSequences: 'stop',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
}

/** Other names of parameters in the APIs of OpenAI and Anthropic. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_tokens'],
  ['max_output_tokens', 'max_tokens'],
  ['stop_sequences', 'stop'],
])

/** Converts parameter names to and from another tool's spelling. */
export class ParameterNames {
  readonly #toHub: ReadonlyMap<string, string>
  readonly #fromHub: ReadonlyMap<string, string>

  /** @param pairs the other tool's name → the hub's name; of several for one, the last is written */
  constructor(pairs: Readonly<Record<string, string>>) {
    this.#toHub = new Map([...OTHER_NAMES, ...Object.entries(pairs)])
    this.#fromHub = new Map(Object.entries(pairs).map(([theirs, ours]) => [ours, theirs]))
  }

  /** Returns settings in the hub's names. Of two names for one setting, the first counts. @param prefix of their names in findings */
  toHub(settings: Settings, findings: ConversionProblems, prefix = ''): Parameters {
    const named = new Map<string, unknown>()
    for (const [key, value] of Object.entries(settings)) {
      const name = this.#toHub.get(key) ?? key
      if (!named.has(name)) named.set(name, value)
      else if (named.get(name) !== value)
        findings.lost(`${prefix}${key}`, `the file sets ${name} under another name, too`)
    }
    return Object.fromEntries(named)
  }

  fromHub(parameters: Parameters): Record<string, unknown> {
    return Object.fromEntries(Object.entries(parameters).map(([key, value]) => [this.#fromHub.get(key) ?? key, value]))
  }
}

const OPENAI = new ParameterNames({})

/**
 * Adds settings that have the form of OpenAI's APIs to the parameters of a prompt, tools and output schemas included. The form of Responses becomes that of Chat Completions.
 *
 * @param prefix of their names in findings
 */
export function addSettings(parameters: Parameters, given: Settings, findings: ConversionProblems, prefix = ''): void {
  const { text, response_format, tools, functions, tool_choice, function_call, ...rest } = given
  Object.assign(parameters, OPENAI.toHub(rest, findings, prefix))
  const { format, verbosity, ...unknown } = isObject(text) ? text : { text }
  if (verbosity !== undefined && verbosity !== null) parameters.verbosity = verbosity
  findings.unsupported(unknown, {}, undefined, `${prefix}text.`)
  const output = response_format ?? (isObject(format) ? nestFormat(format) : format)
  addLarge(parameters, { response_format: output }, findings, prefix)
  const listed = [...listOf(tools, `${prefix}tools`, findings), ...listOf(functions, `${prefix}functions`, findings)]
  const isLegacy = tools === undefined || tools === null
  const choice = tool_choice ?? function_call
  addLarge(
    parameters,
    {
      tools: listed.length > 0 ? listed.map((tool) => readTool(tool, findings, `${prefix}tools`, isLegacy)) : undefined,
      tool_choice: isObject(choice) ? nestFunction(choice) : choice,
    },
    findings,
    prefix,
  )
}

/** Adds values that may be too large or too deep for the parameters of a version; without them, the prompt can still be imported. */
export function addLarge(parameters: Parameters, values: Settings, findings: ConversionProblems, prefix = ''): void {
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined || value === null) continue
    const { error } = ParametersInput.safeParse({ ...parameters, [key]: value })
    if (error) findings.lost(`${prefix}${key}`, `of all parameters: ${error.issues[0]!.message}`)
    else parameters[key] = value
  }
}

/** Returns the `response_format` for a schema. @param name as OpenAI wants it, of letters, digits, `_` and `-` */
export function formatSchema(schema: unknown, { name = '', ...rest }: { name?: string | undefined } & Settings = {}) {
  const own = name || (isObject(schema) ? textOf(schema.title) : '')
  const safe = own.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64)
  return { type: 'json_schema', json_schema: { name: safe.replace(/^_+|_+$/g, '') || 'output', ...rest, schema } }
}

/** The `text.format` of Responses is flat. */
function nestFormat({ type, ...rest }: Settings): Settings {
  return type === 'json_schema' && rest.json_schema === undefined
    ? { type, json_schema: rest }
    : { ...(type !== undefined && { type }), ...rest }
}

/** A function of Responses is flat. */
function nestFunction({ type, ...rest }: Settings): Settings {
  const isFlat = (type === 'function' || type === undefined) && rest.function === undefined
  return isFlat ? { type: 'function', function: rest } : { ...(type !== undefined && { type }), ...rest }
}

function listOf(value: unknown, field: string, findings: ConversionProblems): readonly unknown[] {
  if (Array.isArray(value)) {
    const known = value.filter((one) => isObject(one) || typeof one === 'string')
    if (known.length < value.length) findings.lost(field, 'expected tools, as objects or names')
    return known
  }
  if (value !== undefined && value !== null) findings.lost(field, 'expected a list')
  return []
}

/** What a tool's definition says about the connection to it, which may be a key. */
const CONNECTION = ['authorization', 'headers', 'connection']

function readTool(tool: unknown, findings: ConversionProblems, field: string, isLegacy: boolean): unknown {
  if (!isObject(tool)) return tool
  const kept = withoutConnection(tool, findings, field)
  const config = isObject(kept.config) ? { config: withoutConnection(kept.config, findings, `${field}.config`) } : {}
  const isFunction = kept.type === 'function' || (isLegacy && kept.type === undefined)
  return isFunction ? nestFunction(kept) : { ...kept, ...config }
}

function withoutConnection(given: Settings, findings: ConversionProblems, field: string): Settings {
  const keys = CONNECTION.filter((key) => Object.hasOwn(given, key))
  for (const key of keys) findings.lost(`${field}.${key}`, 'no part of a connection is imported')
  return Object.fromEntries(Object.entries(given).filter(([key]) => !keys.includes(key)))
}
