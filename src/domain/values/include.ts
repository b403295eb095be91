// The schema of an include: a part of a version's content that is the content of another version. docs/contract.md section 14
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { SERVER_LIMITS } from '../server-limits.ts'
import { TAG_PATTERN } from './names.ts'
import { FullName, VariableName, Version } from './values.ts'

const N = '(?:0|[1-9][0-9]{0,5})'
const W = '[xX*]'
/** The ranges that clients understand. docs/lock-file.md */
const RANGE_PATTERN = new RegExp(
  `^[\\^~]?(?:${N}(?:\\.${N}(?:\\.(?:${N}|${W}))?|(?:\\.${W}){1,2})?|${W}(?:\\.${W}){0,2})$`,
)
const RANGE_OR_LABEL = new RegExp(`${RANGE_PATTERN.source}|${TAG_PATTERN.source}`)

/** What follows `@` in an include line: a range that clients understand, which may be a version, or a label. */
type ReferenceKind = 'range' | 'label'

/** Tells a range from a label, as clients do. @returns undefined for what is neither */
export function kindOfRange(text: string): ReferenceKind | undefined {
  if (text.length > LIMITS.tagCharacters || text === 'latest') return undefined
  if (RANGE_PATTERN.test(text)) return 'range'
  return TAG_PATTERN.test(text) ? 'label' : undefined
}

const position = (sentence: string) => z.int().nonnegative().max(LIMITS.contentBytes).describe(sentence)

/** An include of a version, in front matter and records. */
export const Include = z
  .strictObject({
    repository: FullName.describe('The repository whose content is included.'),
    range: z
      .string()
      .max(LIMITS.tagCharacters, `expected at most ${LIMITS.tagCharacters} characters`)
      .regex(RANGE_OR_LABEL, 'expected a range, a version or a label')
      .describe('The range, version or label in the include line; `*` if there is none.'),
    version: Version.describe('The version whose content is included.'),
    content_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in lower-case hexadecimal')
      .describe('SHA-256 of that version’s content, in hex.'),
    start: position('Where the part begins in `content`, in bytes of UTF-8.'),
    length: position('The length of the part in bytes: that version’s content without its final line end.'),
    variables: z
      .array(VariableName)
      .max(LIMITS.variablesPerVersion, `expected at most ${LIMITS.variablesPerVersion} names`)
      .describe('The variables that come from this part: the prompt itself does not declare them.'),
  })
  .meta({ id: 'Include', description: 'A part of the content that comes from another version.' })
export type Include = z.infer<typeof Include>

/** The includes of a version, in the order of their positions. */
export const Includes = z
  .array(Include)
  .max(SERVER_LIMITS.includesPerVersion, `expected at most ${SERVER_LIMITS.includesPerVersion} includes`)
