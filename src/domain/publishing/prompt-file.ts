// Reads and writes prompt files: front matter with the fields of a publish, then the content. docs/contract.md section 7
import * as z from 'zod'
import { LIMITS } from '../api/limits.ts'
import type { Repository, VersionRecord } from '../api/schema.ts'
import { VERSION_PATTERN } from '../content/names.ts'
import { findVariableNames } from '../content/placeholders.ts'
import {
  FRONT_MATTER_START,
  findLine,
  PROMPT_FILE_KEYS,
  splitFile,
  undeclaredVariable,
} from '../content/prompt-file.ts'
import { findJsonProblem, isSameJson } from '../text/json.ts'
import { type Parsed, printable, unknownField, type ValueProblem } from '../text/problems.ts'
import { formatYaml } from '../text/yaml.ts'
import { type Measure, type PublishInput, PublishRequest, parsePublishRequest, validationFailed } from './request.ts'

/** The query parameters of a publish whose body is a prompt file; everything else is in the file. */
export const PublishQuery = z.strictObject({
  bump: PublishRequest.shape.bump,
  changelog: PublishRequest.shape.changelog,
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
  dry_run: z.enum(['true', 'false']).optional().describe('`true` validates the file without publishing it.'),
})

/**
 * Parses a publish whose body is a prompt file.
 *
 * @param text the whole file; a file without front matter is content alone
 * @param query the query parameters, without duplicates
 * @throws HubError like `parsePublishRequest`; each problem in the file names its line
 */
export function readPromptFile(text: string, query: Readonly<Record<string, string>>, measure: Measure): PublishInput {
  // A byte order mark is part of content alone, but not of front matter.
  const file = text.replace(/^\ufeff(?=---\r?\n)/, '')
  const { value: parts, problems } = splitPromptFile(file)
  const place = (problem: ValueProblem & { offset?: number }): ValueProblem => {
    const { key, message } = problem
    const [name = ''] = key.split('.')
    const isInFile = key === 'content' || (PROMPT_FILE_KEYS.has(name) && !Object.hasOwn(query, name))
    return { key, message: isInFile ? `line ${findLine(file, problem)}: ${message}` : message }
  }
  if (problems) throw validationFailed(problems)
  const options = PublishQuery.safeParse(query)
  const isKnown = ([key]: [string, unknown]) => PROMPT_FILE_KEYS.has(key)
  const keys = Object.entries(parts.front)
  const unknown = keys.filter((entry) => !isKnown(entry))
  const wrong = [
    ...unknown.slice(0, LIMITS.problemsNamed).map(([key]) => {
      const { message } = unknownField(key)
      // With a dot, `content` is a key of the front matter and not what follows it.
      return { key: printable(key), message: `line ${findLine(file, { key: `${key}.`, message })}: ${message}` }
    }),
    ...(options.error?.issues ?? []).flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ key: printable(key), message: 'unknown query parameter' }))
        : [{ key: issue.path.join('.'), message: issue.message }],
    ),
  ]
  const { expected_version, dry_run, skill, ...rest } = options.data ?? {}
  const body = {
    ...{ ...Object.fromEntries(keys.filter(isKnown)), ...rest, content: parts.body, dry_run: dry_run === 'true' },
    ...(skill !== undefined && { skill: skill === '' ? null : { description: skill } }),
    ...(expected_version !== undefined && { expected_version: expected_version === 'null' ? null : expected_version }),
  }
  return parsePublishRequest(body, measure, place, wrong)
}

/** The bounds of front matter before anything in it is judged. */
const MAX_FRONT_CHARACTERS = 65_536
const BOUNDS = { depth: LIMITS.parameterDepth + 2, keys: LIMITS.requestValues }

function splitPromptFile(text: string): Parsed<{ front: Record<string, unknown>; body: string }> {
  if (!FRONT_MATTER_START.test(text)) return { value: { front: {}, body: text } }
  if (text.indexOf('\n---', 3) > MAX_FRONT_CHARACTERS)
    return { problems: [{ key: '', message: `expected front matter of at most ${MAX_FRONT_CHARACTERS} characters` }] }
  const split = splitFile(text)
  const excess = split.value && findJsonProblem(split.value.front, BOUNDS)
  return excess === undefined ? split : { problems: [{ key: '', message: excess }] }
}

/** Writes a version as a prompt file, which publishes the same version again. Fields without a value are omitted. */
export function writePromptFile(
  { title, description, tags, license }: Pick<Repository, 'title' | 'description' | 'tags' | 'license'>,
  {
    content,
    format,
    variables,
    parameters,
    skill,
  }: Pick<VersionRecord, 'content' | 'format' | 'variables' | 'parameters'> & {
    skill?: { description: string } | null | undefined
  },
): string {
  const isPlain = isSameJson(variables, findVariableNames({ content, format }).map(undeclaredVariable))
  const front = {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
    ...(tags.length > 0 && { tags }),
    ...(license !== null && { license }),
    ...(format === 'chat' && { format }),
    ...(!isPlain && { variables }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(skill && { skill: { description: skill.description } }),
  }
  const isContentAlone = Object.keys(front).length === 0 && !FRONT_MATTER_START.test(content)
  return isContentAlone ? content : `---\n${formatYaml(front)}---\n${content}`
}
