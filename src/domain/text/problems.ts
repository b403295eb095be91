// Formats problems in external input: where, what was expected, and what was found, shortened and without control characters.
import type * as z from 'zod'
import { PAGE_LIMITS } from '../page-limits.ts'
import { printable } from './printable.ts'

/** A problem in a value; `key` is a dotted path, empty for the whole value. */
export interface ValueProblem {
  key: string
  message: string
  /** Its position in the value of the key, in UTF-16 code units, if known. */
  offset?: number
}

/** A problem with the name of the rule that was broken, in lower-case words joined by hyphens. */
export interface RuleProblem extends ValueProblem {
  rule: string
}

/** A problem in a file below the content folder. */
export interface Problem extends RuleProblem {
  /** The path relative to the content folder's parent, such as `content/acme/code-review/index.md`. */
  file: string
}

/** The result of parsing: the value, or all problems. */
export type Parsed<Value> = { value: Value; problems?: never } | { value?: never; problems: ValueProblem[] }

/** Parses a value with a schema and describes every problem in the hub's words, not zod's; a message in the schema takes precedence. */
export function parseWithSchema<Schema extends z.ZodType>(schema: Schema, input: unknown): Parsed<z.output<Schema>> {
  const result = schema.safeParse(input, { error: describeIssue })
  return result.success ? { value: result.data } : { problems: result.error.issues.flatMap(explodeIssue) }
}

/** Formats a problem as one line: `key: message`. */
export function formatProblem({ key, message }: ValueProblem): string {
  return key === '' ? message : `${key}: ${message}`
}

/** Formats problems as one message: the first problems in full, and the number of the remaining ones. @param count the total, if `problems` contains only some of them */
export function formatProblems(problems: readonly ValueProblem[], count = problems.length): string {
  const named = problems.slice(0, PAGE_LIMITS.problemsNamed).map(formatProblem).join('; ')
  const others = count - PAGE_LIMITS.problemsNamed
  return others > 0 ? `${named}; and ${others} more` : named
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  const got = describeValue(issue.input)
  if (issue.code === 'invalid_type')
    return issue.input === undefined
      ? `expected ${article(issue.expected)}, got nothing`
      : `expected ${article(issue.expected)}, got ${got}`
  if (issue.code === 'invalid_value')
    return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}, got ${got}`
  if (issue.code === 'invalid_union') return `expected a text, a number or a boolean, got ${got}`
  return undefined
}

/** Describes an issue of zod; each unknown key is a problem of its own. */
export function explodeIssue(issue: z.core.$ZodIssue): ValueProblem[] {
  const path = issue.path.map((part) => printable(String(part))).join('.')
  if (issue.code !== 'unrecognized_keys') return [{ key: path, message: issue.message }]
  return issue.keys.map((key) => unknownField(path === '' ? key : `${path}.${key}`))
}

/** Returns the problem for an unknown field. */
export function unknownField(name: string): ValueProblem {
  return { key: printable(name), message: 'unknown; check the spelling, or leave it out' }
}

function article(type: string): string {
  if (type === 'array') return 'a list'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

/** Formats an external value for a message: shortened, and without terminal control characters. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  // The length is checked first, because formatting a megabyte only to shorten it would take as long as reading it.
  const text = typeof value === 'string' && value.length > 60 ? value : (JSON.stringify(value) ?? typeof value)
  return text.length > 60 ? `a long ${typeof value}` : printable(text)
}
