// Owns what a publish asks for: the body's shape, reading it, and every problem in it at once. What it answers is described in route-schemas.ts.
import * as z from 'zod'
import { HubError } from '../api/errors.ts'
import { LIMITS } from '../api/limits.ts'
import { BUMPS } from '../catalogue/versions.ts'
import { Changelog, Description, ParametersInput, TagInputs, Title } from '../content/front-matter.ts'
import { findJsonExcess } from '../content/json.ts'
import { findPlaceholders } from '../content/placeholders.ts'
import { formatProblems, parseBy, unknownField, type ValueProblem } from '../content/problems.ts'
import { undeclaredVariable } from '../content/prompt-file.ts'
import { checkVersion, findLicenseProblem } from '../content/rules.ts'
import { findCertainSecret } from '../content/secrets.ts'
import { License, Version } from '../content/values.ts'
import { VariableInputs } from '../content/variable-input.ts'

/** The body of a publish. docs/contract.md section 7: unknown fields are refused, and null means "left out" nowhere but in `expected_version`. */
export const PublishRequest = z
  .strictObject({
    content: z
      .string()
      .meta({ minLength: 1, maxLength: LIMITS.contentBytes, pattern: '\\S' })
      .describe('The prompt’s text, kept byte for byte: 1 to 262144 bytes of UTF-8, not only white space.'),
    changelog: Changelog.default(''),
    bump: z
      .enum(BUMPS)
      .default('patch')
      .describe('Which part of the version number is raised; the first version is 1.0.0 whatever it says.'),
    variables: VariableInputs.optional().describe('The placeholders. Left out, the previous version’s carry over.'),
    parameters: ParametersInput.optional().describe('Model settings. Left out, the previous version’s carry over.'),
    title: Title.optional(),
    description: Description.optional(),
    tags: TagInputs.optional(),
    license: License.optional(),
    expected_version: Version.nullable()
      .optional()
      .describe('The version you believe is the latest, or null for a new repository; otherwise 409.'),
    dry_run: z.boolean().default(false).describe('Everything but the commit; answers 200.'),
  })
  .meta({ id: 'PublishRequest', description: 'A new version of a repository.' })
export type PublishRequest = z.infer<typeof PublishRequest>

/** The form of an Idempotency-Key: visible ASCII. docs/contract.md section 7 */
export const IDEMPOTENCY_KEY = { shortest: 8, longest: 128, pattern: /^[!-~]{8,128}$/ } as const

/** Computes a content's digest and size. Handed in, because `domain` imports nothing of Node. */
export type Measure = (content: string) => { content_sha256: string; size_bytes: number }

/**
 * Reads a request's body.
 *
 * @param measure gives the size; a content that is too large is answered with a status of its own
 * @throws HubError `content_too_large`, or `validation_failed` with every problem in one message, each with its field
 */
export function parsePublishRequest(body: unknown, measure: Measure): PublishRequest {
  const parsed = parseBy(PublishRequest, body)
  const content = typeof body === 'object' && body !== null && 'content' in body ? body.content : undefined
  if (typeof content === 'string' && measure(content).size_bytes > LIMITS.contentBytes) throw contentTooLarge()
  const problems: ValueProblem[] = [...(parsed.problems ?? [])]
  const license = parsed.value?.license
  const licenseProblem = license === undefined ? undefined : findLicenseProblem(license)
  if (licenseProblem) problems.push({ key: 'license', message: licenseProblem })
  for (const field of ['title', 'description'] as const) {
    const message = findCertainSecret(parsed.value?.[field] ?? '')
    if (message !== undefined) problems.push({ key: field, message })
  }
  if (typeof content === 'string') {
    // The rules over what a version says can be judged before git is asked: all problems in one message.
    const { changelog = '', variables, parameters = {} } = parsed.value ?? {}
    const entry = {
      ...measure(content),
      content,
      changelog,
      parameters,
      variables: variables ?? findPlaceholders(content).map(undeclaredVariable),
    }
    problems.push(...checkVersion({ ...entry, version: '0.0.0', published_at: '', published_by: '' }))
  }
  if (parsed.problems || problems.length > 0) throw validationFailed(problems)
  return parsed.value
}

/** What may stand in a body, by the names of its fields. */
const BODY_BOUNDS = {
  known: new Set(Object.keys(PublishRequest.shape)),
  // Up to this many are named beside all other problems; of more, only the first ones and their number are named.
  unknown: 100,
  keys: LIMITS.parameterKeys,
  values: LIMITS.requestValues,
  depth: LIMITS.parameterDepth,
}

/**
 * Refuses a body that holds more than any publish can, before it is parsed: parsing and judging 95,000 keys took 90 ms, during which this process answered nobody else.
 *
 * @param text the body
 * @throws HubError `validation_failed`
 */
export function refuseExcess(text: string): void {
  const excess = findJsonExcess(text, BODY_BOUNDS)
  if (excess === undefined) return
  if (excess.kind === 'unknown') throw validationFailed(excess.names.map(unknownField), excess.count)
  const most = {
    keys: `${BODY_BOUNDS.keys} keys in all`,
    values: `${BODY_BOUNDS.values} values in all`,
    depth: `${BODY_BOUNDS.depth} levels`,
  }[excess.kind]
  throw validationFailed([{ key: excess.field, message: `expected at most ${most}` }])
}

/** The sentence of a content or body that is too long. */
export function contentTooLarge(): HubError {
  return new HubError(
    'content_too_large',
    `content: expected at most ${LIMITS.contentBytes} bytes of UTF-8, in a body of at most ${LIMITS.requestBytes}. Split the prompt, or shorten it.`,
  )
}

/** All problems in one message, each with its field. @param count how many there are, where not all of them are given */
export function validationFailed(problems: readonly ValueProblem[], count = problems.length): HubError {
  // A message quotes what it was given, and a token that slipped into the wrong field would be quoted too, whole or cut.
  const message = formatProblems(problems, count).replace(/hub_[0-9A-Za-z]{20,}/g, 'hub_…')
  return new HubError('validation_failed', `${message}.`)
}
