// Parses requests to change a repository: the bodies of PATCH, labels and yanks, reporting all problems at once. docs/contract.md section 7
import * as z from 'zod'
import { Description, TagInputs, Title } from '../content/front-matter.ts'
import { Percent } from '../content/label-schema.ts'
import { findLicenseProblem } from '../content/rules.ts'
import { findCertainSecret } from '../content/secrets.ts'
import { LIMITS } from '../limits.ts'
import { boundsOf, invalidField, parseBody, validationFailed } from '../publishing/request.ts'
import { compareText, countBytes } from '../text/plain-text.ts'
import { parseWithSchema, type ValueProblem } from '../text/problems.ts'
import { isLabel } from '../values/names.ts'
import { FullName, License, line, Name, Status, Version } from '../values/values.ts'

/** Validates a change without making it. */
export const dry_run = z.boolean().default(false).describe('Validates the request without committing anything.')
const share = z
  .strictObject({ version: Version.describe('The second version.'), percent: Percent })
  .meta({ id: 'Share', description: 'A second version, and the share of callers that get it.' })
const expected = z
  .union(
    [Version, z.strictObject({ version: Version, split: share.nullable() })],
    'expected a version in the form x.y.z, or version and split (null without one)',
  )
  .nullable()
  .optional()
  .describe(
    'The version that the label must currently point to, or that with its split, or null if the label must not exist; otherwise 409.',
  )
export type ExpectedTarget = z.infer<typeof expected>
const why = line(LIMITS.sentenceCharacters)
  .min(1, 'expected some text')
  .optional()
  .describe('Why, which everyone can read in the activity.')

/** A body of an `index.md`. */
export const Body = z
  .string()
  .refine((text) => countBytes(text) <= LIMITS.contentBytes, `expected at most ${LIMITS.contentBytes} bytes`)
  .refine((text) => !text.includes('\0'), 'expected text without NUL characters')
  .refine((text) => text.isWellFormed(), 'expected well-formed Unicode, without lone surrogates')

/** The body of PATCH: a JSON merge patch (RFC 7396) of the changeable fields. */
export const RepositoryPatch = z
  .strictObject({
    title: Title.optional(),
    description: Description.optional(),
    tags: TagInputs.optional().describe('The complete new list of tags.'),
    license: License.nullable().optional().describe('The license as an SPDX expression, or null.'),
    status: Status.optional(),
    status_message: line(LIMITS.sentenceCharacters)
      .nullable()
      .optional()
      .describe('Why it has this status and what users should do, or null.'),
    replaced_by: FullName.nullable().optional().describe('The repository to use instead, or null.'),
    moved_to: FullName.nullable().optional().describe('The repository that this one moved to, or null.'),
    readme: Body.optional().describe('Notes on the prompt, in Markdown. Surrounding whitespace is removed.'),
    dry_run,
  })
  .meta({ id: 'RepositoryPatch', description: 'A JSON merge patch of the fields of a repository that can be changed.' })
/** The body that points a label at a version. */
export const LabelRequest = z
  .strictObject({
    version: Version.describe('The version that the label will point to.'),
    split: share
      .nullable()
      .optional()
      .describe('A second version for a share of callers. Null, or left out: none, which ends a split.'),
    reason: why,
    expected,
    dry_run,
  })
  .meta({ id: 'LabelRequest', description: 'The new target of a label.' })
/** The body that moves a label of several prompts. */
export const LabelsRequest = z
  .strictObject({
    versions: z
      .record(Name, Version)
      .refine(
        (versions) => Object.keys(versions).length > 0 && Object.keys(versions).length <= LIMITS.promptsPerMove,
        `expected 1 to ${LIMITS.promptsPerMove} prompts`,
      )
      .meta({ minProperties: 1, maxProperties: LIMITS.promptsPerMove })
      .describe('The version that the label will point to, by the name of each prompt. A split ends.'),
    reason: why,
    dry_run,
  })
  .meta({ id: 'LabelsRequest', description: 'The new targets of a label of several prompts.' })
/** The body that removes a label; optional. */
export const LabelRemoval = z
  .strictObject({ expected, reason: why })
  .meta({ id: 'LabelRemoval', description: 'The expected target of a label to remove.' })
/** The body that yanks a version. */
export const YankRequest = z
  .strictObject({
    reason: line(LIMITS.sentenceCharacters)
      .refine((text) => text.trim() !== '', 'expected some text')
      .meta({ minLength: 1 })
      .describe('Why the version is yanked, in 1 to 500 characters.'),
    dry_run,
  })
  .meta({ id: 'YankRequest', description: 'Why a version is yanked.' })
/** The body of an unyank request, which is empty. */
const UnyankRequest = z.strictObject({}).meta({ id: 'UnyankRequest', description: 'Nothing.' })

/** The fields of a patch, as they are written to the file. */
export type PatchFields = Omit<z.infer<typeof RepositoryPatch>, 'dry_run'>

/** A requested change. */
export type Change =
  | { kind: 'patch'; fields: PatchFields; isDryRun: boolean }
  | LabelChange
  | { kind: 'unlabel'; label: string; expected: ExpectedTarget; reason: string | undefined; isDryRun: boolean }
  | { kind: 'yank'; version: string; reason: string; isDryRun: boolean }
  | { kind: 'unyank'; version: string; isDryRun: boolean }

/** A move of a label. */
export interface LabelChange {
  kind: 'label'
  label: string
  isDryRun: boolean
  version: string
  split: z.infer<typeof share> | null
  reason: string | undefined
  expected: ExpectedTarget
}

/** The change and its target, both from the URL. */
export type Target =
  | { kind: 'patch' }
  | { kind: 'label' | 'unlabel'; label: string }
  | { kind: 'yank' | 'unyank'; version: string }

/** Parses the JSON of a change. @throws HubError like `parseChange`; `invalid_request` for invalid JSON */
export function readChangeBody(target: Target, text: string): Change {
  return parseChange(target, parseBody(text, CHANGE_BOUNDS))
}

/** Parses the JSON that moves a label of several prompts, with a change for each, by name. @throws HubError like `readChangeBody` */
export function readLabelMoves(label: string, text: string): ReadonlyMap<string, LabelChange> {
  const bounds = boundsOf(LabelsRequest, { keys: 100 + LIMITS.promptsPerMove, values: 1_000, depth: 4 })
  const { versions, reason, dry_run: isDryRun } = parseFields(LabelsRequest, parseBody(text, bounds))
  requireLabel(label)
  const moves = Object.entries(versions).map(([name, version]): [string, LabelChange] => {
    return [name, { kind: 'label', label, version, split: null, reason, expected: undefined, isDryRun }]
  })
  return new Map(moves.sort(([a], [b]) => compareText(a, b)))
}

/** Parses the body of a change. @throws HubError `validation_failed` with every problem in one message, each with its field */
function parseChange(target: Target, body: unknown): Change {
  switch (target.kind) {
    case 'patch': {
      const { dry_run: isDryRun, ...fields } = parseFields(RepositoryPatch, body)
      return { kind: 'patch', fields, isDryRun }
    }
    case 'label': {
      const { dry_run: isDryRun, version, split = null, reason, expected } = parseFields(LabelRequest, body)
      requireLabel(target.label)
      if (split?.version === version)
        throw invalidField('split.version', `expected another version than ${version}, which the label points at`)
      return { kind: 'label', label: target.label, version, split, reason, expected, isDryRun }
    }
    case 'unlabel': {
      const { expected, reason } = parseFields(LabelRemoval, body)
      return { kind: 'unlabel', label: target.label, expected, reason, isDryRun: false }
    }
    case 'yank': {
      const { dry_run: isDryRun, reason } = parseFields(YankRequest, body)
      return { kind: 'yank', version: target.version, reason, isDryRun }
    }
    case 'unyank':
      parseFields(UnyankRequest, body)
      return { kind: 'unyank', version: target.version, isDryRun: false }
  }
}

/** @throws HubError `validation_failed` for a name that no label can have */
function requireLabel(label: string): void {
  if (!isLabel(label))
    throw invalidField(
      'label',
      `expected a name that clients cannot read as a range or as the latest version, got ${label}; choose another name, such as production`,
    )
}

/** Parses the fields of a change. @throws HubError `validation_failed`, also for secrets */
export function parseFields<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = parseWithSchema(schema, body)
  const problems: ValueProblem[] = [...(parsed.problems ?? [])]
  const fields = Object.entries(parsed.value ?? {})
  for (const [key, value] of fields) {
    const message =
      key === 'license' && typeof value === 'string'
        ? findLicenseProblem(value)
        : findCertainSecret(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))?.message
    if (message !== undefined) problems.push({ key, message })
  }
  if (parsed.problems || problems.length > 0) throw validationFailed(problems)
  return parsed.value
}

/** The limits of a change's body, which contains no nested values except tags. */
const CHANGE_BOUNDS = boundsOf(z.object({ ...RepositoryPatch.shape, ...LabelRequest.shape, ...YankRequest.shape }), {
  keys: 100,
  values: 1_000,
  depth: 4,
})
