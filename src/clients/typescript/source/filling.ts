// Owns filling a prompt's variables in: one literal pass, strict, every problem at once.
import type { Variable } from './records.ts'
import { PromptHubError } from './trouble.ts'

/** Values by variable. */
export type Values = Readonly<Record<string, string | number | boolean>>

const PLACEHOLDER = /\{\{( ?)([A-Za-z_][A-Za-z0-9_]*)\1\}\}/g
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Most bytes of a filled text. */
export const MOST_FILLED_BYTES = 1_048_576

/**
 * Fills a text: the value given, else the default, else nothing for an optional variable. A value is never looked through for placeholders.
 *
 * @throws PromptHubError `invalid_values` that names every variable that is missing, unknown or of the wrong kind, or says that the text gets too long
 */
export function fillContent(content: string, variables: readonly Variable[], values: Values): string {
  const problems: string[] = []
  const texts = new Map<string, string>()
  const known = new Set(variables.map(({ name }) => name))
  for (const name of Object.keys(values)) {
    if (!known.has(name)) problems.push(`${name}: there is no such variable; there ${listNames([...known])}`)
  }
  for (const variable of variables) {
    const { name } = variable
    const given = Object.hasOwn(values, name) ? values[name] : undefined
    const value = given ?? variable.default
    if (value === null || value === undefined) {
      if (variable.required)
        problems.push(`${name}: a value is required${variable.description ? ` (${variable.description})` : ''}`)
      else texts.set(name, '')
      continue
    }
    const text = String(value)
    const problem = findProblem(variable, value, text)
    if (problem) problems.push(`${name}: expected ${problem}, got ${JSON.stringify(value)}`)
    else texts.set(name, text)
  }
  if (problems.length > 0) throw new PromptHubError('invalid_values', problems.join('; '), { problems })
  requireBounded(content, texts)
  return content.replace(PLACEHOLDER, (whole, _space, name: string) => texts.get(name) ?? whole)
}

/** @returns what was expected, when a value is not of its variable's type */
function findProblem({ type, options }: Variable, value: string | number | boolean, text: string): string | undefined {
  if (type === 'enum')
    return options.some((option) => String(option) === text) ? undefined : `one of ${options.join(', ')}`
  if (type === 'boolean') return text === 'true' || text === 'false' ? undefined : 'true or false'
  if (type === 'number') return isNumber(value, text) ? undefined : 'a number'
  if (type === 'integer') return isNumber(value, text) && Number.isInteger(Number(text)) ? undefined : 'a whole number'
  return undefined
}

function isNumber(value: string | number | boolean, text: string): boolean {
  return typeof value !== 'boolean' && NUMBER.test(text) && Number.isFinite(Number(text))
}

/** The length is known before anything is filled: a short value in many places can be a long text. */
function requireBounded(content: string, texts: ReadonlyMap<string, string>): void {
  const encoder = new TextEncoder()
  const sizes = new Map([...texts].map(([name, text]) => [name, encoder.encode(text).length]))
  let bytes = encoder.encode(content).length
  for (const [whole, , name] of content.matchAll(PLACEHOLDER)) {
    const size = sizes.get(name!)
    if (size !== undefined) bytes += size - whole.length
  }
  if (bytes > MOST_FILLED_BYTES)
    throw new PromptHubError(
      'invalid_values',
      `The filled prompt would have ${bytes} bytes; at most ${MOST_FILLED_BYTES} are allowed.`,
    )
}

function listNames(names: string[]): string {
  return names.length === 0 ? 'are none' : `are ${names.join(', ')}`
}
