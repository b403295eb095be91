// Parses and formats `results/{x.y.z}/{suite}.yml`: the outcome of a test suite for one version.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { type Parsed, parseWithSchema } from '../text/problems.ts'
import { formatYaml, openKeyLines, parseYaml } from '../text/yaml.ts'
import { Handle, line, Provenance, Sha256, Time, WebAddress } from '../values/values.ts'

const count = (sentence: string) =>
  z
    .int()
    .min(0, 'expected 0 or more')
    .max(LIMITS.testsPerSuite, `expected at most ${LIMITS.testsPerSuite}`)
    .describe(sentence)

/** The fields of a result that its sender sets. docs/contract.md section 7. */
export const RESULT_FIELDS = {
  passed: count('Number of test cases that passed.'),
  failed: count('Number of test cases that failed, or ended with an error.'),
  skipped: count('Number of test cases that did not run.').default(0),
  score: z
    .number()
    .min(0, 'expected 0 to 1')
    .max(1, 'expected 0 to 1')
    .nullable()
    .default(null)
    .describe('The score of the suite, from 0 to 1, or null.'),
  model: line(LIMITS.modelCharacters)
    .refine((text) => text.trim() !== '', 'expected some text')
    .meta({ minLength: 1 })
    .nullable()
    .default(null)
    .describe('The model that was tested, or null.'),
  url: WebAddress.refine((address) => address.startsWith('https://'), 'expected a URL that starts with https://')
    .nullable()
    .default(null)
    .describe('The https URL of the run, or null.'),
  at: Time.describe('When the suite ran.'),
} as const

/** A result file. docs/content.md. */
const ResultFile = z.strictObject({
  content_sha256: Sha256.describe('SHA-256 of the content that was tested.'),
  ...RESULT_FIELDS,
  reported_by: Handle.describe('Who reported it.'),
  provenance: z.strictObject(Provenance.shape).nullable().default(null).describe('The CI run that reported it.'),
})
export type ResultFile = z.infer<typeof ResultFile>

/** Parses a result file. Each problem names its line. */
export function parseResultFile(text: string): Parsed<ResultFile> {
  const yaml = parseYaml(text, 1)
  if (yaml.problems) return yaml
  const { value, problems } = parseWithSchema(ResultFile, yaml.value)
  if (!problems) return { value }
  const lineOf = openKeyLines(text, 1)
  return { problems: problems.map(({ key, message }) => ({ key, message: `line ${lineOf(key) ?? 1}: ${message}` })) }
}

/** Formats a result file: the same values are always the same bytes. Values that are null or 0 by default are left out. */
export function formatResultFile(result: ResultFile): string {
  const { content_sha256, passed, failed, skipped, score, model, url, at, reported_by, provenance } = result
  return formatYaml({
    content_sha256,
    passed,
    failed,
    ...(skipped !== 0 && { skipped }),
    ...(score !== null && { score }),
    ...(model !== null && { model }),
    ...(url !== null && { url }),
    at,
    reported_by,
    ...(provenance !== null && { provenance }),
  })
}
