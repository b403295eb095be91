// Writes the SKILL.md of a version from its record, as a hub does, so that a signature of the record covers the file. docs/contract.md section 4
import { isObject, readVariables, type Variable } from './records.ts'

/** Words that YAML 1.1 reads as a boolean or null, also as a key. */
const YAML_WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i
/** What a hub escapes beside what JSON does: line breaks in YAML 1.1, and every `---`. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|--(?=-)/g
const INPUTS =
  '## Inputs\n\nPut a value in place of each placeholder first: from the conversation or the files at hand. Ask for what is required and missing.\n\n'

/** Writes a SKILL.md. @param record the record of a version, as the hub sent it @returns undefined for a record of no skill */
export function writeSkill(record: Readonly<Record<string, unknown>>): string | undefined {
  const { full_name, version, content, content_sha256, skill } = record
  const variables = readVariables(record.variables)
  if (!isObject(skill) || !isObject(skill.metadata) || !variables) return undefined
  const { description, license, compatibility, argument_hint, metadata } = skill
  const front = {
    name: String(full_name).split('/')[1],
    description,
    ...(license === null ? {} : { license }),
    ...(compatibility ? { compatibility } : {}),
    metadata: {
      ...metadata,
      ...(argument_hint ? { 'argument-hint': argument_hint } : {}),
      version,
      source: `${full_name}@${version}`,
      content_sha256,
    },
  }
  const inputs = variables.length === 0 ? '' : `\n\n${INPUTS}${variables.map(describeInput).join('')}`
  return `${['---', ...writeKeys(front, ''), '---'].join('\n')}\n${String(content)}${inputs}`
}

function writeKeys(fields: object, indent: string): string[] {
  return Object.entries(fields).flatMap(([key, value]: [string, unknown]) =>
    isObject(value)
      ? [`${indent}${key}:`, ...writeKeys(value, `${indent}  `)]
      : [`${indent}${YAML_WORD.test(key) ? quote(key) : key}: ${quote(String(value))}`],
  )
}

function quote(text: string): string {
  return JSON.stringify(text).replace(
    ESCAPED,
    (found) => `${found.slice(1)}\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function describeInput({ name, type, description, options, default: usual, required }: Variable): string {
  const kind = type === 'string' ? 'text' : type === 'enum' ? `one of ${options.map(quote).join(', ')}` : type
  const parts = [
    ...(description === '' ? [] : [description]),
    ...(usual === null ? [] : [`Default: ${typeof usual === 'string' ? quote(usual) : usual}`]),
  ]
  const need = required && usual === null ? 'required' : 'optional'
  return `- \`{{${name}}}\` (${kind}, ${need})${parts.length === 0 ? '' : `: ${parts.join('. ')}`}\n`
}
