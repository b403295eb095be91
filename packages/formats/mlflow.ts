// MLflow's prompt versions as JSON: a text or messages with `{{name}}`, with or without spaces. https://mlflow.org/docs/latest/genai/prompt-registry/
import { undeclaredVariable } from '../../src/domain/content/prompt-file.ts'
import { readMessages } from './github.ts'
import { ConversionProblems, emptyPrompt, type PortableMessage, type ReadResult } from './portable.ts'
import { isObject, readEach, textOf } from './source-file.ts'
import { readBraces } from './template.ts'

const KNOWN = new Set(['name', 'template', 'commit_message'])
/** Fields that are not about the prompt itself. The hub assigns its own version numbers. */
const SILENT = new Set('version creation_timestamp last_updated_timestamp user_id uri prompt_type variables'.split(' '))
const ROLES: Readonly<Record<string, 'system' | 'user' | 'assistant'>> = {
  ...{ system: 'system', developer: 'system', user: 'user', assistant: 'assistant' },
}

/** Reads a version of a prompt, or a list of them. @param name file name without extension */
export function readMlflow(source: string, name: string): ReadResult {
  return readEach(source, (value, part) => readOne(value, name, part))
}

function readOne(value: unknown, fallback: string, part: string | undefined): ReadResult {
  const findings = new ConversionProblems()
  if (!isObject(value) || value.template === undefined) {
    findings.refused('template', 'expected an object with a template')
    return { prompts: [], findings: findings.all }
  }
  const prompt = emptyPrompt(textOf(value.name) || fallback)
  prompt.changelog = textOf(value.commit_message)
  if (part !== undefined) prompt.part = part
  const empty = (one: unknown) =>
    one === null || (isObject(one) || Array.isArray(one) ? Object.keys(one).length === 0 : false)
  const given = Object.fromEntries(Object.entries(value).filter(([, one]) => !empty(one)))
  findings.unsupported(given, KNOWN.union(SILENT).union(new Set(['tags'])))
  if (isObject(value.tags)) findings.unsupported(value.tags, new Set(), undefined, 'tags.')
  const names = new Set<string>()
  const fill = (text: string) => {
    // MLflow reads a text with `{%` as Jinja, and leaves other braces as they are in all other texts.
    const read = readBraces(text, /\{%/.test(text) ? 'jinja2' : 'literal', findings)
    for (const one of read.names) names.add(one)
    return read.text
  }
  if (typeof value.template === 'string') prompt.body = { format: 'text', text: fill(value.template) }
  else prompt.body = readMessages(readList(value.template, fill, findings), findings)
  prompt.variables = [...names].map(undeclaredVariable)
  return findings.result(prompt)
}

function readList(list: unknown, fill: (text: string) => string, findings: ConversionProblems): PortableMessage[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [undefined]
  return items.flatMap((one): PortableMessage[] => {
    const role = isObject(one) && Object.hasOwn(ROLES, textOf(one.role)) ? ROLES[textOf(one.role)] : undefined
    if (!role || !isObject(one) || typeof one.content !== 'string') {
      findings.refused('template', 'expected a text, or messages with a role (system, user or assistant) and a text')
      return []
    }
    return one.content.trim() === '' ? [] : [{ role, content: fill(one.content) }]
  })
}
