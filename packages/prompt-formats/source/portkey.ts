// Portkey's prompts and partials, as its REST API returns them: a Mustache text, or messages as JSON. https://github.com/Portkey-AI/openapi
import { isObject } from '../../../src/domain/text/json.ts'
import { joinParts, PlaceholderNames, readList, readMessages } from './messages.ts'
import { addSettings } from './parameters.ts'
import { emptyPrompt, type ReadResult } from './portable.ts'
import { References } from './references.ts'
import { readEach, textOf } from './source-file.ts'
import { readBraces } from './template.ts'

/** Fields that are not about the prompt itself. The hub assigns its own version numbers. */
const SILENT =
  `id collection_id virtual_key status created_at last_updated_at object is_raw_template version version_description
  prompt_partial_id prompt_partial_version_id prompt_version prompt_version_id prompt_version_status
  prompt_version_description prompt_version_label_id workspace_id`.split(/\s+/)
/** What a prompt says about tools and its output. */
const TOOL_KEYS = ['tools', 'tool_choice', 'functions', 'function_call', 'response_format']
const KNOWN = { text: ['name', 'slug', 'model'], object: ['parameters'], other: ['string', ...TOOL_KEYS, ...SILENT] }
/** Reads a prompt or a partial, or a list of them. @param name file name without extension */
export function readPortkey(source: string, name: string): ReadResult {
  return readEach(source, (value, findings) => {
    if (!isObject(value) || typeof value.string !== 'string')
      return findings.refused(
        'string',
        'expected an object with a string; the list of prompts has no texts, so fetch each prompt',
      )
    const slug = textOf(value.slug)
    const prompt = emptyPrompt(textOf(value.name) || slug || name)
    prompt.changelog = textOf(value.prompt_version_description) || textOf(value.version_description)
    if (isObject(value.parameters)) addSettings(prompt.parameters, value.parameters, findings, 'parameters.')
    const tools = Object.entries(value).filter(([key]) => TOOL_KEYS.includes(key))
    addSettings(prompt.parameters, Object.fromEntries(tools), findings)
    if (typeof value.model === 'string') prompt.parameters.model = value.model
    findings.unsupported(value, KNOWN)
    const references = new References('portkey')
    const names = new PlaceholderNames()
    const fill = (text: string) => names.take(readBraces(text, 'mustache', findings, 1, references))
    const readText = ({ content }: Record<string, unknown>) => {
      const text = Array.isArray(content) && content.length === 0 ? undefined : joinParts(content, findings)
      return text === undefined ? undefined : fill(text)
    }
    const expected = 'expected a role (system, user or assistant) and parts of text'
    const messages = parseList(value.string)
    prompt.body = messages
      ? readMessages(readList(messages, { findings, key: 'string', readText, expected }), findings)
      : { format: 'text', text: fill(value.string) }
    prompt.variables = names.variables
    return { ...prompt, ...references.fields([slug, textOf(value.id)]) }
  })
}

/** @returns undefined for a text, also for one that only begins like a list */
function parseList(text: string): readonly unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((one) => isObject(one) && 'role' in one) ? value : undefined
  } catch {
    return undefined
  }
}
