// Schemas for declared variables, with the rules for defaults and examples.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { countCharacters } from '../text/plain-text.ts'
import { describeValue } from '../text/problems.ts'
import { line, Scalar, unique, VariableName, VariableType } from '../values/values.ts'

/** A variable as declared by its author: only the name is required. docs/content.md. */
export const VariableInput = z
  .strictObject({
    name: VariableName,
    description: line(LIMITS.descriptionCharacters).default('').describe('What the value is for.'),
    type: VariableType.default('string'),
    required: z.boolean().default(true).describe('Whether a value must be provided before the prompt is used.'),
    default: Scalar.nullable().default(null).describe('The value used if none is provided.'),
    options: z
      .array(line(LIMITS.sentenceCharacters).min(1, 'expected some text'))
      .max(LIMITS.optionsPerVariable, `expected at most ${LIMITS.optionsPerVariable} options`)
      .refine(unique, 'expected each option only once')
      .meta({ uniqueItems: true })
      .default([])
      .describe('The values to choose from; only for type enum.'),
    example: Scalar.nullable().default(null).describe('An example value.'),
  })
  .superRefine((variable, context) => {
    const { type, options } = variable
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (type === 'enum' && options.length === 0)
      refuse('options', 'expected at least one option, because the type is enum')
    if (type !== 'enum' && options.length > 0) refuse('options', `expected none, because the type is ${type}`)
    for (const field of ['default', 'example'] as const) {
      const value = variable[field]
      if (value !== null && !fits(value, type, options))
        refuse(field, `expected ${wanted(type)}, got ${describeValue(value)}`)
    }
  })
  .meta({ allOf: describeKinds() })

/** The same rules as JSON Schema: additional constraints for each type. */
function describeKinds() {
  const rule = (type: z.infer<typeof VariableType>, properties: Record<string, unknown>, required: string[] = []) => ({
    if: { properties: { type: { const: type } }, ...(type === 'string' ? {} : { required: ['type'] }) },
    // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
    then: { properties, ...(required.length > 0 ? { required } : {}), additionalProperties: true },
  })
  const values = (type: string) => ({
    default: { type: [type, 'null'] },
    example: { type: [type, 'null'] },
    options: { maxItems: 0 },
  })
  return [
    rule('string', values('string')),
    rule('number', values('number')),
    rule('integer', values('integer')),
    rule('boolean', values('boolean')),
    rule(
      'enum',
      { options: { minItems: 1 }, default: { type: ['string', 'null'] }, example: { type: ['string', 'null'] } },
      ['options'],
    ),
  ]
}

function fits(
  value: string | number | boolean,
  type: z.infer<typeof VariableType>,
  options: readonly string[],
): boolean {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'boolean') return typeof value === 'boolean'
  if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return false
  // A string has at most as many characters as UTF-16 code units, which need not be counted.
  return type === 'string' ? value.length <= 10_000 || countCharacters(value) <= 10_000 : options.includes(value)
}

function wanted(type: z.infer<typeof VariableType>): string {
  if (type === 'enum') return 'one of the options'
  if (type === 'string') return 'a text (in quotes) of at most 10000 characters'
  return type === 'integer' ? 'a whole number' : `a ${type}`
}

/** The variables of a version, with unique names. */
export const VariableInputs = z
  .array(VariableInput)
  .max(LIMITS.variablesPerVersion, `expected at most ${LIMITS.variablesPerVersion} variables`)
  .superRefine((variables, context) => {
    const seen = new Set<string>()
    for (const [index, { name }] of variables.entries()) {
      if (seen.has(name))
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `expected each name only once, got ${name} twice`,
        })
      seen.add(name)
    }
  })
  .describe('The version’s placeholders.')
