// Fills in a prompt: replaces variables with values, or lists every problem with the values.

import type { Variable } from '../api/schema.ts'
import { PAGE_LIMITS } from '../page-limits.ts'
import { countBytes } from '../text/plain-text.ts'
import { printable } from '../text/printable.ts'
import { type ChatPart, isChatMessage } from '../values/chat.ts'
import { countPlaceholders, fillPlaceholders, findPlaceholders } from './placeholders.ts'

/** The input: a text and its declared variables. Placeholders with any other name are kept as text. */
interface Fillable {
  content: string
  variables: readonly Pick<Variable, 'name' | 'type' | 'required' | 'default' | 'options'>[]
}

/** Returns whether filling needs a value: it uses the provided one, otherwise the default. */
export function mustBeGiven({ required, default: preset }: Pick<Variable, 'required' | 'default'>): boolean {
  return required && preset === null
}

/** Name → value, as own properties. Undefined and null count as omitted. */
export type FillingValues = Readonly<Record<string, unknown>>

/**
 * How strict filling is. `strict`: an unknown name or a missing required value is a problem. `lenient`, for models: unknown names are ignored, and placeholders of missing required values are kept and listed.
 */
type FillingMode = 'strict' | 'lenient'

/** A filled text. */
interface Filled {
  content: string
  /** Required variables that have no value, so their placeholders remain, in order of declaration; always empty in strict mode. */
  missing: string[]
}

/** A problem with one of the values. */
export interface FillingProblem {
  kind: 'missing' | 'unknown' | 'invalid' | 'too_large'
  /** The variable's name; empty if the problem concerns the whole text. */
  name: string
  /** What is wrong and what was expected, without the variable's name. */
  message: string
}

/** The filled text, or all problems. */
type Filling<Value> = { value: Value; problems?: never } | { value?: never; problems: FillingProblem[] }

/**
 * Fills a text in one literal pass. docs/contract.md section 11. A provided value takes precedence over the default; an optional variable without a value or default becomes an empty string. A value is checked against its variable's type and never scanned for placeholders. For all types except string, an empty string counts as omitted, because forms send an empty string for an empty field.
 *
 * @returns the filled text, or problems in the order missing, unknown, invalid. The length is computed first, so that an overlong text is never created
 */
export function fillContent(
  { content, variables }: Fillable,
  values: FillingValues,
  mode: FillingMode,
): Filling<Filled> {
  const { value, problems } = fillTexts([content], variables, values, mode)
  return problems ? { problems } : { value: { content: value.texts[0]!, missing: value.missing } }
}

/** Filled messages, with the same number and roles as before. */
interface FilledMessages extends Pick<Filled, 'missing'> {
  messages: ChatPart[]
}

/**
 * Fills each message separately, so that a value never creates a message. The rules, order and limit are those of `fillContent`; the limit applies to all messages together.
 *
 * @param chat messages from `splitChat`
 */
export function fillMessages(
  { messages, variables }: { messages: readonly ChatPart[]; variables: Fillable['variables'] },
  values: FillingValues,
  mode: FillingMode,
): Filling<FilledMessages> {
  const texts = messages.filter(isChatMessage).map(({ content }) => content)
  const { value, problems } = fillTexts(texts, variables, values, mode)
  if (problems) return { problems }
  const filled = value.texts.values()
  return {
    value: {
      messages: messages.map((part) => (isChatMessage(part) ? { ...part, content: filled.next().value! } : part)),
      missing: value.missing,
    },
  }
}

/** Fills several texts with the same values. */
function fillTexts(
  texts: readonly string[],
  variables: Fillable['variables'],
  values: FillingValues,
  mode: FillingMode,
): Filling<{ texts: string[]; missing: string[] }> {
  const written = new Map<string, string>()
  const missing: FillingProblem[] = []
  const invalid: FillingProblem[] = []
  for (const variable of variables) {
    const { name, required, default: usual } = variable
    const given = Object.hasOwn(values, name) ? values[name] : undefined
    const value = isLeftOut(given, variable.type) ? usual : given
    if (value !== null && value !== undefined) {
      const text = writeValue(value, variable)
      if (text === undefined) invalid.push({ kind: 'invalid', name, message: describeInvalid(value, variable) })
      else written.set(name, text)
    } else if (required) missing.push({ kind: 'missing', name, message: 'missing required value' })
    else written.set(name, '')
  }
  const excess = findExcess(texts, written)
  const problems =
    mode === 'strict' ? [...missing, ...findUnknown(variables, values), ...invalid, ...excess] : [...invalid, ...excess]
  if (problems.length > 0) return { problems }
  const used = new Set(texts.flatMap(findPlaceholders))
  const left = missing.map(({ name }) => name).filter((name) => used.has(name))
  return { value: { texts: texts.map((text) => fillPlaceholders(text, written)), missing: left } }
}

/** Formats the problems as one message without a period: every missing name, and at most ten of the other problems. */
export function formatFillingProblems(problems: readonly FillingProblem[]): string {
  const missing = problems.filter(({ kind }) => kind === 'missing').map(({ name }) => name)
  const others = problems.filter(({ kind }) => kind !== 'missing')
  const sentences = others
    .slice(0, PAGE_LIMITS.problemsNamed)
    .map(({ name, message }) => (name === '' ? message : `${printable(name)}: ${message}`))
  if (missing.length > 0)
    sentences.unshift(`missing required ${missing.length === 1 ? 'variable' : 'variables'}: ${missing.join(', ')}`)
  if (others.length > PAGE_LIMITS.problemsNamed) sentences.push(`and ${others.length - PAGE_LIMITS.problemsNamed} more`)
  return sentences.join('; ')
}

function isLeftOut(value: unknown, type: Variable['type']): boolean {
  return value === undefined || value === null || (value === '' && type !== 'string')
}

/** The JSON number syntax (RFC 8259 section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const INTEGER = /^-?(?:0|[1-9]\d*)$/

/** @returns the text for a value, or undefined if the value does not match its variable */
function writeValue(value: unknown, { type, options }: Pick<Variable, 'type' | 'options'>): string | undefined {
  // Numbers are formatted as in JSON: RFC 8785 section 3.2.2.3 defines the format for every language.
  const text = typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : value
  if (typeof text !== 'string') return undefined
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  if (type === 'string') return text
  if (type === 'enum') return options.includes(text) ? text : undefined
  if (type === 'boolean') return text === 'true' || text === 'false' ? text : undefined
  if (type === 'number') return NUMBER.test(text) ? text : undefined
  const isWhole = typeof value === 'number' ? Number.isSafeInteger(value) : INTEGER.test(text)
  return isWhole ? text : undefined
}

const EXPECTED: Readonly<Record<Variable['type'], string>> = {
  string: 'a text',
  integer: 'a whole number such as 3',
  number: 'a number such as 0.5',
  boolean: 'true or false',
  enum: 'one of the options',
}

/** Maximum number of options listed in a message. */
const MAX_OPTIONS = 10

function describeInvalid(value: unknown, { type, options }: Pick<Variable, 'type' | 'options'>): string {
  const listed = options.slice(0, MAX_OPTIONS).map((option) => JSON.stringify(printable(option)))
  const expected =
    type === 'enum' ? `one of ${listed.join(', ')}${options.length > MAX_OPTIONS ? ', …' : ''}` : EXPECTED[type]
  const got =
    typeof value === 'string'
      ? JSON.stringify(printable(value))
      : typeof value === 'object'
        ? 'an object or a list'
        : String(value)
  return `expected ${expected}, got ${got}`
}

function findUnknown(variables: Fillable['variables'], values: FillingValues): FillingProblem[] {
  const known = new Set(variables.map(({ name }) => name))
  return Object.keys(values)
    .filter((name) => !known.has(name))
    .map((name) => ({ kind: 'unknown', name, message: 'unknown variable' }))
}

/** Computes the length of the result first, because a text may contain the same placeholder 50,000 times and its value may be long. */
function findExcess(texts: readonly string[], values: ReadonlyMap<string, string>): FillingProblem[] {
  const lengths = new Map([...values].map(([name, value]) => [name, countBytes(value)]))
  let bytes = 0
  for (const text of texts) {
    bytes += countBytes(text)
    for (const [name, count] of countPlaceholders(text)) {
      const length = lengths.get(name)
      if (length !== undefined) bytes += count.times * length - count.bytes
    }
  }
  if (bytes <= PAGE_LIMITS.filledBytes) return []
  const message = `the filled text would have ${bytes} bytes; expected at most ${PAGE_LIMITS.filledBytes}. Use shorter values`
  return [{ kind: 'too_large', name: '', message }]
}
