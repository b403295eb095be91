// LangChain's manifests, as stored by LangSmith: parsed as plain data, never instantiated. https://docs.langchain.com/langsmith

import type { WriteResult } from '../../../src/domain/api/export-formats.ts'
import type { Parameters } from '../../../src/domain/api/schema.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { lineOf } from '../../../src/domain/text/plain-text.ts'
import { isChatMessage } from '../../../src/domain/values/chat.ts'
import { addHistory, PlaceholderNames, readMessages } from './messages.ts'
import { addLarge, addSettings, formatSchema } from './parameters.ts'
import {
  ConversionProblems,
  type ExportedVersion,
  emptyPrompt,
  MAX_FINDINGS,
  type PortableBody,
  type PortableMessage,
  type ReadResult,
  textsOf,
  writtenFile,
} from './portable.ts'
import { readJsonSource, textOf } from './source-file.ts'
import { clip, readBraces, readFString } from './template.ts'

/** The roles of message classes, by the last part of the class ID. */
const MESSAGE_ROLES: Readonly<Record<string, 'system' | 'user' | 'assistant'>> = {
  SystemMessagePromptTemplate: 'system',
  HumanMessagePromptTemplate: 'user',
  AIMessagePromptTemplate: 'assistant',
  SystemMessage: 'system',
  HumanMessage: 'user',
  AIMessage: 'assistant',
}
/** The keys of templates, messages and places of earlier messages that are read, or say nothing that a text needs. */
const READ_KEYS = [
  ...['template', 'template_format', 'validate_template', 'messages', 'prompt', 'content', 'variable_name', 'optional'],
  ...['_type', 'type', 'id', 'example', 'input_variables', 'optional_variables', 'input_types'],
  ...['schema_', 'schema', 'structured_output_kwargs'],
]
/** The settings of a bound model that are read. */
const MODEL_SETTINGS =
  `temperature top_p top_k max_tokens max_completion_tokens max_output_tokens stop stop_sequences seed frequency_penalty
  presence_penalty reasoning_effort`.split(/\s+/)
/** What is bound to a model beside its settings. */
const BOUND = ['tools', 'tool_choice', 'functions', 'function_call', 'response_format']
/** The keys of a response of LangSmith. */
const RESPONSE = { other: ['manifest', 'commit_hash'] }
/** The keys of a serialised object. */
const CONSTRUCTOR = { object: ['kwargs'], other: ['lc', 'type', 'id', 'name', 'graph'] }
const SEQUENCES = new Set(['PromptPlayground', 'RunnableSequence'])
const TEMPLATES = new Set(['ChatPromptTemplate', 'PromptTemplate', 'StructuredPrompt'])

/**
 * Reads a manifest, a LangSmith response `{"manifest": …}`, or a file for `load_prompt`: `{"template", "input_variables"}`.
 * Only a fixed list of class names is supported; all others are rejected by name.
 *
 * @param name file name without extension
 */
export function readLangChain(source: string, name: string): ReadResult {
  const findings = new ConversionProblems()
  const given = readJsonSource(source, findings)
  const isResponse = isObject(given) && given.lc === undefined && isObject(given.manifest)
  if (isResponse) findings.unsupported(given, RESPONSE)
  const value = isResponse ? given.manifest : given
  const prompt = emptyPrompt(name)
  const names = new PlaceholderNames()
  let template = readPromptFile(value) ?? readConstructor(value, findings)
  if (template && SEQUENCES.has(template.name)) {
    findings.unsupported(template.kwargs, { other: ['first', 'last'] })
    readModel(template.kwargs.last, prompt.parameters, findings)
    template = readConstructor(template.kwargs.first, findings)
  }
  if (!template) findings.refused('manifest', 'expected a prompt as LangChain serialises it')
  else if (!TEMPLATES.has(template.name))
    findings.refused('manifest', `${template.name} is not a prompt; no class is ever loaded`)
  else {
    const { kwargs } = template
    if (template.name === 'StructuredPrompt') readSchema(kwargs, prompt.parameters, findings)
    loseOthers(kwargs, findings)
    prompt.body =
      template.name === 'PromptTemplate'
        ? { format: 'text', text: readTemplate(kwargs, names, findings) }
        : readMessages(readList(kwargs.messages, names, findings), findings)
  }
  prompt.variables = names.variables
  return findings.result(prompt)
}

interface Constructor {
  name: string
  kwargs: Record<string, unknown>
}

/** Returns whether this is a file for `load_prompt`: the fields of one template, without a class. Examples and referenced files are not read. MLflow's prompts have a template too, but with a name and in double braces. */
function readPromptFile(value: unknown): Constructor | undefined {
  if (!isObject(value) || value.lc !== undefined || typeof value.template !== 'string') return undefined
  const isLangChain = ['_type', 'input_variables', 'template_format'].some((key) => Object.hasOwn(value, key))
  return isLangChain || value.name === undefined ? { name: 'PromptTemplate', kwargs: value } : undefined
}

function readConstructor(value: unknown, findings: ConversionProblems): Constructor | undefined {
  if (!isObject(value) || value.lc === undefined) return undefined
  if (value.type !== 'constructor') {
    findings.refused(
      'manifest',
      `${textOf(value.type) || 'something'} is not a constructor; secrets and code are not read`,
    )
    return undefined
  }
  const id = idOf(value)
  const name = textOf(id.at(-1))
  const namespace = textOf(id[0])
  if (namespace !== 'langchain' && namespace !== 'langchain_core' && namespace !== 'langsmith') {
    findings.refused('manifest', `${id.join('.')} is not a class of LangChain; no class is ever loaded`)
    return undefined
  }
  findings.unsupported(value, CONSTRUCTOR)
  return { name, kwargs: isObject(value.kwargs) ? value.kwargs : {} }
}

function idOf(value: Record<string, unknown>): unknown[] {
  return Array.isArray(value.id) ? value.id : []
}

/** Reads the schema of a StructuredPrompt. */
function readSchema(kwargs: Record<string, unknown>, parameters: Parameters, findings: ConversionProblems): void {
  const schema = kwargs.schema_ ?? kwargs.schema
  if (!isObject(schema) || schema.lc !== undefined) {
    findings.lost('schema_', 'expected a JSON Schema')
    return
  }
  const { strict, ...rest } = isObject(kwargs.structured_output_kwargs) ? kwargs.structured_output_kwargs : {}
  findings.unsupported(rest, {}, undefined, 'structured_output_kwargs.')
  const format = formatSchema(schema, typeof strict === 'boolean' ? { strict } : {})
  addLarge(parameters, { response_format: format }, findings)
}

/** Reads the settings of a bound model; only plain values are supported. */
function readModel(last: unknown, parameters: Record<string, unknown>, findings: ConversionProblems): void {
  const binding = isObject(last) && isObject(last.kwargs) ? last.kwargs : {}
  const inner = isObject(binding.bound) && isObject(binding.bound.kwargs) ? binding.bound.kwargs : undefined
  if (isObject(last)) findings.unsupported(last, CONSTRUCTOR, undefined, 'last.')
  const bound = inner ?? (typeof (binding.model ?? binding.model_name) === 'string' ? binding : undefined)
  if (!bound) {
    if (last !== undefined) findings.lost('last', 'Prompt Hub does not support it')
    return
  }
  if (inner) {
    findings.unsupported(binding, { object: ['kwargs'], other: ['bound'] }, undefined, 'last.')
    const more = isObject(binding.kwargs) ? binding.kwargs : {}
    findings.unsupported(more, { other: BOUND }, undefined, 'last.')
    addSettings(
      parameters,
      Object.fromEntries(Object.entries(more).filter(([key]) => BOUND.includes(key))),
      findings,
      'last.',
    )
  }
  const name = textOf(idOf(Object(inner ? binding.bound : last)).at(-1))
  if (name !== '') findings.lost('last.id', `Prompt Hub does not keep the class of the model, ${clip(name)}`)
  const model = bound.model ?? bound.model_name
  if (typeof model === 'string') parameters.model = model
  findings.unsupported(bound, { text: ['model', 'model_name'], other: MODEL_SETTINGS }, undefined, 'last.')
  const settings = MODEL_SETTINGS.flatMap((key): [string, unknown][] => {
    const value = bound[key]
    if (isObject(value)) findings.lost(`last.${key}`, 'expected a plain value')
    return isObject(value) || value === undefined || value === null ? [] : [[key, value]]
  })
  addSettings(parameters, Object.fromEntries(settings), findings, 'last.')
}

function readList(list: unknown, names: PlaceholderNames, findings: ConversionProblems): PortableMessage[] {
  if (!Array.isArray(list)) {
    findings.refused('messages', 'expected a list of messages')
    return []
  }
  const messages: PortableMessage[] = []
  for (const one of list) {
    const message = readConstructor(one, findings)
    if (!message) {
      findings.refused('messages', 'expected messages as LangChain serialises them')
      continue
    }
    loseOthers(message.kwargs, findings)
    if (message.name === 'MessagesPlaceholder') {
      addHistory(messages, 'messages', findings)
      continue
    }
    const role = Object.hasOwn(MESSAGE_ROLES, message.name) ? MESSAGE_ROLES[message.name] : undefined
    if (!role) {
      findings.refused('messages', `${message.name} is not a message with a role; no class is ever loaded`)
      continue
    }
    if (typeof message.kwargs.content === 'string') {
      messages.push({ role, content: message.kwargs.content })
      continue
    }
    const template = readConstructor(message.kwargs.prompt, findings)
    if (template?.name !== 'PromptTemplate')
      findings.refused('messages', 'expected one text in each message; images and lists of parts are not read')
    else {
      const content = readTemplate(template.kwargs, names, findings)
      if (content.trim() !== '') messages.push({ role, content })
    }
  }
  return messages
}

/** Reports what a template says beside its text, and a place of earlier messages beside its name. */
function loseOthers(kwargs: Record<string, unknown>, findings: ConversionProblems): void {
  findings.unsupported(kwargs, { other: READ_KEYS })
}

function readTemplate(kwargs: Record<string, unknown>, names: PlaceholderNames, findings: ConversionProblems): string {
  loseOthers(kwargs, findings)
  const format = kwargs.template_format || 'f-string'
  const text = textOf(kwargs.template)
  if (format !== 'f-string' && format !== 'mustache') {
    findings.refused(
      'template',
      `${clip(textOf(format) || 'this')} can contain logic; only f-string and mustache are read`,
    )
    return text
  }
  return names.take(format === 'mustache' ? readBraces(text, 'mustache', findings) : readFString(text, findings))
}

/** Writes a manifest with f-strings, the only format that can represent every text exactly. */
export function writeLangChain(version: ExportedVersion): WriteResult {
  const { body } = version
  const declared = new Set(version.variables.map(({ name }) => name))
  const findings = new ConversionProblems()
  for (const text of textsOf(body))
    for (const match of text
      .matchAll(/\{\{\{ ?([A-Za-z_][A-Za-z0-9_]*) ?\}\}|\{\{ ?([A-Za-z_][A-Za-z0-9_]*) ?\}\}\}/g)
      .filter(([, first, second]) => declared.has(first ?? second ?? ''))
      .take(MAX_FINDINGS))
      findings.refused('content', `${match[0]} cannot be distinguished from doubled braces`, lineOf(text, match.index))
  if (findings.isRefused) return { refused: findings.all }
  const manifest =
    body.format === 'text'
      ? writeTemplate(body.text, declared)
      : serialize(['chat', 'ChatPromptTemplate'], {
          messages: writeList(body, declared),
          // LangChain's JavaScript package rejects a template that does not also name the position of earlier messages.
          input_variables: [...inputs(body, declared), ...(body.messages.every(isChatMessage) ? [] : ['history'])],
        })
  return writtenFile('langchain', version, `${JSON.stringify(manifest, undefined, 2)}\n`)
}

function writeList(body: Extract<PortableBody, { format: 'chat' }>, declared: ReadonlySet<string>) {
  const classes = {
    system: 'SystemMessagePromptTemplate',
    user: 'HumanMessagePromptTemplate',
    assistant: 'AIMessagePromptTemplate',
  }
  return body.messages.map((message) =>
    'role' in message
      ? serialize(['chat', classes[message.role]], { prompt: writeTemplate(message.content, declared) })
      : serialize(['chat', 'MessagesPlaceholder'], { variable_name: 'history', optional: true }),
  )
}

function writeTemplate(text: string, declared: ReadonlySet<string>) {
  const used = new Set<string>()
  const template = text.replace(
    /\{\{( ?)([A-Za-z_][A-Za-z0-9_]*)\1\}\}|[{}]/g,
    (whole, _space, name: string | undefined) => {
      if (name === undefined) return whole + whole
      if (!declared.has(name)) return whole.replace(/[{}]/g, '$&$&')
      used.add(name)
      return `{${name}}`
    },
  )
  return serialize(['prompt', 'PromptTemplate'], {
    template,
    template_format: 'f-string',
    input_variables: [...used],
  })
}

function inputs(body: PortableBody, declared: ReadonlySet<string>): string[] {
  const texts = textsOf(body).join('\n')
  return [...declared].filter((name) => texts.includes(`{{${name}}}`) || texts.includes(`{{ ${name} }}`))
}

function serialize(id: readonly string[], kwargs: Record<string, unknown>) {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'prompts', ...id], kwargs }
}
