// Microsoft's Prompty (`.prompty`), version 2: front matter, and a text with role lines. https://github.com/microsoft/prompty

import type { WriteResult } from '../../../src/domain/api/export-formats.ts'
import type { Variable } from '../../../src/domain/api/schema.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { lineCounter, lineOf } from '../../../src/domain/text/plain-text.ts'
import { formatYaml } from '../../../src/domain/text/yaml.ts'
import { type ChatMessage, trimLineEnds } from '../../../src/domain/values/chat.ts'
import { isVariableName } from '../../../src/domain/values/names.ts'
import { ROLES } from './messages.ts'
import { declareAll, toVariable } from './names.ts'
import { CAMEL_CASE, ParameterNames } from './parameters.ts'
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
import { licenseIn, readSourceFile, tagsIn, textOf } from './source-file.ts'
import { clip, readBraces } from './template.ts'

const PARAMETERS = new ParameterNames(CAMEL_CASE)
const KNOWN = {
  text: ['name', 'displayName', 'description'],
  object: ['metadata'],
  texts: ['tags'],
  other: ['model', 'inputs', 'template', 'license', 'licence', 'version'],
}
const METADATA = { texts: ['tags'], other: ['version', 'license', 'licence'] }
const INPUT = {
  text: ['description'],
  texts: ['enumValues'],
  other: ['name', 'kind', 'type', 'required', 'default', 'example', 'sample'],
}
/** Where a runtime of Prompty begins a message. Older ones know `function`, newer ones `developer`. */
const ROLE_LINE =
  /^[ \t]*(?:#[ \t]*)?(system|developer|user|assistant|tool|function)(\[[^\]\n]*\])?[ \t]*:[ \t]*\r?$/gim
const KINDS: Readonly<Record<string, Variable['type']>> = {
  string: 'string',
  integer: 'integer',
  float: 'number',
  number: 'number',
  boolean: 'boolean',
}

/** Reads a `.prompty` file. @param name file name without extensions */
export function readPrompty(source: string, name: string): ReadResult {
  const findings = new ConversionProblems()
  // Prompty allows white space above front matter. Behind its first line, all lines keep their numbers.
  const moved = source.replace(/^\ufeff?(\s*\n)?[ \t]*(---|\+\+\+)/, '$2$1')
  const file = readSourceFile(moved, findings, moved.startsWith('+++') ? '+++' : '---')
  if (!file) return { prompts: [], findings: findings.all }
  const { front, body, bodyLine, lineOf: keyLine } = file
  const metadata = isObject(front.metadata) ? front.metadata : {}
  const prompt = emptyPrompt(textOf(front.name) || name)
  prompt.title = textOf(front.displayName)
  prompt.description = textOf(front.description)
  prompt.tags = [...new Set([...tagsIn(metadata.tags), ...tagsIn(front.tags)])]
  prompt.license = licenseIn(front) ?? licenseIn(metadata)
  findings.unsupported(metadata, METADATA, () => keyLine('metadata'), 'metadata.')
  findings.unsupported(front, KNOWN, keyLine)
  readModel(front.model, prompt.parameters, findings, keyLine('model'))
  const template = isObject(front.template) ? front.template.format : front.template
  const language = textOf(isObject(template) ? template.kind : template) || 'jinja2'
  // Prompty's JavaScript runtime uses Nunjucks as its Jinja.
  if (!['jinja2', 'nunjucks', 'mustache'].includes(language))
    findings.refused('template', `${language.slice(0, 40)} is not jinja2, nunjucks or mustache`, keyLine('template'))
  const described = readInputs(front.inputs, findings, keyLine('inputs'))
  const threads = new Set(described.threads)
  const lineAt = lineCounter(body, bodyLine)
  for (const { 0: line, 1: role, 2: attributes, index } of body.matchAll(ROLE_LINE).take(MAX_FINDINGS))
    if (!ROLES.has(role!.toLowerCase()))
      findings.lost(line.trim(), 'No prompt has messages of a tool; the line stays in the text', lineAt(index))
    else if (attributes !== undefined)
      findings.lost(line.trim(), 'Prompt Hub keeps no attributes of a message', lineAt(index))
  const names = new Set<string>()
  prompt.body = readBody(
    body,
    (text, line) => {
      const read = readBraces(text, language === 'mustache' ? 'mustache' : 'jinja2', findings, line)
      for (const one of read.names) if (!threads.has(one)) names.add(one)
      return read.text
    },
    threads,
    bodyLine,
  )
  for (const unused of [...described.variables.keys()].filter((one) => !names.has(one)))
    findings.lost(`inputs.${unused}`, 'the text does not use it', keyLine('inputs'))
  prompt.variables = declareAll([...names], described.variables)
  refuseReferences({ ...prompt, body: null }, source, findings)
  return findings.result(prompt)
}

/** Rejects `${env:NAME}` and `${file:path}` in what is imported: they would read from the importing machine, and are never resolved. In parts that are dropped, such as the connection, they do not matter. */
function refuseReferences(kept: object, source: string, findings: ConversionProblems): void {
  const references = JSON.stringify(kept).matchAll(/\$\{(?:env|file):[^}"\\]*/gi)
  for (const [reference] of references.take(MAX_FINDINGS)) {
    const at = source.indexOf(reference)
    const message = `${clip(`${reference}}`)} reads from the machine that loads it; write a value instead, but never a key`
    findings.refused('reference', message, at === -1 ? null : lineOf(source, at))
  }
}

function readModel(
  model: unknown,
  parameters: Record<string, unknown>,
  findings: ConversionProblems,
  line: number | null,
): void {
  if (typeof model === 'string') parameters.model = model
  else if (!isObject(model)) findings.unsupported({ model }, { object: ['model'] }, () => line)
  if (!isObject(model)) return
  if (typeof model.id === 'string') parameters.model = model.id
  const options = model.options ?? model.parameters
  if (isObject(options)) Object.assign(parameters, PARAMETERS.toHub(options, findings, 'model.options.'))
  findings.unsupported(model, { text: ['id'], object: ['options', 'parameters'] }, () => line, 'model.')
}

function readInputs(inputs: unknown, findings: ConversionProblems, line: number | null) {
  const variables = new Map<string, Variable>()
  const threads: string[] = []
  const lose = (field: string, expected: string) => findings.lost(field, `expected ${expected}`, line)
  const list: [string, unknown][] = Array.isArray(inputs)
    ? inputs.flatMap((one, index): [string, unknown][] => {
        if (isObject(one) && typeof one.name === 'string') return [[one.name, one]]
        lose(`inputs.${index}`, 'a name and a kind')
        return []
      })
    : Object.entries(isObject(inputs) ? inputs : {})
  if (!Array.isArray(inputs)) findings.unsupported({ inputs }, { object: ['inputs'] }, () => line)
  for (const [name, value] of list) {
    if (!isObject(value)) {
      const type = typeof value === 'number' || typeof value === 'boolean' ? typeof value : 'string'
      variables.set(name, toVariable(name, { type, required: false, default: value }, findings, line))
      continue
    }
    findings.unsupported(value, INPUT, () => line, `inputs.${name}.`)
    const given = value.kind ?? value.type ?? ''
    const kind = given === '' ? 'string' : textOf(given) || JSON.stringify(given)
    if (kind === 'thread') threads.push(name)
    else if (Object.hasOwn(KINDS, kind)) {
      const options = [value.enumValues ?? []].flat().flatMap((one) => (isObject(one) ? [] : [String(one)]))
      variables.set(
        name,
        toVariable(
          name,
          {
            description: value.description,
            type: options.length > 0 ? 'enum' : KINDS[kind],
            required: value.required === true,
            ...(value.default === undefined ? {} : { default: value.default }),
            ...(value.example === undefined && value.sample === undefined
              ? {}
              : { example: value.example ?? value.sample }),
            options,
          },
          findings,
          line,
        ),
      )
    } else findings.refused(`inputs.${name}`, `Prompt Hub does not support variables of kind ${clip(kind)}`, line)
  }
  return { variables, threads }
}

function readBody(
  text: string,
  fill: (text: string, line: number) => string,
  threads: ReadonlySet<string>,
  firstLine: number,
): PortableBody {
  const lines = [...text.matchAll(ROLE_LINE)].filter(([, role]) => ROLES.has(role!.toLowerCase()))
  const pieces: { role: ChatMessage['role'] | undefined; from: number; to: number }[] = []
  let from = 0
  let role: ChatMessage['role'] | undefined
  for (const line of [...lines, undefined]) {
    pieces.push({ role, from, to: line?.index ?? text.length })
    if (!line) break
    from = line.index + line[0].length
    role = ROLES.get(line[1]!.toLowerCase())
  }
  const lineAt = lineCounter(text, firstLine)
  const filled = pieces.map((piece) => ({
    ...piece,
    text: fill(text.slice(piece.from, piece.to), lineAt(piece.from)),
  }))
  // No other name can stand in a tag that `fill` accepts, and a name may not contain syntax of regular expressions.
  const names = [...threads].filter(isVariableName)
  const history = new RegExp(`\\{\\{(${names.join('|') || '(?!)'})\\}\\}`)
  if (lines.length === 0 && !filled.some((piece) => history.test(piece.text)))
    return { format: 'text', text: filled[0]!.text }
  const messages: PortableMessage[] = []
  for (const { role: named = 'system', text: piece } of filled) {
    const parts = piece.split(history).filter((_part, index) => index % 2 === 0)
    for (const [index, part] of parts.entries()) {
      if (index > 0) messages.push({ type: 'history' })
      const content = trimLineEnds(part)
      if (content.trim() !== '') messages.push({ role: named, content })
    }
  }
  return { format: 'chat', messages }
}

/** Writes a `.prompty` file. */
export function writePrompty(version: ExportedVersion): WriteResult {
  const findings = new ConversionProblems()
  const declared = new Set(version.variables.map(({ name }) => name))
  const thread = freeName('conversation', declared)
  for (const text of textsOf(version.body)) {
    for (const match of text.matchAll(ROLE_LINE).take(MAX_FINDINGS))
      findings.refused('content', `${match[0].trim()} would start a message`, lineOf(text, match.index))
    const isPlaceholder = (inner = '') => declared.has(/^( ?)([A-Za-z_][A-Za-z0-9_]*)\1$/.exec(inner)?.[2] ?? '')
    const others = text.matchAll(/\{%|\{#|\{\{([\s\S]*?)(?:\}\}|$)/g).filter((match) => !isPlaceholder(match[1]))
    for (const match of others.take(MAX_FINDINGS))
      findings.refused('content', `${match[0].slice(0, 40)} has a special meaning in Jinja`, lineOf(text, match.index))
  }
  if (findings.isRefused) return { refused: findings.all }
  const { model, ...options } = version.parameters
  const hasHistory = version.body.format === 'chat' && version.body.messages.some((message) => 'type' in message)
  const front = {
    name: version.name,
    ...(version.title === '' ? {} : { displayName: version.title }),
    ...(version.description === '' ? {} : { description: version.description }),
    metadata: { version: version.version, ...(version.tags.length === 0 ? {} : { tags: version.tags }) },
    ...(model === undefined && Object.keys(options).length === 0
      ? {}
      : {
          model: {
            ...(model === undefined ? {} : { id: model }),
            ...(Object.keys(options).length === 0 ? {} : { options: PARAMETERS.fromHub(options) }),
          },
        }),
    ...(version.variables.length === 0 && !hasHistory
      ? {}
      : { inputs: [...version.variables.map(writeInput), ...(hasHistory ? [{ name: thread, kind: 'thread' }] : [])] }),
    template: 'jinja2',
  }
  const text =
    version.body.format === 'text'
      ? version.body.text
      : version.body.messages
          .map((message) => ('role' in message ? `${message.role}:\n${message.content}\n\n` : `{{${thread}}}\n\n`))
          .join('')
  return writtenFile('prompty', version, `---\n${formatYaml(front)}---\n${text}`)
}

function writeInput({ name, type, required, description, default: usual, example, options }: Variable) {
  return {
    name,
    kind: type === 'enum' ? 'string' : type === 'number' ? 'float' : type,
    ...(description === '' ? {} : { description }),
    required,
    ...(usual === null ? {} : { default: usual }),
    ...(example === null ? {} : { example }),
    ...(type === 'enum' ? { enumValues: options } : {}),
  }
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? freeName(`${wanted}_`, taken) : wanted
}
