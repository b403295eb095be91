// Parses the body of a publish, and lists every problem in it. route-schemas.ts describes the response.
import * as z from 'zod'
import { HubError } from '../api/errors.ts'
import { findIncludeLines } from '../compose/include-lines.ts'
import {
  Changelog,
  Description,
  Format,
  ParametersInput,
  SkillInput,
  TagInputs,
  Title,
} from '../content/front-matter.ts'
import { findVariableNames } from '../content/placeholders.ts'
import { undeclaredVariable } from '../content/prompt-file.ts'
import { type CheckedVersion, checkVersion, findLicenseProblem } from '../content/rules.ts'
import { findCertainSecret } from '../content/secrets.ts'
import { storeSkill } from '../content/skill.ts'
import { VariableInputs } from '../content/variable-input.ts'
import { checkFiles, nameFileProblem } from '../content/version-files.ts'
import { LIMITS } from '../limits.ts'
import { type BodyBounds, findJsonExcess, isObject, type JsonExcess } from '../text/json.ts'
import { countBytes, lineOf } from '../text/plain-text.ts'
import { printable } from '../text/printable.ts'
import {
  formatProblems,
  type Parsed,
  parseWithSchema,
  type RuleProblem,
  unknownField,
  type ValueProblem,
} from '../text/problems.ts'
import { CHAT_ROLES, type ChatPart, formatChat, isChatMessage } from '../values/chat.ts'
import { findUnwritable } from '../values/chat-rules.ts'
import { sortFiles } from '../values/file-entry.ts'
import { isLabel } from '../values/names.ts'
import { License, unique, Version, VersionAddress } from '../values/values.ts'
import { WANTED_BUMPS } from '../values/versions.ts'

const MessageInput = z.union(
  [
    z.strictObject({
      role: z.enum(CHAT_ROLES).describe('The role of the message.'),
      content: z.string().meta({ minLength: 1 }).describe('Its text.'),
    }),
    z.strictObject({ type: z.literal('history').describe('The position of the caller’s earlier messages.') }),
  ],
  'expected {"role", "content"} with the role system, user or assistant, or {"type": "history"}',
)
/** A file beside the SKILL.md of a skill. */
const FileInput = z.union(
  [
    z.strictObject({
      path: z.string().describe('Its path, relative to the folder that contains SKILL.md.'),
      text: z.string().describe('Its text, stored as UTF-8, byte for byte.'),
    }),
    z.strictObject({ path: z.string().describe('As above.'), base64: z.string().describe('Its bytes, in base64.') }),
  ],
  'expected {"path", "text"} or {"path", "base64"}',
)
const FileInputs = z.array(FileInput).max(LIMITS.filesPerVersion, `expected at most ${LIMITS.filesPerVersion} files`)

const MessageInputs = z
  .array(MessageInput)
  .min(1, 'expected at least one message')
  .max(LIMITS.messagesPerVersion + 1, `expected at most ${LIMITS.messagesPerVersion} messages`)

/** The names of labels to move. */
const LabelNames = z
  .array(z.string().refine(isLabel, 'expected a label such as production, not latest and not a range such as 1 or x'))
  .max(LIMITS.labelsPerPublish, `expected at most ${LIMITS.labelsPerPublish} labels`)
  .refine(unique, 'expected each label only once')

/** As many digits as hubcli takes. */
const MAX_MIN_AGE_DAYS = 9_999

/** The attestations as JSON. What is in them is judged when they are verified. */
const AttestationInputs = z
  .array(
    z
      .custom<object>(isObject, 'expected a Sigstore bundle, a JSON object')
      .meta({ type: 'object', additionalProperties: true }),
  )
  .max(LIMITS.attestationsPerVersion, `expected at most ${LIMITS.attestationsPerVersion} attestations`)

/** The body of a publish. docs/contract.md section 7: unknown fields are rejected, and null is allowed only in `expected_version` and `skill`. */
export const PublishRequest = z
  .strictObject({
    content: z
      .string()
      .optional()
      .meta({ minLength: 1, maxLength: LIMITS.contentBytes, pattern: '\\S' })
      .describe('The prompt’s content, stored byte for byte: 1 to 262144 bytes of UTF-8, not only whitespace.'),
    format: Format.optional().describe(
      '`text`, or `chat` if the content has role lines. Default: the previous version’s format; `text` for the first version.',
    ),
    messages: MessageInputs.optional().describe('The messages of a chat prompt, instead of `content`.'),
    compose: z
      .boolean()
      .optional()
      .describe(
        'Whether the include lines of `content`, such as {{include "acme/house-style@^1.2.0"}} alone on a line, are replaced by the content of other versions.',
      ),
    recompose: z
      .boolean()
      .optional()
      .describe('Instead of `content`: composes the source of the latest version again, with the versions of today.'),
    min_age_days: z
      .int()
      .min(0)
      .max(MAX_MIN_AGE_DAYS, `expected at most ${MAX_MIN_AGE_DAYS} days`)
      .optional()
      .describe(
        'With `recompose`: takes only versions that have been available for this many days, and none lower than the included one. Default: 0, all versions.',
      ),
    changelog: Changelog.default(''),
    bump: z
      .enum(WANTED_BUMPS)
      .default('auto')
      .describe(
        'The part of the version number to increment. `auto`: major if the change is breaking for callers, patch if variables, parameters, format, skill and files stay the same, otherwise minor. The first version is always 1.0.0.',
      ),
    allow_breaking: z
      .boolean()
      .default(true)
      .describe('Whether a breaking change may be published as minor or patch. `false` refuses it.'),
    variables: VariableInputs.optional().describe('The variables. Default: those of the previous version.'),
    parameters: ParametersInput.optional().describe('Model settings. Default: those of the previous version.'),
    skill: SkillInput.nullable()
      .optional()
      .describe(
        'Makes the version an Agent Skill; null means that it is not a skill. Default: as in the previous version.',
      ),
    files: FileInputs.optional().describe(
      'The files beside the SKILL.md of an Agent Skill; [] means none. Default: those of the previous version.',
    ),
    attestations: AttestationInputs.optional().describe(
      'Sigstore bundles that sign the content or, for a skill with files, its archive, and the manifest. An earlier version’s are not taken over.',
    ),
    title: Title.optional(),
    description: Description.optional(),
    tags: TagInputs.optional(),
    license: License.optional(),
    forked_from: VersionAddress.optional().describe(
      'The version that the first version was forked from, such as acme/code-review@1.2.0. It must exist on this hub.',
    ),
    labels: LabelNames.optional().describe(
      'Labels to point at the version in the same commit; if one of them may not move, nothing is published.',
    ),
    expected_version: Version.nullable()
      .optional()
      .describe(
        'The version that you expect to be the latest, or null for a new repository; if it is not, the response is 409.',
      ),
    dry_run: z
      .boolean()
      .default(false)
      .describe('Validates the request without committing anything; the response is 200.'),
  })
  .meta({
    id: 'PublishRequest',
    description: 'A new version of a repository.',
    oneOf: [{ required: ['content'] }, { required: ['messages'] }, { required: ['recompose'] }],
  })

/** Adds the line to a problem; `offset` counts from the start of its key's value. */
type PlaceProblem = (problem: ValueProblem) => ValueProblem

/** A parsed publish, with messages converted to content. */
export interface PublishInput
  extends Omit<z.infer<typeof PublishRequest>, 'content' | 'messages' | 'files' | 'attestations'> {
  /** Empty with `recompose`. */
  content: string
  /** The text of each Sigstore bundle, as it is stored. */
  attestations?: readonly string[]
  /** Sorted by path; undefined means those of the previous version. */
  files?: readonly GivenFile[]
  /** The paths of what systems and programs left in the folder that was sent, which is not published. */
  leftOut?: readonly string[]
}

/** Returns whether a publish is to be composed. */
export function isComposed({ compose, recompose }: Pick<PublishInput, 'compose' | 'recompose'>): boolean {
  return compose === true || recompose === true
}

/** A file as it was sent. */
export interface GivenFile {
  path: string
  bytes: Uint8Array<ArrayBuffer>
}

/** Format of an Idempotency-Key: visible ASCII. docs/contract.md section 7 */
export const IDEMPOTENCY_KEY = { shortest: 8, longest: 128, pattern: /^[!-~]{8,128}$/ } as const

/** Computes the digest and size of some content. Passed in, because `domain` imports nothing from Node. */
export type Measure = (content: string) => { content_sha256: string; size_bytes: number }

/** Parses the JSON of a publish. @throws HubError like `parsePublishRequest`; `invalid_request` for invalid JSON */
export function readPublishBody(text: string): PublishInput {
  const isLong = countBytes(text) > LIMITS.requestBytes
  try {
    const input = parsePublishRequest(parseBody(text, PUBLISH_BOUNDS))
    if (!isLong || input.files) return input
  } catch (error) {
    // Only a body with files may be longer, and what is not JSON has none.
    if (!isLong || !(error instanceof HubError) || error.code !== 'invalid_request') throw error
  }
  throw contentTooLarge()
}

/** What a body came with. */
interface Parsing {
  /** Adds the line to a problem in a prompt file; for JSON, only problems in the content have lines. */
  place?: PlaceProblem
  /** Problems found before, which are reported first. */
  known?: readonly ValueProblem[]
  /** The files of an archive. */
  files?: readonly GivenFile[] | undefined
}

/**
 * Parses a request's body.
 *
 * @throws HubError `content_too_large` for content over the limit, or `validation_failed` with every problem in one message, each with its field
 */
export function parsePublishRequest(body: unknown, { place, known = [], files }: Parsing = {}): PublishInput {
  const parsed = parseWithSchema(PublishRequest, body)
  const usable = parsed.value ?? parseFields(body)
  const { messages } = usable
  const given = isObject(body) ? body.content : undefined
  const content = messages && given === undefined ? formatChat(messages) : given
  const format = messages ? 'chat' : usable.format
  const size_bytes = typeof content === 'string' ? countBytes(content) : 0
  if (size_bytes > LIMITS.contentBytes) throw contentTooLarge()
  const problems: ValueProblem[] = [...(parsed.problems ?? [])]
  if (usable.recompose && (given !== undefined || messages || usable.compose))
    problems.push({ key: 'recompose', message: 'expected it instead of content, messages and compose' })
  if (usable.min_age_days !== undefined && !usable.recompose)
    problems.push({ key: 'min_age_days', message: 'expected recompose: true beside it' })
  if (parsed.value && content === undefined && !usable.recompose)
    problems.push({ key: 'content', message: 'expected a string, got nothing' })
  if (messages && given !== undefined)
    problems.push({ key: 'messages', message: 'expected either content or messages, got both' })
  if (messages && usable.format === 'text')
    problems.push({ key: 'format', message: 'expected chat with messages, got text' })
  const licenseProblem = usable.license === undefined ? undefined : findLicenseProblem(usable.license)
  if (licenseProblem) problems.push({ key: 'license', message: licenseProblem })
  for (const field of ['title', 'description'] as const) {
    const secret = findCertainSecret(usable[field] ?? '')
    if (secret) problems.push({ key: field, message: secret.message })
  }
  if (typeof content === 'string') {
    // Applies the rules that do not need git, and reports all problems in one message.
    const { changelog = '', variables, parameters = {}, skill } = usable
    const entry = {
      content,
      size_bytes,
      changelog,
      parameters,
      format: format ?? 'text',
      ...(skill && { skill: storeSkill({ ...skill, license: null }) }),
      variables: variables ?? findVariableNames({ content, format }).map(undeclaredVariable),
    }
    const found = checkSource(entry, usable.compose)
    if (place) problems.push(...found)
    else problems.push(...(messages ? nameMessages(found, messages) : nameLines(found, content)))
  }
  const sent = files ? { value: sortFiles(files) } : usable.files && readFiles(usable.files)
  if (sent) problems.push(...(sent.problems ?? checkFiles(sent.value).map(nameFileProblem)))
  const attestations = usable.attestations?.map((bundle) => JSON.stringify(bundle)) ?? []
  attestations.forEach((text, index) => {
    if (countBytes(text) > LIMITS.attestationBytes)
      problems.push({
        key: `attestations.${index}`,
        message: `expected at most ${LIMITS.attestationBytes} bytes`,
      })
  })
  if (parsed.problems || known.length + problems.length > 0) {
    // Finding a line takes time, and only the first problems are named.
    const named = place ? problems.slice(0, LIMITS.problemsNamed).map(place) : problems
    throw validationFailed([...known, ...named], known.length + problems.length)
  }
  const { content: _c, messages: _m, format: _f, files: _files, attestations: _a, ...rest } = parsed.value
  return {
    ...rest,
    content: (content ?? '') as string,
    ...(format && { format }),
    ...(sent?.value && { files: sent.value }),
    ...(attestations.length > 0 && { attestations }),
  }
}

/** Checks what was sent. A source to compose may have role lines in its parts, so the assembled text is judged as a chat prompt instead. */
function checkSource(entry: CheckedVersion, compose = false): RuleProblem[] {
  const found = checkVersion(entry)
  if (!compose) return found
  return [
    ...found.filter(({ rule }) => rule !== 'content-is-chat'),
    ...(findIncludeLines(entry.content).problems ?? []).map((problem) => ({ rule: 'include-lines', ...problem })),
  ]
}

const encoder = new TextEncoder()

/** Decodes the files of a JSON body. */
function readFiles(given: z.infer<typeof FileInputs>): Parsed<GivenFile[]> {
  const problems: ValueProblem[] = []
  const value = given.flatMap((file): GivenFile[] => {
    const wrong = (message: string) => {
      problems.push({ key: `files: ${printable(file.path)}`, message })
      return []
    }
    if ('text' in file)
      return file.text.isWellFormed()
        ? [{ path: file.path, bytes: encoder.encode(file.text) }]
        : wrong('expected well-formed Unicode, without lone surrogates')
    const bytes = decodeBase64(file.base64)
    return bytes ? [{ path: file.path, bytes }] : wrong('expected base64')
  })
  return problems.length > 0 ? { problems } : { value: sortFiles(value) }
}

/** @returns undefined for a text that is not base64 (RFC 4648 section 4) */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Parses the valid fields of a body that has invalid ones, so that the rules for them are checked too and every problem is reported at once. */
function parseFields(body: unknown): Partial<z.infer<typeof PublishRequest>> {
  const given = isObject(body) ? body : {}
  const valid = Object.entries(PublishRequest.shape).flatMap(([key, schema]) => {
    const { data } = schema.safeParse(given[key])
    return data === undefined ? [] : [[key, data] as const]
  })
  return Object.fromEntries(valid)
}

/** Adds line numbers where known, because they are the only positions that a client sees. */
export function nameLines(problems: readonly ValueProblem[], content: string): ValueProblem[] {
  return problems.map(({ key, message, offset }) =>
    offset === undefined ? { key, message } : { key, message: `line ${lineOf(content, offset)}: ${message}` },
  )
}

/** Returns the index of the message at a position in the content that `formatChat` writes. */
function indexAt(messages: readonly ChatPart[], offset: number): number {
  let end = 0
  return messages.findIndex((part) => {
    end += formatChat([part]).length + 1
    return end > offset
  })
}

/** Adds the number of the message to each problem, because the author sent messages, not content. */
function nameMessages(problems: readonly RuleProblem[], messages: readonly ChatPart[]): ValueProblem[] {
  const unwritable = messages.flatMap((part, index) => {
    const message = isChatMessage(part) ? findUnwritable(part.content) : undefined
    return message === undefined ? [] : [{ key: `messages.${index}.content`, message }]
  })
  // The invalid part of such a message is not reported separately.
  const others = unwritable.length > 0 ? problems.filter(({ rule }) => rule !== 'content-is-chat') : problems
  const found = others.map(({ key, message, offset }) => {
    if (offset === undefined) return { key: key === 'content' ? 'messages' : key, message }
    return { key: `messages.${indexAt(messages, offset)}`, message }
  })
  return [...unwritable, ...found]
}

/** The limits of a publish's body. */
const PUBLISH_BOUNDS = boundsOf(PublishRequest, {
  keys: LIMITS.parameterKeys,
  values: LIMITS.requestValues,
  depth: LIMITS.parameterDepth,
})

/** Returns the limits of a body that has the fields of a schema. */
export function boundsOf({ shape }: z.ZodObject, limits: Omit<BodyBounds, 'known' | 'unknown'>): BodyBounds {
  // Of more unknown fields, only the first and their number are reported.
  return { known: new Set(Object.keys(shape)), unknown: 100, ...limits }
}

/**
 * Parses a body as JSON; a byte order mark is invalid (RFC 8259 section 8.1). A body that exceeds its limits is rejected before it is parsed: parsing and validating 95,000 keys took 90 ms.
 *
 * @throws HubError `validation_failed`; `invalid_request` for invalid JSON
 */
export function parseBody(text: string, bounds: BodyBounds): unknown {
  const excess = findJsonExcess(text, bounds)
  if (excess !== undefined) throw refuseExcess(excess, bounds)
  try {
    return JSON.parse(text)
  } catch {
    throw new HubError(
      'invalid_request',
      'The body is not valid JSON. Generate it with a program such as jq or JSON.stringify.',
    )
  }
}

function refuseExcess(excess: JsonExcess, bounds: BodyBounds): HubError {
  if (excess.kind === 'unknown') return validationFailed(excess.names.map(unknownField), excess.count)
  const most = {
    keys: `${bounds.keys} keys in total`,
    values: `${bounds.values} values in total`,
    depth: `${bounds.depth} levels`,
  }[excess.kind]
  return invalidField(excess.field, `expected at most ${most}`)
}

/** Returns the error for content or a body that is too long. */
export function contentTooLarge(): HubError {
  return new HubError(
    'content_too_large',
    `content: expected at most ${LIMITS.contentBytes} bytes of UTF-8, in a body of at most ${LIMITS.requestBytes}. Split the prompt, or shorten it.`,
  )
}

/** Returns the error for a publish whose files and content are too long together. */
export function filesTooLarge(): HubError {
  return new HubError(
    'content_too_large',
    `files: expected at most ${LIMITS.filesBytes} bytes in all files, in a body of at most ${LIMITS.requestBytesWithFiles}. Remove files, or shorten them.`,
  )
}

/** Returns the error for a request that is longer than those which the hub's platform passes on. */
export function tooLargeForPlatform(mostBytes: number): HubError {
  return new HubError(
    'content_too_large',
    `The platform of this hub takes a request of at most ${mostBytes} bytes. Add the version with a pull request to the repository of the content instead.`,
  )
}

/** Maximum number of problems that a page shows beside its fields: more than a form without nonsense can have. */
const MAX_PLACED_PROBLEMS = 100

/** Returns the error for one invalid field. */
export const invalidField = (key: string, message: string): HubError => validationFailed([{ key, message }])

/** Returns one error for all problems, each with its field. @param count the total, if `problems` contains only some of them */
export function validationFailed(problems: readonly ValueProblem[], count = problems.length): HubError {
  // A message quotes its input, so it could include all or part of a token that was sent in the wrong field.
  const withoutToken = (text: string) => text.replace(/hub_[0-9A-Za-z]{20,}/g, 'hub_…')
  const placed = problems.slice(0, MAX_PLACED_PROBLEMS).map(({ key, message }) => ({
    key: withoutToken(key),
    message: withoutToken(message),
  }))
  const others = count - placed.length
  return new HubError('validation_failed', `${formatProblems(placed, count)}.`, {
    problems: [...placed, ...(others > 0 ? [{ key: '', message: `and ${others} more` }] : [])],
  })
}
