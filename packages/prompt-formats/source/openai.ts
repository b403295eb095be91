// OpenAI's prompt objects: the prompt itself, or a saved response that was made with it. https://platform.openai.com/docs/api-reference/responses/object
import type { Variable } from '../../../src/domain/api/schema.ts'
import { findPlaceholders } from '../../../src/domain/content/placeholders.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { joinParts, readList, readMessages } from './messages.ts'
import { declareAll, toVariable } from './names.ts'
import { addSettings } from './parameters.ts'
import { type ConversionProblems, emptyPrompt, type PortableMessage, type ReadResult, textsOf } from './portable.ts'
import { readEach, textOf } from './source-file.ts'
import { clip } from './template.ts'

/** The settings of a response, and of a prompt. */
const SETTINGS =
  `model temperature top_p max_output_tokens reasoning text tools tool_choice parallel_tool_calls truncation
  verbosity service_tier`.split(/\s+/)
/** Settings that every response names, also if they are not set: with null or 0. */
const OFTEN_UNSET = ['max_tool_calls', 'top_logprobs', 'frequency_penalty', 'presence_penalty']
/** Fields of a response that are not about the prompt. The hub assigns its own version numbers. */
const SILENT =
  `id object created created_at completed_at updated_at status error incomplete_details output output_text usage user
  background billing conversation previous_response_id store safety_identifier prompt_cache_key prompt_cache_retention
  version is_default`.split(/\s+/)
const KNOWN = {
  text: ['name', 'description'],
  object: ['variables'],
  other: ['instructions', 'input', 'prompt', ...SETTINGS, ...OFTEN_UNSET, ...SILENT],
}
const TEXT_PARTS = ['input_text', 'output_text', 'text']

/** Returns whether an object is a prompt, a response, or a request that names a prompt. */
export function isOpenAI(value: Record<string, unknown>): boolean {
  const prompt = isObject(value.prompt) ? value.prompt : {}
  const isOwn = value.object === 'response' || value.object === 'prompt'
  return isOwn || [value.id, prompt.id].some((id) => textOf(id).startsWith('pmpt_'))
}

/** Reads a prompt, or a response that was made with one, or a list of them. @param name file name without extension */
export function readOpenAI(source: string, name: string): ReadResult {
  return readEach(source, (value, findings, part) => {
    if (!isObject(value)) return findings.refused('prompt', 'expected an object')
    const named = isObject(value.prompt) ? value.prompt : {}
    const id = textOf(value.object === 'prompt' ? value.id : named.id)
    if (value.instructions === undefined && value.input === undefined)
      return findings.refused(
        'prompt',
        `this names the prompt ${clip(id)}, but has no text; save a response that was made with it`,
      )
    const prompt = emptyPrompt(textOf(value.name) || (part === undefined ? '' : id) || name)
    prompt.title = textOf(value.name)
    prompt.description = textOf(value.description)
    findings.unsupported(value, KNOWN)
    const settings = Object.entries(value).filter(
      ([key, one]) => (SETTINGS.includes(key) && one !== null) || (OFTEN_UNSET.includes(key) && Boolean(one)),
    )
    addSettings(prompt.parameters, Object.fromEntries(settings), findings)
    const messages = [...readItems(value.instructions, 'system', findings), ...readItems(value.input, 'user', findings)]
    prompt.body = readMessages(messages, findings)
    const values = isObject(value.variables) ? value.variables : isObject(named.variables) ? named.variables : {}
    const names = [...new Set(textsOf(prompt.body).flatMap(findPlaceholders))]
    prompt.variables = declareAll(names, describe(values, new Set(names), findings))
    return prompt
  })
}

/** Reads `instructions` or `input`: a text, or a list of messages. @param role of a text */
function readItems(given: unknown, role: 'system' | 'user', findings: ConversionProblems): PortableMessage[] {
  if (given === undefined || given === null) return []
  const expected = 'expected a role (developer, system, user or assistant) and text, without files or images'
  const readText = ({ content }: Record<string, unknown>) => joinParts(content, findings, TEXT_PARTS)
  const list = Array.isArray(given) ? given : [{ role, content: given }]
  return readList(list, { findings, key: 'messages', readText, expected })
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
