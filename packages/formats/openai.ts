// OpenAI's prompt objects: the prompt itself, or a saved response that was made with it. https://platform.openai.com/docs/api-reference/responses/object
import type { Variable } from '../../src/domain/api/schema.ts'
import { findPlaceholders } from '../../src/domain/content/placeholders.ts'
import { readMessages } from './github.ts'
import { declareAll, ParameterNames, toVariable } from './names.ts'
import { ConversionProblems, emptyPrompt, type PortableMessage, type ReadResult, textsOf } from './portable.ts'
import { isObject, readEach, textOf } from './source-file.ts'
import { clip } from './template.ts'

const PARAMETERS = new ParameterNames({ max_output_tokens: 'max_tokens' })
/** The settings of a response, and of a prompt. */
const SETTINGS = `model temperature top_p max_output_tokens reasoning text tool_choice parallel_tool_calls truncation
  verbosity service_tier`.split(/\s+/)
/** Fields of a response that are not about the prompt. The hub assigns its own version numbers. */
const SILENT = new Set(
  `id object created created_at completed_at updated_at status error incomplete_details output output_text usage user
  background billing conversation previous_response_id store safety_identifier prompt_cache_key prompt_cache_retention
  max_tool_calls top_logprobs frequency_penalty presence_penalty version is_default`.split(/\s+/),
)
const KNOWN = new Set(['name', 'description', 'instructions', 'input', 'prompt', 'variables', ...SETTINGS])
const ROLES: Readonly<Record<string, 'system' | 'user' | 'assistant'>> = {
  ...{ system: 'system', developer: 'system', user: 'user', assistant: 'assistant' },
}
const TEXT_PARTS = new Set(['input_text', 'output_text', 'text'])

/** Returns whether an object is a prompt, a response, or a request that names a prompt. */
export function isOpenAI(value: Record<string, unknown>): boolean {
  const prompt = isObject(value.prompt) ? value.prompt : {}
  const isOwn = value.object === 'response' || value.object === 'prompt'
  return isOwn || [value.id, prompt.id].some((id) => textOf(id).startsWith('pmpt_'))
}

/** Reads a prompt, or a response that was made with one, or a list of them. @param name file name without extension */
export function readOpenAI(source: string, name: string): ReadResult {
  return readEach(source, (value, part) => readOne(value, name, part))
}

function readOne(value: unknown, fallback: string, part: string | undefined): ReadResult {
  const findings = new ConversionProblems()
  if (!isObject(value)) {
    findings.refused('prompt', 'expected an object')
    return { prompts: [], findings: findings.all }
  }
  const named = isObject(value.prompt) ? value.prompt : {}
  const id = textOf(value.object === 'prompt' ? value.id : named.id)
  const prompt = emptyPrompt(textOf(value.name) || (part === undefined ? '' : id) || fallback)
  prompt.title = textOf(value.name)
  prompt.description = textOf(value.description)
  if (part !== undefined) prompt.part = part
  if (value.instructions === undefined && value.input === undefined) {
    findings.refused(
      'prompt',
      `this names the prompt ${clip(id)}, but has no text; save a response that was made with it`,
    )
    return { prompts: [], findings: findings.all }
  }
  findings.unsupported(value, KNOWN.union(SILENT))
  const settings = Object.entries(value).filter(([key, one]) => SETTINGS.includes(key) && one !== null)
  prompt.parameters = PARAMETERS.toHub(Object.fromEntries(settings))
  const messages = [...readItems(value.instructions, 'system', findings), ...readItems(value.input, 'user', findings)]
  prompt.body = readMessages(messages, findings)
  const values = isObject(value.variables) ? value.variables : isObject(named.variables) ? named.variables : {}
  const names = [...new Set(textsOf(prompt.body).flatMap(findPlaceholders))]
  prompt.variables = declareAll(names, describe(values, new Set(names), findings))
  return findings.result(prompt)
}

/** Reads `instructions` or `input`: a text, or a list of messages. @param role of a text */
function readItems(given: unknown, role: 'system' | 'user', findings: ConversionProblems): PortableMessage[] {
  if (given === undefined || given === null) return []
  const items: readonly unknown[] = Array.isArray(given) ? given : [{ role, content: given }]
  return items.flatMap((item): PortableMessage[] => {
    const own = isObject(item) && Object.hasOwn(ROLES, textOf(item.role)) ? ROLES[textOf(item.role)] : undefined
    const content = isObject(item) ? readContent(item.content) : undefined
    if (!own || content === undefined) {
      findings.refused(
        'messages',
        'expected a role (developer, system, user or assistant) and text, without files or images',
      )
      return []
    }
    return content.trim() === '' ? [] : [{ role: own, content }]
  })
}

/** @returns undefined if a part is not text */
function readContent(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = content.map((part) =>
    isObject(part) && TEXT_PARTS.has(textOf(part.type)) && typeof part.text === 'string' ? part.text : undefined,
  )
  return texts.includes(undefined) ? undefined : texts.join('\n')
}

/** Takes the values of a response as examples. A value whose placeholder is gone was filled into the text. */
function describe(
  values: Readonly<Record<string, unknown>>,
  used: ReadonlySet<string>,
  findings: ConversionProblems,
): Map<string, Variable> {
  const variables = new Map<string, Variable>()
  for (const [name, example] of Object.entries(values)) {
    if (!used.has(name)) findings.lost(`variables.${clip(name)}`, 'the text has its value instead of its placeholder')
    else if (typeof example === 'string')
      variables.set(name, toVariable(name, { type: 'string', required: true, example }, findings))
    else findings.lost(`variables.${name}`, 'its value is not text')
  }
  return variables
}
