// Fills in a prompt's variables: one pass that inserts values literally, and reports every problem at once. Follows the hub's rules and is tested with the hub's cases.
import type { Variable } from './records.ts'
import { PromptHubError, type ValueProblem } from './trouble.ts'

/** Values by variable. */
export type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

/** `{{name}}` or `{{ name }}`. Any other use of braces belongs to another syntax and stays as it is. */
const PLACEHOLDER = /\{\{( ?)([A-Za-z_][A-Za-z0-9_]*)\1\}\}/g
/** JSON's number syntax: RFC 8259 section 6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const INTEGER = /^-?(?:0|[1-9]\d*)$/
/** Maximum length of a variable's name. A placeholder with a longer one is not a variable. */
const MAX_NAME_LENGTH = 64
/** Maximum bytes of a filled text. */
const MAX_FILLED_BYTES = 1_048_576

/** The inputs of filling for one variable. */
export type FillableVariable = Pick<Variable, 'name' | 'type' | 'required' | 'default' | 'options'>

/**
 * Fills in a text's variables: each gets the given value, or else its default, or else, if it is optional, nothing. Values are never scanned for placeholders.
 *
 * @throws PromptHubError `invalid_values` naming every missing, unknown or invalid variable, or reporting that the text is too long
 */
export function fillContent(content: string, variables: readonly FillableVariable[], values: Values): string {
  return fillTexts([content], variables, values)[0]!
}

/** Fills several texts with the same values, each like `fillContent`; the size limit applies to their sum. */
export function fillTexts(
  contents: readonly string[],
  variables: readonly FillableVariable[],
  values: Values,
): string[] {
  const texts = new Map<string, string>()
  const problems: ValueProblem[] = []
  const known = new Set(variables.map(({ name }) => name))
  for (const variable of variables) {
    const { name, type, required } = variable
    const given = Object.hasOwn(values, name) ? values[name] : undefined
    const isLeftOut = given === undefined || given === null || (given === '' && type !== 'string')
    const value = isLeftOut ? variable.default : given
    if (value !== null && value !== undefined) {
      const text = writeValue(value, variable)
      if (text === undefined) problems.push({ kind: 'invalid', name, message: `expected ${expectation(variable)}` })
      else texts.set(name, text)
    } else if (required) problems.push({ kind: 'missing', name, message: 'missing required value' })
    else texts.set(name, '')
  }
  for (const name of Object.keys(values)) {
    if (known.has(name)) continue
    // No variable can have this name.
    const way = name === 'history' ? '; pass earlier messages as the option history, not as a value' : ''
    problems.push({ kind: 'unknown', name, message: `unknown variable${way}` })
  }
  if (problems.length === 0) problems.push(...findExcess(contents, texts))
  if (problems.length > 0) {
    const message = problems.map((problem) => `${problem.name}: ${problem.message}`).join('; ')
    throw new PromptHubError('invalid_values', message, { problems })
  }
  return contents.map((content) =>
    content.replace(PLACEHOLDER, (whole, _space, name: string) => texts.get(name) ?? whole),
  )
}

/** The variables of a text without a record: each placeholder as a required string, because nothing more is known. */
export function findVariables(content: string): Variable[] {
  const names = new Set(Array.from(content.matchAll(PLACEHOLDER), (match) => match[2]!))
  return [...names]
    .filter((name) => name.length <= MAX_NAME_LENGTH)
    .map((name) => {
      return { name, description: '', type: 'string', required: true, default: null, options: [], example: null }
    })
}

/** @returns the text for a value, or undefined when the value does not match its variable */
function writeValue(value: unknown, { type, options }: Pick<Variable, 'type' | 'options'>): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  const text = typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : value
  if (typeof text !== 'string') return undefined
  if (type === 'string') return text
  if (type === 'enum') return options.includes(text) ? text : undefined
  if (type === 'boolean') return text === 'true' || text === 'false' ? text : undefined
  if (type === 'number') return NUMBER.test(text) ? text : undefined
  const isWhole = typeof value === 'number' ? Number.isSafeInteger(value) : INTEGER.test(text)
  return isWhole ? text : undefined
}

function expectation({ type, options }: Pick<Variable, 'type' | 'options'>): string {
  if (type === 'enum') return `one of ${options.map((option) => JSON.stringify(option)).join(', ')}`
  return {
    string: 'a text',
    integer: 'a whole number such as 3',
    number: 'a number such as 0.5',
    boolean: 'true or false',
  }[type]
}

/** Checks the length of the filled text before creating it: a value used in many places could make it huge. */
function findExcess(contents: readonly string[], texts: ReadonlyMap<string, string>): ValueProblem[] {
  const encoder = new TextEncoder()
  const sizes = new Map([...texts].map(([name, text]) => [name, encoder.encode(text).length]))
  let bytes = 0
  for (const content of contents) {
    bytes += encoder.encode(content).length
    for (const [whole, , name] of content.matchAll(PLACEHOLDER)) {
      const size = sizes.get(name!)
      if (size !== undefined) bytes += size - whole.length
    }
  }
  if (bytes <= MAX_FILLED_BYTES) return []
  return [
    {
      kind: 'too_large',
      name: '',
      message: `the filled text would have ${bytes} bytes; expected at most ${MAX_FILLED_BYTES}`,
    },
  ]
}
