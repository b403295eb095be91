// Fills in a prompt: replaces variables by values, or lists every problem with the values.
import { LIMITS } from '../api/limits.ts'
import type { Variable } from '../api/schema.ts'
import { printable } from '../text/problems.ts'
import { countBytes } from '../text/text-length.ts'
import { type ChatPart, isChatMessage } from './chat.ts'
import { countPlaceholders, fillPlaceholders, findPlaceholders } from './placeholders.ts'

/** What is filled: a text and its declared variables. Braces around a name that no variable has are left as text. */
interface Fillable {
  content: string
  variables: readonly Pick<Variable, 'name' | 'type' | 'required' | 'default' | 'options'>[]
}

/** name → value, as its own properties. Undefined and null count as left out. */
export type FillingValues = Readonly<Record<string, unknown>>

/**
 * How much a caller must get right. `strict`: an unknown name and a missing required value are problems.
 * `lenient`, for models: unknown names are ignored, and missing required ones stay and are listed.
 */
type FillingMode = 'strict' | 'lenient'

/** A text after filling. */
interface Filled {
  content: string
  /** Required variables without a value whose placeholder still stands, in the order of declaration; always empty when strict. */
  missing: string[]
}

/** One thing that is wrong with the values. */
export interface FillingProblem {
  kind: 'missing' | 'unknown' | 'invalid' | 'too_large'
  /** The name it is about; empty when it is the text as a whole. */
  name: string
  /** What is wrong and what was expected, without the name. */
  message: string
}

/** The result of filling, or everything that is wrong at once. */
type Filling<Value> = { value: Value; problems?: never } | { value?: never; problems: FillingProblem[] }

/**
 * Fills a text in one literal pass. docs/contract.md section 11
 *
 * The value given counts; else the default; else, for an optional variable, the empty text. A value is checked against its variable's type and
 * never scanned again. An empty text for anything but a string counts as left out: it is what forms send for an empty field.
 *
 * @returns problems in the order missing, unknown, invalid. The length of the result is computed first, so that a text that would be too long is never made
 */
export function fillContent(
  { content, variables }: Fillable,
  values: FillingValues,
  mode: FillingMode,
): Filling<Filled> {
  const { value, problems } = fillTexts([content], variables, values, mode)
  return problems ? { problems } : { value: { content: value.texts[0]!, missing: value.missing } }
}

/** Messages after filling: as many as before, with the same roles. */
interface FilledMessages extends Pick<Filled, 'missing'> {
  messages: ChatPart[]
}

/**
 * Fills messages, each by itself: a value never makes a message, whatever it holds. Rules, order and limit are those of `fillContent`;
 * the limit counts the texts of all messages.
 *
 * @param chat messages as `splitChat` gives them
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
      if (text === undefined) invalid.push({ kind: 'invalid', name, message: sayInvalid(value, variable) })
      else written.set(name, text)
    } else if (required) missing.push({ kind: 'missing', name, message: 'expected a value, got none' })
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

/** The problems of filling as one sentence without a final stop: all that are missing by name, at most ten of the others. */
export function formatFillingProblems(problems: readonly FillingProblem[]): string {
  const missing = problems.filter(({ kind }) => kind === 'missing').map(({ name }) => name)
  const others = problems.filter(({ kind }) => kind !== 'missing')
  const sentences = others
    .slice(0, LIMITS.problemsNamed)
    .map(({ name, message }) => (name === '' ? message : `${printable(name)}: ${message}`))
  if (missing.length > 0) sentences.unshift(`expected a value for ${missing.join(', ')}`)
  if (others.length > LIMITS.problemsNamed) sentences.push(`and ${others.length - LIMITS.problemsNamed} more`)
  return sentences.join('; ')
}

function isLeftOut(value: unknown, type: Variable['type']): boolean {
  return value === undefined || value === null || (value === '' && type !== 'string')
}

/** JSON's spelling of numbers: RFC 8259 section 6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const INTEGER = /^-?(?:0|[1-9]\d*)$/

/** @returns the text that stands for a value, or undefined when the value does not fit its variable */
function writeValue(value: unknown, { type, options }: Pick<Variable, 'type' | 'options'>): string | undefined {
  // As JSON writes a number: RFC 8785 section 3.2.2.3 fixes that spelling for every language.
  const text = typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : value
  if (typeof text !== 'string') return undefined
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  if (type === 'string') return text
  if (type === 'enum') return options.includes(text) ? text : undefined
  if (type === 'boolean') return text === 'true' || text === 'false' ? text : undefined
  if (type === 'number') return NUMBER.test(text) ? text : undefined
  return typeof value === 'number'
    ? Number.isSafeInteger(value)
      ? text
      : undefined
    : INTEGER.test(text)
      ? text
      : undefined
}

const EXPECTED: Readonly<Record<Variable['type'], string>> = {
  string: 'a text',
  integer: 'a whole number such as 3',
  number: 'a number such as 0.5',
  boolean: 'true or false',
  enum: 'one of the options',
}

/** Options that a message names. */
const MAX_OPTIONS = 10

function sayInvalid(value: unknown, { type, options }: Pick<Variable, 'type' | 'options'>): string {
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
    .map((name) => ({ kind: 'unknown', name, message: 'no variable of this prompt has this name' }))
}

/** One placeholder may stand in a text 50,000 times and its value may be long, so the length of the result is computed before it is made. */
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
  if (bytes <= LIMITS.filledBytes) return []
  const message = `the filled text would have ${bytes} bytes; expected at most ${LIMITS.filledBytes}. Use shorter values`
  return [{ kind: 'too_large', name: '', message }]
}
