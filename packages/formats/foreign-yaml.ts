// Parses YAML in files of other tools with js-yaml, and reads values that these tools accept although they are not valid YAML.
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml'
import { LIMITS } from '../../src/domain/limits.ts'
import { findJsonProblem, isObject } from '../../src/domain/text/json.ts'
import { printable } from '../../src/domain/text/printable.ts'

/**
 * Parses a YAML mapping. Values at the top level that are not valid YAML, such as `argument-hint: [file] [line]`, `globs: *.ts` or `description: Use it when: …`, are read as text.
 *
 * @throws Error with the reason, and with the 1-based line if it is known
 */
export function loadForeignYaml(text: string): Record<string, unknown> {
  try {
    return loadMapping(text)
  } catch (error) {
    const quoted = indentClosers(quoteLooseValues(text))
    try {
      if (quoted !== text) return loadMapping(quoted)
    } catch {}
    throw describe(error)
  }
}

function loadMapping(text: string): Record<string, unknown> {
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return {}
  const value = load(text, { schema: CORE_SCHEMA, maxAliases: 0 })
  if (!isObject(value)) throw new Error('expected keys and values')
  const problem = findJsonProblem(value, { depth: LIMITS.parameterDepth * 2 })
  if (problem) throw new Error(problem)
  return { ...value }
}

function describe(error: unknown): Error {
  // The parser is recursive, so text nested thousands of levels deep overflows the stack.
  if (error instanceof RangeError) return new Error('expected less deeply nested YAML')
  if (!(error instanceof YAMLException)) return error instanceof Error ? error : new Error(String(error))
  const reason = error.reason.startsWith('aliases')
    ? 'expected YAML without aliases (*name); write the value out'
    : `expected valid YAML: ${printable(error.reason)}`
  return new Error(reason, { cause: error.mark === undefined ? undefined : error.mark.line + 1 })
}

/** Indents lines that only close a list or a mapping like the line before them: YAML wants them deeper than the key, and many files close it at the key. Lines keep their numbers. */
function indentClosers(text: string): string {
  let indentation = ''
  const lines = text.split('\n').map((line) => {
    if (/^[ \t]*[\]}]+,?[ \t]*$/.test(line)) return indentation + line.trim()
    if (line.trim() !== '') indentation = /^[ \t]*/.exec(line)![0]
    return line
  })
  return lines.join('\n')
}

/** A key at the top level with its value on the same line. */
const KEY = /^([A-Za-z_][\w.-]*):[ \t]+(\S.*)$/
/** Values whose first character shows that they are YAML: quoted, block scalars, flow collections, anchors, tags and aliases. */
const YAML_VALUE = /^(?:["'[{|>&!]|\*[\w-]+$)/
/** Quotes or brackets with more text after them, which YAML never allows. */
const CLOSED_EARLY = /^(?:\[[^\]]*\]|"[^"]*"|'[^']*')[ \t]*[^\s#]/

/** Maximum number of values that are checked by themselves, because each check takes time. */
const MAX_CHECKED_VALUES = 100

/** Puts quotes around values at the top level that are not valid YAML by themselves. Lines keep their numbers. */
function quoteLooseValues(text: string): string {
  const lines = text.split('\n')
  let checked = 0
  for (let at = 0; at < lines.length && checked < MAX_CHECKED_VALUES; ) {
    const start = at++
    const [, key, value = ''] = KEY.exec(lines[start]!.trimEnd()) ?? []
    while (at < lines.length && /^[ \t]+\S/.test(lines[at]!)) at++
    const isText = !YAML_VALUE.test(value) || CLOSED_EARLY.test(value)
    if (key === undefined || !isText) continue
    checked++
    if (isValid(lines.slice(start, at).join('\n'))) continue
    const whole = [value, ...lines.slice(start + 1, at).map((line) => line.trim())].join(' ')
    lines.fill('', start + 1, at)
    lines[start] = `${key}: ${JSON.stringify(whole)}`
  }
  return lines.join('\n')
}

function isValid(yaml: string): boolean {
  try {
    load(yaml, { schema: CORE_SCHEMA, maxAliases: 0 })
    return true
  } catch {
    return false
  }
}
