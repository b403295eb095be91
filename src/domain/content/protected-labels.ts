// The labels that an owner protects: the schema of `protected_labels`, and what one of them asks for.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { isObject } from '../text/json.ts'
import { explodeIssue, formatProblem } from '../text/problems.ts'
import { Suite, Tag, unique } from '../values/values.ts'

/** A label that moves only to a version with results, or with the approval of a member. docs/contract.md section 7. */
export const ConditionalLabel = z
  .strictObject({
    label: Tag.describe('The label.'),
    requires: z
      .array(Suite)
      .min(1, 'expected at least one test suite')
      .max(LIMITS.suitesPerLabel, `expected at most ${LIMITS.suitesPerLabel} test suites`)
      .refine(unique, 'expected each test suite only once')
      .optional()
      .describe('The test suites of which the version needs a result.'),
    min_score: z
      .number()
      .min(0, 'expected 0 to 1')
      .max(1, 'expected 0 to 1')
      .optional()
      .describe('The lowest score, from 0 to 1, with which a suite counts; if omitted, no test case may have failed.'),
    new_capabilities: z
      .literal('approve', 'expected approve')
      .optional()
      .describe(
        'If approve, only a signed-in member moves the label to a version with kinds of capability that its present version lacks.',
      ),
  })
  .refine(
    ({ requires, min_score, new_capabilities }) => requires ?? (min_score === undefined && new_capabilities),
    'expected requires or new_capabilities, and min_score only with requires',
  )
  .meta({
    id: 'ConditionalLabel',
    description: 'A label that moves only to a version with results of test suites, or with the approval of a member.',
  })
export type ConditionalLabel = z.infer<typeof ConditionalLabel>

/** One entry: the name of a label, or a label with its conditions. */
const ProtectedLabel = z.union([Tag, ConditionalLabel], {
  error: (issue) => {
    const ofObject = issue.code === 'invalid_union' ? (issue.errors[1] ?? []) : []
    if (!isObject(issue.input)) return 'expected a label, or label with requires or new_capabilities'
    return ofObject.flatMap(explodeIssue).slice(0, LIMITS.problemsNamed).map(formatProblem).join('; ')
  },
})
export type ProtectedLabel = z.infer<typeof ProtectedLabel>

/** The labels that an owner protects. */
export const ProtectedLabels = z
  .array(ProtectedLabel)
  .max(LIMITS.protectedLabelsPerOwner, `expected at most ${LIMITS.protectedLabelsPerOwner} labels`)
  .refine((labels) => unique(labels.map(nameOfLabel)), 'expected each label only once')
  .describe(
    'Labels on all their prompts that only a token with the maintain permission may move; each a name, or an object that also says which test suites the version must have passed, or that a member must approve new capabilities.',
  )

/** Returns the name of a protected label. */
export const nameOfLabel = (entry: ProtectedLabel): string => (typeof entry === 'string' ? entry : entry.label)

/** Finds the entry that protects a label. @returns undefined if the label is not protected */
export function findProtection(
  file: { protected_labels: readonly ProtectedLabel[] } | undefined,
  label: string,
): ProtectedLabel | undefined {
  return file?.protected_labels.find((entry) => nameOfLabel(entry) === label)
}

/** Returns whether a signed-in member must move a label to a version with new kinds of capability. */
export const needsApproval = (protection: ProtectedLabel | undefined): boolean =>
  typeof protection === 'object' && protection.new_capabilities === 'approve'
