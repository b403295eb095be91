// PromptLayer's templates, as its REST API returns them: messages of text parts, as f-strings or Jinja. https://docs.promptlayer.com/reference/templates-get
import { undeclaredVariable } from '../../src/domain/content/prompt-file.ts'
import { readMessages } from './github.ts'
import {
  ConversionProblems,
  emptyPrompt,
  type PortableMessage,
  type PortablePrompt,
  type ReadResult,
} from './portable.ts'
import { isObject, readEach, tagsIn, textOf } from './source-file.ts'
import { readBraces, readFString } from './template.ts'

const KNOWN = new Set(['prompt_name', 'prompt_template', 'metadata', 'tags', 'commit_message'])
/** Fields that are not about the prompt itself. The hub assigns its own version numbers. */
const SILENT = new Set(
  `id version workspace_id parent_folder_id created_at updated_at llm_kwargs warning success requested_version
  version_number`.split(/\s+/),
)
const ROLES: Readonly<Record<string, 'system' | 'user' | 'assistant'>> = {
  ...{ system: 'system', developer: 'system', user: 'user', assistant: 'assistant' },
}

/** Reads a template, or a list of them. @param name file name without extension */
export function readPromptLayer(source: string, name: string): ReadResult {
  return readEach(source, (value, part) => readOne(value, name, part))
}

function readOne(value: unknown, fallback: string, part: string | undefined): ReadResult {
  const findings = new ConversionProblems()
  if (!isObject(value) || !isObject(value.prompt_template)) {
    findings.refused('prompt_template', 'expected an object with a prompt_template; the list of templates has no texts')
    return { prompts: [], findings: findings.all }
  }
  const prompt = emptyPrompt(textOf(value.prompt_name) || fallback)
  prompt.tags = tagsIn(value.tags)
  prompt.changelog = textOf(value.commit_message)
  if (part !== undefined) prompt.part = part
  findings.unsupported(value, KNOWN.union(SILENT))
  readModel(value.metadata, prompt, findings)
  const template = value.prompt_template
  findings.unsupported(
    Object.fromEntries(Object.entries(template).filter(([, one]) => one !== null && String(one) !== '')),
    new Set(['type', 'messages', 'content', 'template_format', 'input_variables']),
    undefined,
    'prompt_template.',
  )
  const names = new Set<string>()
  const list = template.type === 'completion' ? [{ ...template, role: 'user' }] : template.messages
  prompt.body = readMessages(readList(list, names, findings), findings)
  prompt.variables = [...names].map(undeclaredVariable)
  return findings.result(prompt)
}

function readModel(metadata: unknown, prompt: PortablePrompt, findings: ConversionProblems): void {
  if (!isObject(metadata)) return
  const model = isObject(metadata.model) ? metadata.model : {}
  if (isObject(model.parameters)) Object.assign(prompt.parameters, model.parameters)
  if (typeof model.name === 'string') prompt.parameters.model = model.name
  findings.unsupported(metadata, new Set(['model']), undefined, 'metadata.')
  findings.unsupported(model, new Set(['name', 'parameters']), undefined, 'metadata.model.')
}

function readList(list: unknown, names: Set<string>, findings: ConversionProblems): PortableMessage[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [undefined]
  return items.flatMap((one): PortableMessage[] => {
    const role = isObject(one) && Object.hasOwn(ROLES, textOf(one.role)) ? ROLES[textOf(one.role)] : undefined
    const parts = isObject(one) && Array.isArray(one.content) ? one.content : []
    const texts = parts.map((part) => (isObject(part) && part.type === 'text' ? textOf(part.text) : undefined))
    if (!role || !isObject(one) || parts.length === 0 || texts.includes(undefined)) {
      findings.refused('messages', 'expected a role (system, user or assistant) and parts of text')
      return []
    }
    const format = textOf(one.template_format) || 'f-string'
    if (format !== 'f-string' && format !== 'jinja2')
      findings.refused('template', `${format.slice(0, 40)} is not f-string or jinja2`)
    const text = texts.join('\n')
    const read = format === 'jinja2' ? readBraces(text, 'jinja2', findings) : readFString(text, findings)
    for (const name of read.names) names.add(name)
    return read.text.trim() === '' ? [] : [{ role, content: read.text }]
  })
}
