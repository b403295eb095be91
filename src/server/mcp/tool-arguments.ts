// Parses tool arguments: corrects mistakes that models commonly make, then validates all arguments together.

import * as z from 'zod'
import { SORTS } from '../../domain/api/data-paths.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isObject } from '../../domain/text/json.ts'
import { countCharacters } from '../../domain/text/plain-text.ts'
import { type Parsed, parseWithSchema } from '../../domain/text/problems.ts'
import { KINDS } from '../../domain/values/chat.ts'
import { readObject } from './protocol.ts'

// Patterns without the lookaheads of the contract's: some clients compile them with RE2, which does not support these.
const WORDS = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

const owner = words(LIMITS.ownerCharacters, 'acme').describe('Owner, before the slash in owner/name.')
const name = words(LIMITS.nameCharacters, 'code-review').describe('Name, after the slash in owner/name.')
const version = shortText(LIMITS.rangeCharacters, '1.0.0').describe(
  'Version x.y.z, or a range such as ^1.2: its highest. Default: the latest.',
)
const label = shortText(LIMITS.tagCharacters, 'production').describe('A label instead of a version.')
const page = wholeFrom(1, LIMITS.highestPage, 2).describe('1-based page number. Default 1.').optional()

/** The maximum and default page size for each list. */
export const PAGE_SIZES = {
  search_prompts: { most: 50, usual: 10 },
  list_versions: { most: 100, usual: 20 },
  list_tags: { most: 200, usual: 50 },
} as const

const WANTED_VALUE = 'expected a string, for example "Go"'

/** The argument schema of each tool. The schemas are closed, so unknown arguments are rejected rather than ignored. */
export const INPUTS = {
  search_prompts: z.strictObject({
    q: shortText(LIMITS.queryCharacters, 'code review')
      .describe('Words to find in any field; prompts with all of them come first.')
      .optional(),
    tag: shortText(LIMITS.tagCharacters, 'writing').describe('One tag, exactly as in list_tags.').optional(),
    kind: z
      .enum(KINDS, `expected one of ${KINDS.join(', ')}, for example "skill"`)
      .describe('Only this kind.')
      .optional(),
    sort: z
      .enum(SORTS, `expected one of ${SORTS.join(', ')}, for example "new"`)
      .describe('Default: best match with q, else top.')
      .optional(),
    page,
    limit: limit('search_prompts'),
  }),
  get_prompt: z.strictObject({
    owner,
    name,
    version: version.optional(),
    label: label.optional(),
    at: z
      .string('expected a time, for example "2026-11-20T10:00:00Z"')
      .describe('With label: its version at that time, RFC 3339.')
      .optional(),
    variables: z
      .record(
        z.string(),
        // The schema tells models to keep values short. Longer values are accepted, because a value may be a whole diff; the size of the request limits them.
        z.string(WANTED_VALUE).meta({ maxLength: LIMITS.toolValueCharacters }),
        'expected an object of strings, for example {"language": "Go"}',
      )
      .describe('Values for {{name}} placeholders, for example {"language": "Go"}.')
      .optional(),
    offset: wholeFrom(0, LIMITS.filledBytes, 10_000)
      .describe('For a part of a long text: its start. Default 0.')
      .optional(),
    limit: wholeFrom(1, LIMITS.filledBytes, 10_000).describe('For a part of a long text: its length.').optional(),
  }),
  list_versions: z.strictObject({ owner, name, page, limit: limit('list_versions') }),
  list_tags: z.strictObject({
    q: shortText(LIMITS.tagCharacters, 'writing').describe('Only tags that contain this string.').optional(),
    page,
    limit: limit('list_tags'),
  }),
} as const

/** The name of a tool. */
export type ToolName = keyof typeof INPUTS

/** The names of the tools, in listing order. */
export const TOOL_NAMES = Object.keys(INPUTS) as ToolName[]

/** The other checks are skipped if the pattern does not match, so that the message appears only once. */
function matching(pattern: RegExp, wanted: string) {
  return z.string(wanted).regex(pattern, { error: wanted, abort: true })
}

function words(maxCharacters: number, example: string) {
  const wanted = `expected 1 to ${maxCharacters} of a-z, 0-9 and single hyphens inside, for example "${example}"`
  return matching(WORDS, wanted).max(maxCharacters, wanted)
}

/** Lengths are counted in code points, as in JSON Schema. */
function shortText(maxCharacters: number, example: string) {
  const wanted = `expected a string of at most ${maxCharacters} characters, for example "${example}"`
  return z
    .string(wanted)
    .refine((text) => countCharacters(text) <= maxCharacters, wanted)
    .meta({ maxLength: maxCharacters })
}

function wholeFrom(least: number, most: number, example: number) {
  const wanted = `expected a whole number from ${least} to ${most}, for example ${example}`
  return z.int(wanted).min(least, wanted).max(most, wanted)
}

function limit(tool: keyof typeof PAGE_SIZES) {
  const { most, usual } = PAGE_SIZES[tool]
  return wholeFrom(1, most, usual).describe(`Items per page. Default ${usual}.`).optional()
}

type Given = Record<string, unknown>

/** The validated arguments of a tool. */
export type Arguments<Name extends ToolName> = z.output<(typeof INPUTS)[Name]>

/** Parses the arguments of a call. @returns the arguments, or every problem with the argument's name and an example */
export function readArguments<Name extends ToolName>(tool: Name, given: Given): Parsed<Arguments<Name>>
export function readArguments(tool: ToolName, given: Given): Parsed<unknown> {
  const settled = settle(tool, given)
  const { value, problems = [] } = parseWithSchema<z.ZodType>(INPUTS[tool], settled)
  // zod ignores an own `__proto__` property of a record, but {{__proto__}} is a valid placeholder.
  const variables = isObject(settled.variables) ? settled.variables : undefined
  const ignored = new Map(Object.entries(variables ?? {})).get('__proto__') ?? ''
  if (typeof ignored !== 'string') problems.push({ key: 'variables.__proto__', message: WANTED_VALUE })
  if (problems.length > 0) return { problems }
  return { value: isObject(value) && variables ? { ...value, variables } : value }
}

/** Converts alternative forms of input, which are accepted but not in the schema, to the form in the schema. */
function settle(tool: ToolName, given: Given): Given {
  const settled = { ...given }
  for (const [key, value] of Object.entries(settled)) {
    if (isEmpty(value) && isOptional(tool, key)) delete settled[key]
    // Names are converted to lower case, just as the read API redirects such URLs.
    else if (/^(?:owner|name)$/.test(key) && typeof value === 'string') settled[key] = value.toLowerCase()
    else if (/^(?:page|limit|offset)$/.test(key) && typeof value === 'string' && /^\d{1,7}$/.test(value))
      settled[key] = Number(value)
  }
  const [owner = '', name = '', rest] = typeof settled.name === 'string' ? settled.name.split('/') : []
  const isFullName = name !== '' && rest === undefined
  if (isFullName && (isEmpty(settled.owner ?? null) || settled.owner === owner)) Object.assign(settled, { owner, name })
  const variables = readObject(settled.variables)
  if (isObject(variables)) settled.variables = textsOf(variables)
  return settled
}

/** Returns whether a value stands for "not given": many clients send every argument of the schema. */
const isEmpty = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '')

function isOptional(tool: ToolName, key: string): boolean {
  const shape: Readonly<Record<string, z.ZodType>> = INPUTS[tool].shape
  return Object.hasOwn(shape, key) && shape[key]!.safeParse(undefined).success
}

/** Converts numbers and booleans to strings, and drops null, which stands for "not given". `__proto__` is treated like any other key. */
function textsOf(variables: Given): Given {
  return Object.fromEntries(
    Object.entries(variables)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, typeof value === 'number' || typeof value === 'boolean' ? String(value) : value]),
  )
}
