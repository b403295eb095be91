// The schema of an include: a part of a version's content that is the content of another version. docs/compose.md
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { RANGE_OR_LABEL } from './include-range.ts'
import { FullName, Sha256, VariableName, Version } from './values.ts'

const position = (sentence: string) => z.int().nonnegative().max(LIMITS.contentBytes).describe(sentence)

/** An include of a version. */
export const Include = z
  .object({
    repository: FullName.describe('The repository whose content is included.'),
    range: z
      .string()
      .max(LIMITS.tagCharacters, `expected at most ${LIMITS.tagCharacters} characters`)
      .regex(RANGE_OR_LABEL, 'expected a range, a version or a label')
      .describe('The range, version or label in the include line; `*` if there is none.'),
    version: Version.describe('The version whose content is included.'),
    content_sha256: Sha256.describe('SHA-256 of that version’s content, in hex.'),
    start: position('Where the part begins in `content`, in bytes of UTF-8.'),
    length: position('The length of the part in bytes: that version’s content without its final line end.'),
    variables: z
      .array(VariableName)
      .max(LIMITS.variablesPerVersion, `expected at most ${LIMITS.variablesPerVersion} names`)
      .describe('The variables that come from this part: the prompt itself does not declare them.'),
    through: z
      .array(FullName)
      .max(LIMITS.includedThrough, `expected at most ${LIMITS.includedThrough} prompts`)
      .describe('The prompts that this part includes, directly or through others, by name.'),
  })
  .meta({ id: 'Include', description: 'A part of the content that comes from another version.' })
export type Include = z.infer<typeof Include>

/** The includes of a version in front matter, in the order of their positions. Most parts include nothing. */
export const Includes = z
  .array(z.strictObject({ ...Include.shape, through: Include.shape.through.default([]) }))
  .max(LIMITS.includesPerVersion, `expected at most ${LIMITS.includesPerVersion} includes`)
