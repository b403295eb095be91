// Portkey's prompts and partials, as its REST API returns them: a Mustache text, or messages as JSON. https://github.com/Portkey-AI/openapi
import { undeclaredVariable } from '../../src/domain/content/prompt-file.ts'
import { readMessages } from './github.ts'
import {
  ConversionProblems,
  emptyPrompt,
  type PortableMessage,
  type PortablePrompt,
  type ReadResult,
} from './portable.ts'
import { References } from './references.ts'
import { isObject, readEach, textOf } from './source-file.ts'
import { readBraces } from './template.ts'

const KNOWN = new Set(['name', 'slug', 'string', 'parameters', 'model'])
/** Fields that are not about the prompt itself. The hub assigns its own version numbers. */
const SILENT = new Set(
  `id collection_id virtual_key status created_at last_updated_at object is_raw_template version version_description
  prompt_partial_id prompt_partial_version_id prompt_version prompt_version_id prompt_version_status
  prompt_version_description prompt_version_label_id workspace_id`.split(/\s+/),
)
const ROLES: Readonly<Record<string, 'system' | 'user' | 'assistant'>> = {
  ...{ system: 'system', developer: 'system', user: 'user', assistant: 'assistant' },
}

/** Reads a prompt or a partial, or a list of them. @param name file name without extension */
export function readPortkey(source: string, name: string): ReadResult {
  return readEach(source, (value, part) => readOne(value, name, part))
}

function readOne(value: unknown, fallback: string, part: string | undefined): ReadResult {
  const findings = new ConversionProblems()
  if (!isObject(value) || typeof value.string !== 'string') {
    findings.refused(
      'string',
      'expected an object with a string; the list of prompts has no texts, so fetch each prompt',
    )
    return { prompts: [], findings: findings.all }
  }
  const slug = textOf(value.slug)
  const prompt = emptyPrompt(textOf(value.name) || slug || fallback)
  prompt.changelog = textOf(value.prompt_version_description) || textOf(value.version_description)
  if (part !== undefined) prompt.part = part
  if (isObject(value.parameters)) Object.assign(prompt.parameters, value.parameters)
  if (typeof value.model === 'string') prompt.parameters.model = value.model
  const rest = Object.entries(value).filter(([key, one]) => !SILENT.has(key) && !isEmpty(one))
  findings.unsupported(Object.fromEntries(rest), KNOWN)
  const references = new References('portkey')
  const names = new Set<string>()
  prompt.body = readBody(value.string, { names, references }, findings)
  prompt.variables = [...names].map(undeclaredVariable)
  return findings.result({ ...prompt, ...references.fields([slug, textOf(value.id)]) })
}

const isEmpty = (value: unknown) =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0) || value === ''

/** What is found in the texts of a prompt. */
interface Found {
  names: Set<string>
  references: References
}

function readBody(text: string, found: Found, findings: ConversionProblems): PortablePrompt['body'] {
  const messages = text.trimStart().startsWith('[') ? parseList(text) : undefined
  if (messages) return readMessages(readList(messages, found, findings), findings)
  return { format: 'text', text: fill(text, found, findings) }
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((one) => isObject(one) && 'role' in one) ? value : undefined
  } catch {
    // A text that only begins like a list.
    return undefined
  }
}

function readList(list: readonly unknown[], found: Found, findings: ConversionProblems): PortableMessage[] {
  return list.flatMap((one): PortableMessage[] => {
    const role = isObject(one) && Object.hasOwn(ROLES, textOf(one.role)) ? ROLES[textOf(one.role)] : undefined
    const content = isObject(one) ? one.content : undefined
    const parts =
      typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : []
    const texts = parts.map((part) => (isObject(part) && part.type === 'text' ? textOf(part.text) : undefined))
    if (!role || parts.length === 0 || texts.includes(undefined)) {
      findings.refused('string', 'expected a role (system, user or assistant) and parts of text')
      return []
    }
    const filled = fill(texts.join('\n'), found, findings)
    return filled.trim() === '' ? [] : [{ role, content: filled }]
  })
}

function fill(text: string, { names, references }: Found, findings: ConversionProblems): string {
  const read = readBraces(text, 'mustache', findings, 1, references)
  for (const name of read.names) names.add(name)
  return read.text
}
