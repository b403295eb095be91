// Parses front matter, YAML and JSON from external files, and checks limits before any work of unknown cost.
import { LIMITS } from '../api/limits.ts'
import { findJsonProblem } from '../text/json.ts'
import { formatProblems, type ValueProblem } from '../text/problems.ts'
import { parseYaml } from '../text/yaml.ts'
import type { Findings } from './portable.ts'

/** Maximum size of a converted file in bytes. Content may be 262,144 bytes long, and the front matter or JSON around it needs space too. */
export const MAX_SOURCE_BYTES = 1_048_576
/** Maximum number of front matter lines; no prompt needs more. */
const MAX_FRONT_MATTER_LINES = 2_000

/** A file with front matter and a body. */
export interface SourceFile {
  front: Record<string, unknown>
  /** Whether the file has front matter. */
  hasFront: boolean
  body: string
  /** The 1-based line where the body starts. */
  bodyLine: number
  /** Returns the 1-based line of a top-level key, or null. */
  lineOf: (key: string) => number | null
}

/** Removes a file's byte order mark. */
export function removeByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/**
 * Parses a file with front matter between `---` lines, or another delimiter.
 *
 * @returns undefined if the front matter is rejected; the findings explain why
 */
export function readSourceFile(source: string, findings: Findings, delimiter = '---'): SourceFile | undefined {
  const text = removeByteOrderMark(source)
  const first = text.split('\n', 1)[0]!.trimEnd()
  if (!first.startsWith(delimiter)) return { front: {}, hasFront: false, body: text, bodyLine: 1, lineOf: () => null }
  if (first !== delimiter) {
    findings.refused('front matter', `expected a first line that is exactly ${delimiter}; no other language is read`, 1)
    return undefined
  }
  const end = text.indexOf(`\n${delimiter}`, delimiter.length)
  const lines = (end === -1 ? text : text.slice(0, end)).split('\n')
  if (lines.length > MAX_FRONT_MATTER_LINES) {
    findings.refused('front matter', `expected at most ${MAX_FRONT_MATTER_LINES} lines of front matter`, 1)
    return undefined
  }
  if (end === -1) {
    findings.refused('front matter', `expected a line ${delimiter} after the front matter`, 1)
    return undefined
  }
  const front = parseYaml(text.slice(text.indexOf('\n') + 1, end + 1), 2)
  if (front.problems) {
    refuseYaml('front matter', front.problems, findings)
    return undefined
  }
  return {
    front: front.value,
    hasFront: true,
    body: text.slice(text.indexOf('\n', end + 1) + 1 || text.length),
    bodyLine: lines.length + 2,
    lineOf: (key) => {
      const index = lines.findIndex((line) => line.startsWith(`${key}:`))
      return index === -1 ? null : index + 1
    },
  }
}

/** Parses a YAML mapping. @returns undefined if rejected */
export function readYamlSource(source: string, findings: Findings): Record<string, unknown> | undefined {
  const parsed = parseYaml(removeByteOrderMark(source), 1)
  if (parsed.problems) refuseYaml('yaml', parsed.problems, findings)
  return parsed.value
}

function refuseYaml(field: string, problems: readonly ValueProblem[], findings: Findings): void {
  const message = formatProblems(problems)
  findings.refused(field, message, Number(/line (\d+)/.exec(message)?.[1] ?? 1))
}

/** Parses JSON with limited depth. @returns undefined if rejected */
export function readJsonSource(source: string, findings: Findings): unknown {
  try {
    const value: unknown = JSON.parse(removeByteOrderMark(source))
    const problem = findJsonProblem(value, { depth: LIMITS.parameterDepth * 2 })
    if (problem === undefined) return value
    findings.refused('json', problem, 1)
  } catch {
    findings.refused('json', 'expected valid JSON', 1)
  }
  return undefined
}

/** Returns whether a value is a plain object, as in JSON and YAML. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a string field, or an empty string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns the strings in a list; other items are skipped. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
