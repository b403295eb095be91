// Schemas that records and files share: handles, names, versions, tags, dates, URLs, short texts, states and provenance.
import * as z from 'zod'
import { LIMITS } from '../api/limits.ts'
import { countCharacters } from '../text/text-length.ts'
import {
  isReserved,
  NAME_PATTERN,
  OWNER_PATTERN,
  splitFullName,
  splitVersionAddress,
  TAG_PATTERN,
  VARIABLE_NAME_PATTERN,
  VERSION_PATTERN,
} from './names.ts'

/** A handle as the lower-cased GitHub login of a person; reserved words are logins too. */
export const Handle = z
  .string()
  .regex(OWNER_PATTERN, 'expected a lower-case handle such as octocat')
  .describe('A GitHub login in lower case.')

/** The owner part of an address. */
export const Owner = z
  .string()
  .regex(OWNER_PATTERN, 'expected 1 to 39 of a-z, 0-9 and single hyphens inside')
  .refine((owner) => !isReserved(owner), {
    error: 'expected an owner that is not a reserved word',
    abort: true,
  })
  .describe('The owner’s handle: the part before the slash in owner/name.')

/** The name part of an address. */
export const Name = z
  .string()
  .regex(NAME_PATTERN, 'expected 1 to 64 of a-z, 0-9 and single hyphens inside')
  .describe('The repository’s name: the part after the slash in owner/name.')

/** Owner and name together. */
export const FullName = z
  .string()
  .refine(isFullName, 'expected owner/name')
  .meta({ pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*$', maxLength: 104 })
  .describe('Owner and name, joined by a slash.')

/** A version number. */
export const Version = z
  .string()
  .regex(VERSION_PATTERN, 'expected a version in the form x.y.z')
  .describe('A version number in the form x.y.z.')

/** A version of a repository, such as acme/code-review@1.2.0. */
export const VersionAddress = z
  .string()
  .refine((text) => splitVersionAddress(text) !== undefined, 'expected owner/name@x.y.z')
  .meta({
    pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*@\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}$',
    maxLength: 125,
  })
  .describe('A version of a repository: owner/name@x.y.z.')

/** A tag. */
export const Tag = z
  .string()
  .regex(TAG_PATTERN, 'expected lower-case letters, digits and single hyphens')
  .max(LIMITS.tagCharacters, `expected at most ${LIMITS.tagCharacters} characters`)
  .describe('A tag: lower-case words joined by hyphens.')

/** The name of a variable, as it stands between the braces. */
export const VariableName = z
  .string()
  .regex(VARIABLE_NAME_PATTERN, 'expected a letter or _, then up to 63 letters, digits or _')
  .describe('The word between the braces.')

/** A moment in UTC, such as 2026-11-20T10:00:00Z. */
export const Time = z.iso
  .datetime({ error: 'expected a time in UTC such as "2026-11-20T10:00:00Z", in quotes' })
  .describe('A moment in UTC, ISO 8601 with Z.')

/** A moment as records and front matter write it: UTC to the second, such as 2026-11-20T10:00:00Z. */
export function formatMoment(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`
}

/** An http or https address; nothing else is ever linked. */
export const WebAddress = z
  .url({ protocol: /^https?$/, error: 'expected an address that starts with https:// or http://' })
  .max(LIMITS.addressCharacters, `expected at most ${LIMITS.addressCharacters} characters`)
  // A link that carries a password, or characters that do not show, is never what its author meant to publish.
  .refine(
    (address) => !/[\s\p{C}]/u.test(address) && !URL.parse(address)?.username,
    'expected an address without white space, invisible characters or a password',
  )

/** A number that git or GitHub counts, kept as text so that no digit is lost. */
export const NumericId = z
  .union([z.int().positive(), z.string().regex(/^[1-9]\d{0,18}$/)], 'expected a whole number')
  .transform(String)

/** A licence as SPDX writes it. Whether the identifier exists is judged by the content rules. */
export const License = z
  .string()
  .max(LIMITS.licenseCharacters, `expected at most ${LIMITS.licenseCharacters} characters`)
  .regex(/^[A-Za-z0-9.+() -]+$/, 'expected an SPDX licence such as MIT')
  .describe('The licence, as an SPDX expression.')

/** A scalar that a variable may have as its default or example. */
export const Scalar = z.union([z.string(), z.number(), z.boolean()])

/** The kinds of value a variable may ask for. */
export const VariableType = z
  .enum(['string', 'number', 'integer', 'boolean', 'enum'])
  .describe('What kind of value is expected.')

/** The state of a repository. docs/contract.md section 2. */
export const Status = z
  .enum(['active', 'deprecated', 'archived'])
  .describe('active, deprecated (still listed) or archived.')
export type Status = z.infer<typeof Status>

/** How bad it is to go on using a version. */
export const Severity = z.enum(['low', 'moderate', 'high', 'critical']).describe('How bad it is to go on using them.')

/** Where a version was published from, when a CI job proved it. docs/contract.md section 7. */
export const Provenance = z
  .object({
    issuer: z.string().describe('Who vouched for the job.'),
    repository: z.string().describe('The source repository.'),
    workflow: z.string().describe('The workflow that published.'),
    ref: z.string().describe('The git ref it ran on.'),
    sha: z.string().describe('The commit it ran on.'),
    run_id: z.string().describe('The run’s number.'),
  })
  .meta({ id: 'Provenance', description: 'The CI run that published a version.' })
export type Provenance = z.infer<typeof Provenance>

/** Download counts; never invented. */
export const Stats = z
  .object({
    downloads_7d: z.int().nonnegative().describe('Downloads in the last 7 days.'),
    downloads_90d: z.int().nonnegative().describe('Downloads in the last 90 days.'),
  })
  .meta({ id: 'Stats', description: 'Download counts.' })
export type Stats = z.infer<typeof Stats>

/**
 * A text of people, on one line.
 *
 * @param maxCharacters longest length, in code points
 */
export function line(maxCharacters: number) {
  return text(maxCharacters, '^[^\\u0000-\\u001f\\u007f-\\u009f]*$', 'expected no control characters or line ends')
}

/** A short text that may run over several lines: only `\n` of the control characters. @param maxCharacters in code points */
export function lines(maxCharacters: number) {
  return text(
    maxCharacters,
    '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$',
    'expected no control characters but line feeds',
  )
}

/** @param pattern in the words that every language's patterns have, for it stands in the API's description */
function text(maxCharacters: number, pattern: string, sentence: string) {
  const allowed = new RegExp(pattern, 'u')
  return z
    .string()
    .refine((value) => countCharacters(value) <= maxCharacters, `expected at most ${maxCharacters} characters`)
    .refine((value) => allowed.test(value), sentence)
    .refine((value) => value.isWellFormed(), 'expected well-formed Unicode, without lone surrogates')
    .meta({ maxLength: maxCharacters, pattern })
}

/** Why a content is refused, or undefined when it is fine. Its size is judged apart, for that answer has a status of its own. */
export function findContentProblem(content: string): string | undefined {
  if (content.trim() === '') return 'expected some text, got nothing but white space'
  if (content.includes('\0')) return 'expected text without NUL characters'
  if (!content.isWellFormed()) return 'expected well-formed Unicode, without lone surrogates'
  return undefined
}

function isFullName(text: string): boolean {
  return splitFullName(text) !== undefined
}

/** Whether no value comes twice. */
export const unique = (values: readonly unknown[]): boolean => new Set(values).size === values.length
