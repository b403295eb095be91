// The schemas of a label's target: in records, and in `index.md`, where a label without a split is only its version.
import * as z from 'zod'
import { isObject } from '../text/json.ts'
import { explodeIssue, formatProblem } from '../text/problems.ts'
import type { LabelTarget as Target } from '../values/label-target.ts'
import { Version } from '../values/values.ts'

/** The share of a split, in whole percents. */
export const Percent = z
  .int()
  .min(1, 'expected 1 to 99; to end the split, leave it out')
  .max(99, 'expected 1 to 99; to give everybody the second version, move the label to it')
  .describe('The share of callers that get the second version, from 1 to 99.')

const salt = z
  .string()
  .regex(/^[A-Za-z0-9]{16,64}$/, 'expected 16 to 64 letters and digits')
  .describe('What the choice for each caller depends on.')
const splitFields = { version: Version.describe('The second version.'), percent: Percent, salt }

/** The target of a label in records. docs/contract.md section 3. */
export const LabelTarget = z
  .object({
    version: Version.describe('The version that the label points at, which callers without a key get.'),
    split: z
      .object(splitFields)
      .nullable()
      .describe('A second version for a share of callers, or null. docs/splits.md says who gets it.'),
  })
  .meta({ id: 'LabelTarget', description: 'What a label points at.' })

const inFile = z.strictObject({ version: Version, split: z.strictObject(splitFields).nullable().default(null) })

/** The target of a label in `index.md`. */
export const LabelInput = z
  .union([Version, inFile], {
    error: (issue) => {
      const errors = issue.code === 'invalid_union' ? (issue.errors[isObject(issue.input) ? 1 : 0] ?? []) : []
      return errors.flatMap(explodeIssue).map(formatProblem).join('; ')
    },
  })
  .transform((given): Target => (typeof given === 'string' ? { version: given, split: null } : given))
  .refine(({ version, split }) => version !== split?.version, 'expected another version in the split')
