// Schemas shared by records and files: handles, names, versions, tags, dates, URLs, short texts, statuses and provenance.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { countCharacters } from '../text/plain-text.ts'
import { isFilePath } from './file-entry.ts'
import {
  isName,
  isReserved,
  isSuite,
  NAME_PATTERN,
  OWNER_PATTERN,
  splitFullName,
  splitVersionAddress,
  TAG_PATTERN,
  VARIABLE_NAME_PATTERN,
  VERSION_PATTERN,
} from './names.ts'

/** A handle: the user's GitHub login in lower case. Reserved words are allowed, because they may be valid logins. */
export const Handle = z
  .string()
  .regex(OWNER_PATTERN, 'expected a lower-case handle such as octocat')
  .describe('A GitHub login in lower case.')

/** The owner segment of a URL. */
export const Owner = z
  .string()
  .regex(OWNER_PATTERN, 'expected 1 to 39 characters: a-z, 0-9 and single hyphens, not at the start or end')
  .refine((owner) => !isReserved(owner), {
    error: 'expected an owner that is not a reserved word',
    abort: true,
  })
  .describe('The owner’s handle: the part before the slash in owner/name.')

/** The name segment of a URL. */
export const Name = z
  .string()
  .regex(NAME_PATTERN, 'expected 1 to 64 characters: a-z, 0-9 and single hyphens, not at the start or end')
  .refine((name) => isName(name), { error: 'expected a name that is not a reserved word', abort: true })
  .describe('The repository’s name: the part after the slash in owner/name.')

/** Owner and name. */
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

/** The name of a test suite. */
export const Suite = z
  .string()
  .regex(NAME_PATTERN, 'expected 1 to 64 characters: a-z, 0-9 and single hyphens, not at the start or end')
  .refine((suite) => isSuite(suite), { error: 'expected no name that is reserved on Windows', abort: true })
  .describe('The name of a test suite: lower-case words joined by hyphens.')

/** The name of a variable, as written between the braces. */
export const VariableName = z
  .string()
  .regex(VARIABLE_NAME_PATTERN, 'expected a letter or _, then up to 63 letters, digits or _')
  .describe('The name between the braces.')

/** The path of a file of a skill. */
export const FilePath = z
  .string()
  .refine(isFilePath, 'expected the path of a file of the version')
  .describe('The path of a file of the version, which may contain slashes.')

/** A SHA-256 in hex. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in lower-case hexadecimal')

/** A time in UTC, such as 2026-11-20T10:00:00Z. */
export const Time = z.iso
  .datetime({ error: 'expected a time in UTC such as "2026-11-20T10:00:00Z", in quotes' })
  .describe('A time in UTC, in ISO 8601 format with Z.')

/** Formats a time for records and front matter: UTC to the second, such as 2026-11-20T10:00:00Z. */
export function formatMoment(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`
}

/** An http or https URL; URLs with other schemes are never linked. */
export const WebAddress = linkAddress(/^https?$/, 'https:// or http://')
/** Where readers report a prompt. */
export const ReportAddress = linkAddress(/^(?:https|mailto)$/, 'https:// or mailto:')

/** Returns the schema of a link with some schemes. @param starts how such a link begins, for the message */
function linkAddress(protocol: RegExp, starts: string) {
  return (
    z
      .url({ protocol, error: `expected a URL that starts with ${starts}` })
      .max(LIMITS.addressCharacters, `expected at most ${LIMITS.addressCharacters} characters`)
      // Nobody intentionally puts a password or hidden characters in a link.
      .refine(
        (address) => !/[\s\p{C}]/u.test(address) && !URL.parse(address)?.username,
        'expected a URL without whitespace, invisible characters or a password',
      )
  )
}

/** A number from git or GitHub, stored as a string so that no digits are lost. */
export const NumericId = z
  .union(
    [z.int().positive(), z.string().regex(/^[1-9]\d{0,18}$/, 'expected a whole number')],
    'expected a whole number',
  )
  .transform(String)

/** An SPDX license expression. The content rules check whether the identifier exists. */
export const License = z
  .string()
  .max(LIMITS.licenseCharacters, `expected at most ${LIMITS.licenseCharacters} characters`)
  .regex(/^[A-Za-z0-9.+() -]+$/, 'expected an SPDX license such as MIT')
  .describe('The license, as an SPDX expression.')

/** A scalar value, used as the default or example of a variable. */
export const Scalar = z.union([z.string(), z.number(), z.boolean()])

/** The type of a variable. */
export const VariableType = z
  .enum(['string', 'number', 'integer', 'boolean', 'enum'])
  .describe('The type of the value.')

/** The status of a repository. docs/contract.md section 2. */
export const Status = z
  .enum(['active', 'deprecated', 'archived'])
  .describe('active, deprecated (still listed) or archived.')
export type Status = z.infer<typeof Status>

/** The severity of an advisory. */
export const Severity = z.enum(['low', 'moderate', 'high', 'critical']).describe('How severe the problem is.')

/** The origin of a version, verified through a CI job's token. docs/contract.md section 7. */
export const Provenance = z
  .object({
    issuer: z.string().describe('The OIDC issuer that vouched for the job.'),
    repository: z.string().describe('The source repository.'),
    workflow: z.string().describe('The workflow that published it.'),
    ref: z.string().describe('The git ref it ran on.'),
    sha: z.string().describe('The commit it ran on.'),
    run_id: z.string().describe('The ID of the run.'),
  })
  .meta({ id: 'Provenance', description: 'The CI run that published a version.' })
export type Provenance = z.infer<typeof Provenance>

/** Download counts; never estimated. */
export const Stats = z
  .object({
    downloads_7d: z.int().nonnegative().describe('Downloads in the last 7 days.'),
    downloads_90d: z.int().nonnegative().describe('Downloads in the last 90 days.'),
  })
  .meta({ id: 'Stats', description: 'Download counts.' })
export type Stats = z.infer<typeof Stats>

/**
 * Returns the schema for a one-line text written by users.
 *
 * @param maxCharacters maximum length in code points
 */
export function line(maxCharacters: number) {
  return text(maxCharacters, '^[^\\u0000-\\u001f\\u007f-\\u009f]*$', 'expected no control characters or line breaks')
}

/** Returns the schema for a short text of one or more lines, in which `\n` is the only allowed control character. @param maxCharacters in code points */
export function lines(maxCharacters: number) {
  return text(
    maxCharacters,
    '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$',
    'expected no control characters except line feeds',
  )
}

/** @param pattern limited to syntax that every regular expression language supports, because it appears in the OpenAPI document */
function text(maxCharacters: number, pattern: string, sentence: string) {
  const allowed = new RegExp(pattern, 'u')
  return z
    .string()
    .superRefine((value, context) => {
      const say = (message: string) => context.addIssue({ code: 'custom', message })
      if (countCharacters(value) > maxCharacters) say(`expected at most ${maxCharacters} characters`)
      if (!allowed.test(value)) say(sentence)
      if (!value.isWellFormed()) say('expected well-formed Unicode, without lone surrogates')
    })
    .meta({ maxLength: maxCharacters, pattern })
}

/** Returns why content is rejected, or undefined. Its size is checked separately, because content over the limit has its own error status. */
export function findContentProblem(content: string): string | undefined {
  if (content.trim() === '') return 'expected some text'
  if (content.includes('\0')) return 'expected text without NUL characters'
  if (!content.isWellFormed()) return 'expected well-formed Unicode, without lone surrogates'
  return undefined
}

function isFullName(text: string): boolean {
  return splitFullName(text) !== undefined
}

/** Returns whether all values are distinct. */
export const unique = (values: readonly unknown[]): boolean => new Set(values).size === values.length
