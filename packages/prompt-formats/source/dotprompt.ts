// Google's dotprompt (`.prompt`): front matter, and a Handlebars text with role markers. https://github.com/google/dotprompt

import type { WriteResult } from '../../../src/domain/api/export-formats.ts'
import type { Parameters, Variable } from '../../../src/domain/api/schema.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { lineCounter, lineOf } from '../../../src/domain/text/plain-text.ts'
import { formatYaml } from '../../../src/domain/text/yaml.ts'
import { trimLineEnds } from '../../../src/domain/values/chat.ts'
import { declareAll, toLine, toVariable } from './names.ts'
import { addLarge, CAMEL_CASE, formatSchema, ParameterNames } from './parameters.ts'
import { isJsonSchema, toJsonSchema } from './picoschema.ts'
import {
  ConversionProblems,
  type ExportedVersion,
  emptyPrompt,
  MAX_FINDINGS,
  type PortableBody,
  type PortableMessage,
  type ReadResult,
  writtenFile,
} from './portable.ts'
import { References } from './references.ts'
import { licenseIn, readSourceFile, textOf } from './source-file.ts'
import { clip, readBraces } from './template.ts'

const PARAMETERS = new ParameterNames(CAMEL_CASE)
/** The front matter keys that a hub supports; all others are lost. */
const KNOWN = {
  text: ['name', 'description', 'model'],
  object: ['config', 'input', 'output'],
  other: ['version', 'variant', 'license', 'licence', 'tools', 'toolDefs'],
}
const TOOL = { text: ['name', 'description'], other: ['inputSchema'] }
/** The keys of variables in JSON Schema. A hub refuses values that no variable takes, whatever the schema says. */
const SCHEMA = { other: ['type', 'properties', 'required', 'additionalProperties', '$schema'] }
/** The keys of a variable in JSON Schema. */
const PROPERTY = { text: ['description'], other: ['type', 'enum', 'default'] }
/** Helpers that Handlebars and dotprompt call by name: a variable with such a name would call the helper. */
const HELPERS = new Set(
  `role history media section json ifEquals unlessEquals else if unless each with lookup log this true false
  null undefined helperMissing blockHelperMissing`.split(/\s+/),
)
/** Comments, such as a license, and empty lines, which dotprompt allows above front matter. */
const COMMENTS_ABOVE = /^(\ufeff?)((?:(?:#[^\n]*|[ \t]*\r?)\n)+)(---[ \t]*\r?\n)/
const MARKER = /\{\{\s*(?:role\s+(?:"([a-z]+)"|'([a-z]+)')|(history))\s*\}\}/g
const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean'] satisfies Variable['type'][]

/** Reads a `.prompt` file. @param name file name without extensions */
export function readDotprompt(source: string, name: string): ReadResult {
  const findings = new ConversionProblems()
  // Behind the opening line, the comments are YAML, and all lines keep their numbers.
  const moved = source.replace(COMMENTS_ABOVE, '$1$3$2')
  if (moved !== source) findings.lost('comments', 'Prompt Hub keeps no comments above the front matter', 1)
  const file = readSourceFile(moved, findings)
  if (!file) return { prompts: [], findings: findings.all }
  const { front, body, bodyLine, lineOf: keyLine } = file
  const prompt = emptyPrompt(textOf(front.name) || name)
  prompt.description = textOf(front.description)
  prompt.license = licenseIn(front)
  findings.unsupported(front, KNOWN, keyLine)
  if (typeof front.model === 'string') prompt.parameters.model = front.model
  if (isObject(front.config)) Object.assign(prompt.parameters, PARAMETERS.toHub(front.config, findings, 'config.'))
  readTools(front.tools, front.toolDefs, prompt.parameters, findings, keyLine)
  readOutput(front.output, prompt.parameters, findings, keyLine('output'))
  const references = new References('dotprompt')
  const { body: read, names } = readBody(body, bodyLine, references, findings)
  prompt.body = read
  const described = readInput(front.input, findings, keyLine('input'))
  const used = new Set(names)
  for (const unused of described.keys().filter((one) => !used.has(one)))
    findings.lost(`input.schema.${unused}`, 'the text does not use it', keyLine('input'))
  prompt.variables = declareAll(names, described)
  // Only a file whose name begins with an underscore is a partial, and its name is the rest.
  return findings.result({ ...prompt, ...references.fields(name.startsWith('_') ? [name.slice(1)] : []) })
}

function readBody(
  text: string,
  firstLine: number,
  references: References,
  findings: ConversionProblems,
): { body: PortableBody; names: string[] } {
  const names = new Set<string>()
  const lineAt = lineCounter(text, firstLine)
  const fill = (part: string, at: number) => {
    const read = readBraces(part, 'handlebars', findings, lineAt(at), references)
    for (const one of read.names) {
      if (HELPERS.has(one)) findings.refused('template', `{{${one}}} calls a helper`, lineAt(at))
      names.add(one)
    }
    return read.text
  }
  const markers = [...text.matchAll(MARKER)].filter(({ index }) => text[index - 1] !== '\\')
  if (markers.length === 0) return { body: { format: 'text', text: fill(text, 0) }, names: [...names] }
  const messages: PortableMessage[] = []
  let role: string = 'user'
  let at = 0
  for (const marker of [...markers, undefined]) {
    const end = marker?.index ?? text.length
    const content = trimLineEnds(fill(text.slice(at, end), at))
    if (content.trim() !== '') {
      if (role === 'system' || role === 'user' || role === 'assistant') messages.push({ role, content })
      else findings.refused('role', `Prompt Hub has no role ${role}`, lineAt(at))
    }
    if (!marker) break
    at = end + marker[0].length
    if (marker[3] !== undefined) {
      messages.push({ type: 'history' })
      role = 'assistant'
    } else {
      const named = marker[1] ?? marker[2] ?? 'user'
      role = named === 'model' ? 'assistant' : named
    }
  }
  return { body: { format: 'chat', messages }, names: [...names] }
}

/** Reads the tools: `tools` names those of a program, and may define others, as `toolDefs` does. */
function readTools(
  tools: unknown,
  definitions: unknown,
  parameters: Parameters,
  findings: ConversionProblems,
  keyLine: (key: string) => number | null,
): void {
  const read = (key: string, given: unknown): unknown[] => {
    if (given !== undefined && given !== null && !Array.isArray(given))
      findings.lost(key, 'expected a list of tools', keyLine(key))
    return (Array.isArray(given) ? given : []).flatMap((tool: unknown): unknown[] => {
      if (typeof tool === 'string') return [tool]
      if (isObject(tool) && textOf(tool.name) !== '') {
        findings.unsupported(tool, TOOL, () => keyLine(key), `${key}.${clip(textOf(tool.name))}.`)
        const schema = tool.inputSchema === undefined ? {} : { parameters: toJsonSchema(tool.inputSchema) }
        if (schema.parameters !== undefined || tool.inputSchema === undefined)
          return [
            {
              type: 'function',
              function: { name: tool.name, ...(tool.description ? { description: tool.description } : {}), ...schema },
            },
          ]
      }
      findings.lost(key, 'expected the name of a tool, or its name and its input schema', keyLine(key))
      return []
    })
  }
  const others = Array.isArray(parameters.tools) ? parameters.tools : []
  const all = [...read('tools', tools), ...read('toolDefs', definitions), ...others]
  if (all.length > 0) addLarge(parameters, { tools: all }, findings)
}

/** Reads `output`: a format, and a schema in Picoschema or JSON Schema. */
function readOutput(output: unknown, parameters: Parameters, findings: ConversionProblems, line: number | null): void {
  if (!isObject(output)) return
  const { format, schema, ...rest } = output
  findings.unsupported(rest, {}, () => line, 'output.')
  const json = schema === undefined || schema === null ? undefined : toJsonSchema(schema)
  if (schema !== undefined && schema !== null && !json)
    findings.lost('output.schema', 'expected a schema itself; a name of one is known only to a program', line)
  if (format !== undefined && format !== 'json' && format !== 'text')
    findings.lost('output.format', `${clip(String(format))} is not json or text`, line)
  if (json) addLarge(parameters, { response_format: formatSchema(json) }, findings, 'output.')
  else if (format === 'json') parameters.response_format = { type: 'json_object' }
  else if (format === 'text') parameters.response_format = { type: 'text' }
}

/** Reads `input`: a Picoschema or JSON Schema, and defaults. */
function readInput(input: unknown, findings: ConversionProblems, line: number | null): Map<string, Variable> {
  const variables = new Map<string, Variable>()
  if (!isObject(input)) return variables
  // Genkit also accepts the name of a schema that a program registers.
  findings.unsupported(input, { object: ['schema', 'default'] }, () => line, 'input.')
  const schema = isObject(input.schema) ? input.schema : {}
  const defaults = isObject(input.default) ? input.default : {}
  const isJsonSchema = typeof schema.type === 'string' && isObject(schema.properties)
  const properties = isJsonSchema && isObject(schema.properties) ? schema.properties : schema
  const required = new Set(isJsonSchema && Array.isArray(schema.required) ? schema.required : [])
  if (isJsonSchema) {
    findings.unsupported(schema, SCHEMA, () => line, 'input.schema.')
    if (schema.type !== 'object') findings.lost('input.schema.type', 'expected object', line)
    const known = [...required].every((name) => Object.hasOwn(properties, String(name)))
    if (!known || !Array.isArray(schema.required ?? []))
      findings.lost('input.schema.required', 'expected a list of the properties', line)
  }
  for (const [key, value] of Object.entries(properties)) {
    const given = isJsonSchema
      ? readJsonSchema(key, value, required.has(key), findings, line)
      : readPicoschema(key, value)
    if (!given) {
      findings.lost(`input.schema.${key}`, 'its type has no counterpart; it becomes a string', line)
      continue
    }
    const { name, ...fields } = given
    variables.set(
      name,
      toVariable(
        name,
        { ...fields, ...(Object.hasOwn(defaults, name) ? { default: defaults[name] } : {}) },
        findings,
        line,
      ),
    )
  }
  for (const [name, value] of Object.entries(defaults))
    if (!variables.has(name))
      variables.set(name, toVariable(name, { type: typeName(value), default: value }, findings, line))
  return variables
}

function typeName(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? typeof value : 'string'
}

type Described = Partial<Record<keyof Variable, unknown>> & { name: string }

/** `name?(enum, description): [A, B]`, `name: type, description`. */
function readPicoschema(key: string, value: unknown): Described | undefined {
  const [, name, optional, , kind, described] = /^([A-Za-z_][A-Za-z0-9_]*)(\?)?(\((\w+)(?:,(.*))?\))?$/s.exec(key) ?? []
  if (name === undefined) return undefined
  const common = { name, required: optional === undefined }
  if (kind === 'enum' && Array.isArray(value)) {
    const options = value.filter((one) => one !== null)
    const description = described?.trimStart() ?? ''
    return areScalars(options) ? { ...common, type: 'enum', options: options.map(String), description } : undefined
  }
  if (kind !== undefined || typeof value !== 'string') return undefined
  const [, type = '', description = ''] = /^(\w+)(?:,(.*))?$/s.exec(value) ?? []
  return TYPES.includes(type) ? { ...common, type, description: description.trimStart() } : undefined
}

/** Returns whether all options of an enum can be written as text. */
const areScalars = (options: readonly unknown[]) => options.every((one) => typeof one !== 'object')

function readJsonSchema(
  name: string,
  value: unknown,
  required: boolean,
  findings: ConversionProblems,
  line: number | null,
): Described | undefined {
  if (!isObject(value)) return undefined
  findings.unsupported(value, PROPERTY, () => line, `input.schema.${name}.`)
  const description = textOf(value.description)
  const common = { name, required, description, ...(value.default === undefined ? {} : { default: value.default }) }
  if (value.enum !== undefined && !Array.isArray(value.enum))
    findings.lost(`input.schema.${name}.enum`, 'expected a list of texts', line)
  if (Array.isArray(value.enum) && value.type !== undefined && value.type !== 'string')
    findings.lost(`input.schema.${name}.type`, 'the values of an enum are texts', line)
  if (Array.isArray(value.enum))
    return areScalars(value.enum) ? { ...common, type: 'enum', options: value.enum.map(String) } : undefined
  const type = textOf(value.type)
  return TYPES.includes(type) ? { ...common, type } : undefined
}

/** Writes a `.prompt` file. */
export function writeDotprompt(version: ExportedVersion): WriteResult {
  const findings = new ConversionProblems()
  const declared = new Set(version.variables.map(({ name }) => name))
  for (const name of declared)
    if (HELPERS.has(name)) findings.refused(`variables.${name}`, 'dotprompt calls a helper with this name')
  const text =
    version.body.format === 'text'
      ? writeText(version.body.text, declared, findings)
      : writeMessages(version.body.messages, declared, findings)
  if (findings.isRefused) return { refused: findings.all }
  const { model, tools, response_format, ...others } = version.parameters
  const written = writeTools(tools)
  const output = writeOutput(response_format)
  const config = { ...others, ...written.config, ...output.config }
  const input = writeInput(version.variables)
  const front = {
    name: version.name,
    ...(version.description === '' ? {} : { description: version.description }),
    ...(typeof model === 'string' ? { model } : {}),
    ...(Object.keys(config).length === 0 ? {} : { config: PARAMETERS.fromHub(config) }),
    ...(input === undefined ? {} : { input }),
    ...output.front,
    ...written.front,
  }
  const more = [
    ...(model !== undefined && typeof model !== 'string' ? ['parameters.model'] : []),
    ...written.lost,
    ...output.lost,
  ]
  return writtenFile('dotprompt', version, `---\n${formatYaml(front)}---\n${text}`, more)
}

/** What a setting becomes: keys of the front matter, of `config` where dotprompt has no key for it, and what is lost. */
interface WrittenSetting {
  front: Record<string, unknown>
  config: Record<string, unknown>
  lost: string[]
}

/** Writes names of tools, and functions. Others, such as a provider's own, stay in `config`. */
function writeTools(tools: unknown): WrittenSetting {
  const list: unknown[] = Array.isArray(tools) ? tools : []
  const names = list.filter((tool) => typeof tool === 'string')
  const own = list.flatMap((tool) => {
    const given = isObject(tool) && tool.type === 'function' && isObject(tool.function) ? tool.function : {}
    const { name, description, parameters = { type: 'object', properties: {} }, ...rest } = given
    return typeof name === 'string' && isJsonSchema(parameters)
      ? [{ tool, definition: { name, ...(description ? { description } : {}), inputSchema: parameters }, rest }]
      : []
  })
  const known = new Set<unknown>([...names, ...own.map(({ tool }) => tool)])
  const others = Array.isArray(tools) ? list.filter((tool) => !known.has(tool)) : tools
  const hasOthers = Array.isArray(others) ? others.length > 0 : others !== undefined
  const isLossy = own.some(({ rest }) => Object.keys(rest).length > 0)
  return {
    front: {
      ...(names.length > 0 && { tools: names }),
      ...(own.length > 0 && { toolDefs: own.map(({ definition }) => definition) }),
    },
    config: hasOthers ? { tools: others } : {},
    lost: isLossy ? ['parameters.tools.strict'] : [],
  }
}

/** Writes the format of the output. What dotprompt cannot say stays in `config`. */
function writeOutput(format: unknown): WrittenSetting {
  const type = isObject(format) ? format.type : undefined
  const only = isObject(format) && Object.keys(format).length === 1
  if (only && type === 'text') return { front: { output: { format: 'text' } }, config: {}, lost: [] }
  if (only && type === 'json_object') return { front: { output: { format: 'json' } }, config: {}, lost: [] }
  const named = isObject(format) && type === 'json_schema' && isObject(format.json_schema) ? format.json_schema : {}
  const { schema, name, ...rest } = named
  if (!isJsonSchema(schema))
    return { front: {}, config: format === undefined ? {} : { response_format: format }, lost: [] }
  const kept = formatSchema(schema).json_schema.name
  const lost = [...(name === kept ? [] : ['name']), ...Object.keys(rest)]
  return {
    front: { output: { format: 'json', schema } },
    config: {},
    lost: lost.map((key) => `parameters.response_format.${key}`),
  }
}

function writeInput(variables: readonly Variable[]): Record<string, unknown> | undefined {
  if (variables.length === 0) return undefined
  const schema = Object.fromEntries(
    variables.map(({ name, type, required, description, options }) => {
      const optional = required ? '' : '?'
      const line = toLine(description, 500)
      if (type === 'enum') return [`${name}${optional}(enum${line === '' ? '' : `, ${line}`})`, options]
      return [`${name}${optional}`, line === '' ? type : `${type}, ${line}`]
    }),
  )
  const defaults = variables.flatMap(({ name, default: usual }) => (usual === null ? [] : [[name, usual] as const]))
  return { schema, ...(defaults.length === 0 ? {} : { default: Object.fromEntries(defaults) }) }
}

/** Escapes Handlebars syntax. */
function writeText(text: string, declared: ReadonlySet<string>, findings: ConversionProblems): string {
  for (const match of text.matchAll(/<<<dotprompt:|\{\{\{/g).take(MAX_FINDINGS))
    findings.refused('content', `${match[0]} has a special meaning in dotprompt`, lineOf(text, match.index))
  return text.replace(
    /\{\{(?:( ?)([A-Za-z_][A-Za-z0-9_]*)\1\}\})?/g,
    (whole, _space, name: string | undefined, at: number) => {
      const isEscaped = text[at - 1] === '\\'
      // A backslash escapes braces. If several backslashes precede a placeholder, one of them is removed.
      if (name !== undefined && declared.has(name)) return isEscaped ? `\\${whole}` : whole
      if (isEscaped) findings.refused('content', 'a backslash before literal braces cannot be written in dotprompt')
      return `\\${whole}`
    },
  )
}

function writeMessages(
  messages: readonly PortableMessage[],
  declared: ReadonlySet<string>,
  findings: ConversionProblems,
): string {
  return messages
    .map((message) => {
      if (!('role' in message)) return '{{history}}\n'
      const role = message.role === 'assistant' ? 'model' : message.role
      return `{{role "${role}"}}\n${writeText(message.content, declared, findings)}\n`
    })
    .join('')
}
