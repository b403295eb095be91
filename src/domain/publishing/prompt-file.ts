// Reads prompt files: front matter with the fields of a publish, then the content. docs/contract.md section 7
import * as z from 'zod'
import { openLines, splitFile } from '../content/prompt-file.ts'
import { PROMPT_FILE_KEYS } from '../content/prompt-file-keys.ts'
import { LIMITS } from '../limits.ts'
import { findJsonProblem } from '../text/json.ts'
import { printable } from '../text/printable.ts'
import { type Parsed, parseWithSchema, unknownField, type ValueProblem } from '../text/problems.ts'
import { VERSION_PATTERN } from '../values/names.ts'
import { type GivenFile, type PublishInput, PublishRequest, parsePublishRequest, validationFailed } from './request.ts'

/** The query parameters of a publish whose body is a prompt file; everything else is in the file. */
export const PublishQuery = z.strictObject({
  bump: PublishRequest.shape.bump,
  allow_breaking: z.enum(['true', 'false']).optional().describe('`false` refuses a breaking change as minor or patch.'),
  changelog: PublishRequest.shape.changelog.describe('What changed in this version.'),
  expected_version: z
    .string()
    .regex(new RegExp(`^null$|${VERSION_PATTERN.source}`), 'expected a version in the form x.y.z')
    .optional()
    .describe('The version that you expect to be the latest, or `null` for a new repository.'),
  format: PublishRequest.shape.format.describe('Instead of `format` in the file.'),
  skill: z
    .string()
    .optional()
    .describe('The description of the Agent Skill, instead of `skill` in the file; empty: not a skill.'),
  labels: z.string().optional().describe('Labels to point at the version in the same commit, separated by commas.'),
  compose: z.enum(['true', 'false']).optional().describe('Instead of `compose` in the file.'),
  dry_run: z.enum(['true', 'false']).optional().describe('`true` validates the file without publishing it.'),
})

/** Parses the query parameters of a publish whose body is not JSON. @returns the fields of a publish, and the problems */
export function readPublishQuery(query: Readonly<Record<string, string>>): {
  body: Record<string, unknown> & { skill?: { description: string } | null }
  problems: ValueProblem[]
} {
  const options = parseWithSchema(PublishQuery, query)
  const problems = (options.problems ?? []).map(({ key, message }) => ({
    key,
    message: Object.hasOwn(PublishQuery.shape, key) ? message : 'unknown query parameter',
  }))
  const { expected_version, dry_run, skill, compose, labels, allow_breaking, ...rest } = options.value ?? {}
  const body = {
    ...rest,
    dry_run: dry_run === 'true',
    allow_breaking: allow_breaking !== 'false',
    ...(compose !== undefined && { compose: compose === 'true' }),
    ...(labels !== undefined && { labels: labels.split(',').filter((label) => label !== '') }),
    ...(skill !== undefined && { skill: skill === '' ? null : { description: skill } }),
    ...(expected_version !== undefined && { expected_version: expected_version === 'null' ? null : expected_version }),
  }
  return { body, problems }
}

/**
 * Parses a publish whose body is a prompt file.
 *
 * @param text the whole file; a file without front matter is content alone
 * @param query the query parameters, without duplicates
 * @param files the files of a skill, if the prompt file came with them
 * @throws HubError like `parsePublishRequest`; each problem in the file names its line
 */
export function readPromptFile(
  text: string,
  query: Readonly<Record<string, string>>,
  files?: readonly GivenFile[],
): PublishInput {
  // A byte order mark is part of content alone, but not of front matter.
  const file = OPENS_FRONT_MATTER.test(text) ? text.replace(/^\ufeff/, '') : text
  const { value: parts, problems } = splitPromptFile(file)
  const lineIn = openLines(file)
  const place = (problem: ValueProblem): ValueProblem => {
    const { key, message } = problem
    const [name = ''] = key.split('.')
    const isInFile = key === 'content' || (PROMPT_FILE_KEYS.has(name) && !Object.hasOwn(query, name))
    return { key, message: isInFile ? `line ${lineIn(problem)}: ${message}` : message }
  }
  if (problems) throw validationFailed(problems)
  const options = readPublishQuery(query)
  const wrong: ValueProblem[] = []
  const fields: [string, unknown][] = []
  for (const [key, value] of Object.entries(parts.front)) {
    const isKnown = PROMPT_FILE_KEYS.has(key)
    const message = isKnown ? findJsonProblem(value, BOUNDS) : unknownField(key).message
    if (message === undefined) fields.push([key, value])
    // With a dot, `content` is a key of the front matter and not what follows it. Only the first problems are named.
    else if (wrong.length < LIMITS.problemsNamed)
      wrong.push({ key: printable(key), message: `line ${lineIn({ key: `${key}.`, message })}: ${message}` })
    else wrong.push({ key: '', message })
  }
  wrong.push(...options.problems)
  const body = { ...Object.fromEntries(fields), ...options.body, content: parts.body }
  return parsePublishRequest(body, { place, known: wrong, files })
}

/** The first line of a file with front matter, after a byte order mark that is dropped; what follows may be missing. */
export const OPENS_FRONT_MATTER = /^\ufeff?---(?:\r?\n|$)/
/** The bounds of front matter, and of each field in it, before anything in it is judged. */
const MAX_FRONT_CHARACTERS = 65_536
const BOUNDS = { depth: LIMITS.parameterDepth, keys: LIMITS.parameterKeys }

function splitPromptFile(text: string): Parsed<{ front: Record<string, unknown>; body: string }> {
  if (!OPENS_FRONT_MATTER.test(text)) return { value: { front: {}, body: text } }
  const wrong = (message: string) => ({ problems: [{ key: '', message: `line 1: ${message}` }] })
  const close = text.indexOf('\n---', 3)
  if (close === -1)
    return wrong(
      'expected a second line that is exactly --- after the front matter; if the text itself begins with ---, put two such lines before it',
    )
  if (close > MAX_FRONT_CHARACTERS) return wrong(`expected front matter of at most ${MAX_FRONT_CHARACTERS} characters`)
  return splitFile(text)
}
