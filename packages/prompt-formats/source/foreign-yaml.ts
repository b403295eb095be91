// Parses YAML in files of other tools, and reads values that these tools accept although they are not valid YAML.
import { LIMITS } from '../../../src/domain/limits.ts'
import { findJsonProblem } from '../../../src/domain/text/json.ts'
import { parseYaml, readLine } from '../../../src/domain/text/yaml.ts'

/** Maximum number of characters: those of the longest content and of the keys around it. Parsing takes several microseconds for each. */
const MAX_YAML_CHARACTERS = 327_680

/**
 * Parses a YAML mapping. Values at the top level that are not valid YAML, such as `argument-hint: [file] [line]`, `globs: *.ts` or `description: Use it when: …`, are read as text.
 *
 * @throws Error with the reason, and with the 1-based line if it is known
 */
export function loadForeignYaml(source: string): Record<string, unknown> {
  if (source.length > MAX_YAML_CHARACTERS) throw new Error(`expected at most ${MAX_YAML_CHARACTERS} characters of YAML`)
  // gray-matter cuts the last line break, and may leave half of it.
  const text = source.endsWith('\n') ? source : `${source}\n`
  let { value, problems } = parseYaml(text, 1)
  if (!value) {
    const quoted = indentClosers(quoteLooseValues(text))
    if (quoted !== text) value = parseYaml(quoted, 1).value
  }
  if (!value) throw describe(problems?.[0]?.message ?? '')
  const problem = findJsonProblem(value, { depth: LIMITS.parameterDepth * 2 })
  if (problem) throw new Error(problem)
  return value
}

function describe(message: string): Error {
  return new Error(message.replace(/^line \d+: /, ''), { cause: readLine(message) })
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
    if (parseYaml(lines.slice(start, at).join('\n'), 1).value) continue
    const whole = [value, ...lines.slice(start + 1, at).map((line) => line.trim())].join(' ')
    lines.fill('', start + 1, at)
    lines[start] = `${key}: ${JSON.stringify(whole)}`
  }
  return lines.join('\n')
}
