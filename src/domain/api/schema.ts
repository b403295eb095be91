// The schemas of all public records. values.ts has their parts, front-matter.ts what authors write.
import * as z from 'zod'
import { CHAT_ROLES, FORMATS } from '../content/chat.ts'
import {
  FullName,
  Handle,
  License,
  line,
  lines,
  Name,
  Owner,
  Provenance,
  Scalar,
  Severity,
  Stats,
  Status,
  Tag,
  Time,
  VariableName,
  VariableType,
  Version,
  VersionAddress,
} from '../content/values.ts'
import { ERROR_CODES } from './errors.ts'
import { LIMITS } from './limits.ts'

const address = (sentence: string) => z.url().describe(sentence)

/** A variable as readers receive it. docs/contract.md section 3. */
export const Variable = z
  .object({
    name: VariableName,
    description: z.string().describe('What to give for it; empty when its author said nothing.'),
    type: VariableType,
    required: z.boolean().describe('Whether a value must be given before the prompt is used.'),
    default: Scalar.nullable().describe('The value used when none is given, or null.'),
    options: z.array(z.string()).describe('The values to choose from; empty unless the type is enum.'),
    example: Scalar.nullable().describe('A value that shows what is meant, or null.'),
  })
  .meta({ id: 'Variable', description: 'A placeholder of a prompt.' })
export type Variable = z.infer<typeof Variable>

/** Model settings, unchanged from the author. */
export const Parameters = z
  .record(z.string(), z.unknown())
  .describe('Model settings, kept as given, for example {"temperature": 0.2}.')
export type Parameters = z.infer<typeof Parameters>

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 of the content’s bytes, in hex.')
const sizeBytes = z.int().nonnegative().describe('Length of the content in bytes of UTF-8.')
const versionAddress = address('The address of this version’s record.')
const versionRawAddress = address('The address of this version’s bare content.')

/** A repository in a list. docs/contract.md section 3. */
export const RepositorySummary = z
  .object({
    owner: Owner,
    name: Name,
    full_name: FullName,
    title: line(LIMITS.titleCharacters).describe('What the prompt is called.'),
    description: line(LIMITS.descriptionCharacters).describe('What it is for, in a sentence or two.'),
    tags: z.array(Tag).describe('Its tags.'),
    license: License.nullable().describe('Its licence as an SPDX expression, or null.'),
    status: Status,
    status_message: z.string().nullable().describe('Why it has this status and what to do, or null.'),
    latest_version: Version.nullable().describe('The highest version that is not yanked, or null.'),
    versions_count: z.int().nonnegative().describe('How many versions were published, yanked ones included.'),
    variables_count: z.int().nonnegative().describe('How many variables the latest version has.'),
    has_provenance: z.boolean().describe('Whether a CI run proved that it published the latest version.'),
    created_at: Time.describe('When the first version was published.'),
    updated_at: Time.describe('When the newest version was published.'),
    stats: Stats.nullable().describe('Download counts, or null when nothing is counted.'),
    url: address('The address of this record.'),
    html_url: address('The address of its page.'),
    raw_url: address('The address of its bare content.'),
  })
  .meta({ id: 'RepositorySummary', description: 'A repository in a list.' })
export type RepositorySummary = z.infer<typeof RepositorySummary>

/** A repository in `/data/v1/index.json`, with the hashes that tell a mirror which files to fetch again. docs/contract.md section 4. */
export const MirrorEntry = RepositorySummary.extend({
  latest_sha256: z
    .string()
    .nullable()
    .describe('The SHA-256 of the latest version’s content, as hexadecimal, or null when there is none.'),
  record_sha256: z
    .string()
    .describe(
      'The SHA-256 of the bytes of `/data/v1/repos/{owner}/{name}.json`, as hexadecimal: while it is the same, so is everything that file says.',
    ),
}).meta({ id: 'MirrorEntry', description: 'A repository in `/data/v1/index.json`, for mirrors.' })
export type MirrorEntry = z.infer<typeof MirrorEntry>

/** The kinds of warnings. docs/contract.md section 3. */
const WARNING_CODES = [
  'hidden_characters',
  'look_alikes',
  'secret',
  'breaking_change',
  'weak_metadata',
  'looks_like_chat',
] as const

/** A warning; it never blocks a publish. docs/contract.md section 3. */
export const Warning = z
  .object({
    code: z.enum(WARNING_CODES).describe('What kind of warning; more kinds may come.'),
    message: z.string().describe('What was found, and what to do.'),
    line: z
      .int()
      .positive()
      .nullable()
      .describe('The line of the content, from 1, or null when it is about something else.'),
  })
  .meta({ id: 'Warning', description: 'Something worth a second look; nothing is refused for it.' })
export type Warning = z.infer<typeof Warning>

const role = z.enum(CHAT_ROLES).describe('Who speaks.')

/** One message of a chat prompt. docs/contract.md section 3. */
const ChatMessage = z
  .object({ role, content: z.string().describe('Its text, without line ends at its beginning and end.') })
  .meta({ id: 'ChatMessage', description: 'A message of a chat prompt.' })

/** The position of earlier messages in a chat prompt. docs/contract.md section 3. */
const ChatHistory = z
  .object({ type: z.literal('history').describe('Tells it from a message.') })
  .meta({ id: 'ChatHistory', description: 'The place where the caller’s earlier messages go.' })

const format = z.enum(FORMATS).describe('`text`, or `chat`: the content has role lines.')
const messages = z
  .array(z.union([ChatMessage, ChatHistory]))
  .nullable()
  .describe('The messages of a chat prompt, or null for a text.')

/** The Agent Skill part of a version. docs/contract.md section 3. */
const Skill = z
  .object({
    description: z.string().describe('What the skill does, and when to use it.'),
    license: License.nullable().describe('The licence when the version was published, or null.'),
  })
  .meta({ id: 'Skill', description: 'What makes a version an Agent Skill.' })
const skill = Skill.nullable().describe('What makes it an Agent Skill, or null.')

/** An advisory: versions that should no longer be used. docs/contract.md section 3. */
export const Advisory = z
  .object({
    range: z.string().describe('Which versions, as a range of node-semver, such as "<1.2.0".'),
    severity: Severity,
    message: z.string().describe('What is wrong and what to do.'),
    versions: z.array(Version).describe('The versions it is about, highest first; yanked ones too.'),
  })
  .meta({ id: 'Advisory', description: 'A warning of its maintainers about some versions.' })
export type Advisory = z.infer<typeof Advisory>

/** A full repository record. docs/contract.md section 3. */
export const Repository = z
  .object({
    ...RepositorySummary.shape,
    content: z
      .string()
      .nullable()
      .describe('The latest version’s text, byte for byte, or null without an active version.'),
    content_sha256: sha256.nullable().describe('SHA-256 of the content’s bytes, in hex, or null.'),
    size_bytes: sizeBytes.nullable().describe('Length of the content in bytes of UTF-8, or null.'),
    format: format.describe('`text`, or `chat`: the latest version’s content has role lines.'),
    messages: messages.describe('The messages of the latest version, or null for a text.'),
    skill: skill.describe('What makes the latest version an Agent Skill, or null.'),
    variables: z.array(Variable).describe('The latest version’s placeholders.'),
    parameters: Parameters,
    labels: z
      .record(z.string(), Version)
      .describe('Names that point at a version, for example {"production": "1.2.0"}.'),
    readme: z.string().describe('Notes on the prompt, in markdown; empty when there are none.'),
    versions: z.array(Version).describe('Its versions, highest first; yanked ones left out.'),
    moved_to: FullName.nullable().describe('The repository that goes on instead of this one, or null.'),
    replaced_by: FullName.nullable().describe('The repository that its maintainers recommend instead, or null.'),
    forked_from: VersionAddress.nullable().describe('The version that it began as a copy of, or null.'),
    advisories: z.array(Advisory).describe('What its maintainers warn users of some versions of.'),
    warnings: z
      .array(Warning)
      .describe('What was found in the latest version’s texts, such as characters that do not show.'),
  })
  .meta({ id: 'Repository', description: 'A repository with its latest content.' })
export type Repository = z.infer<typeof Repository>

const changelog = lines(LIMITS.changelogCharacters).describe('What changed in this version.')
const publishedAt = Time.describe('When it was published.')
const publishedBy = Handle.describe('Who published it.')

/** A version in the list of versions. docs/contract.md section 3. */
export const VersionSummary = z
  .object({
    version: Version,
    changelog,
    published_at: publishedAt,
    published_by: publishedBy,
    content_sha256: sha256,
    size_bytes: sizeBytes,
    yanked: z.boolean().describe('Whether it was withdrawn; its exact address still answers.'),
    yank_reason: z.string().nullable().describe('Why it was withdrawn, or null.'),
    provenance: Provenance.nullable().describe('The CI run that published it, when one proved itself, or null.'),
    url: versionAddress,
    raw_url: versionRawAddress,
  })
  .meta({ id: 'VersionSummary', description: 'A version in a list.' })
export type VersionSummary = z.infer<typeof VersionSummary>

/** One version; it never changes after publishing, so it does not say whether it was yanked. docs/contract.md section 3. */
export const VersionRecord = z
  .object({
    owner: Owner,
    name: Name,
    full_name: FullName,
    version: Version,
    previous_version: Version.nullable().describe('The next lower number ever published, or null.'),
    content: z.string().describe('The prompt’s text, byte for byte.'),
    content_sha256: sha256,
    size_bytes: sizeBytes,
    format,
    messages,
    skill,
    variables: z.array(Variable).describe('Its placeholders.'),
    parameters: Parameters,
    changelog,
    published_at: publishedAt,
    published_by: publishedBy,
    provenance: Provenance.nullable().describe('The CI run that published it, when one proved itself, or null.'),
    url: versionAddress,
    raw_url: versionRawAddress,
  })
  .meta({ id: 'Version', description: 'One published version.' })
export type VersionRecord = z.infer<typeof VersionRecord>

/** The types of activity. docs/contract.md section 3 */
const ACTIVITY_TYPES = ['published', 'labelled', 'unlabelled', 'yanked', 'unyanked', 'status', 'changed'] as const

/** An entry of a repository's activity. docs/contract.md section 3. */
export const Activity = z
  .object({
    type: z.enum(ACTIVITY_TYPES).describe('What happened; more kinds may come.'),
    at: Time.describe('When.'),
    by: z.string().describe('Who did it: a handle, or the author’s name of a commit made by hand.'),
    version: Version.nullable().describe('The version that it is about, or null.'),
    label: z.string().nullable().describe('The label that was moved or removed, or null.'),
    from: z.string().nullable().describe('The version that the label pointed at, or the status before, or null.'),
    to: z.string().nullable().describe('The version that the label points at now, or the status, or null.'),
    reason: z.string().nullable().describe('Why it was yanked, or the message of the status, or null.'),
    fields: z.array(z.string()).describe('The fields that `changed` is about.'),
    commit: z.string().nullable().describe('The commit that did it, or null.'),
  })
  .meta({ id: 'Activity', description: 'Something that happened to a repository.' })
export type Activity = z.infer<typeof Activity>

const part = z.enum([...CHAT_ROLES, 'history'])
const names = (sentence: string) => z.array(z.string()).describe(sentence)

/** The changes that callers of a version must know before they upgrade. docs/contract.md section 11. */
export const Difference = z
  .object({
    from: Version.describe('The version that is compared with.'),
    to: Version.describe('The version that changed something.'),
    breaking: z
      .boolean()
      .describe(
        'Whether a call that was right with `from` may fail with `to`: a variable went, one that must be given came, or what is accepted became less.',
      ),
    content_changed: z.boolean().describe('Whether the text differs at all.'),
    format_changed: z.boolean().describe('Whether a text became a chat prompt, or the other way round.'),
    messages: z
      .object({
        added: z.array(part).describe('Kinds of which there are more than before.'),
        removed: z.array(part).describe('Kinds of which there are fewer.'),
        changed: z
          .array(part)
          .describe('Kinds of which there are as many, with another text or in another order among them.'),
      })
      .describe('What happened to the messages of a chat prompt, by role; `history` is the place of earlier messages.'),
    variables: z
      .object({
        added: z.array(Variable).describe('Variables that came.'),
        removed: names('The names of those that went.'),
        newly_required: names('Those that could be left out before and cannot any more.'),
        narrowed: names('Those that refuse some values they took before.'),
        changed: z
          .array(z.object({ name: VariableName, fields: names('The fields that differ.') }))
          .describe('Those whose declaration differs in any way.'),
      })
      .describe('What happened to the variables.'),
    parameters: z
      .object({
        added: names('Settings that came.'),
        removed: names('Settings that went.'),
        changed: names('Settings with another value.'),
      })
      .describe('What happened to the model settings, by their names at the top.'),
  })
  .meta({ id: 'Difference', description: 'What changed between two versions for those who call them.' })
export type Difference = z.infer<typeof Difference>

/** A tag and its number of prompts. docs/contract.md section 3. */
export const TagRecord = z
  .object({
    name: Tag,
    count: z.int().nonnegative().describe('How many listed repositories carry it.'),
    url: address('The address of the list filtered by this tag.'),
  })
  .meta({ id: 'Tag', description: 'A tag and its count.' })
export type TagRecord = z.infer<typeof TagRecord>

/** An owner in `/data/v1/users.json`, the list of all owners. docs/contract.md section 4. */
export const OwnerCount = z
  .object({
    handle: Owner,
    repos_count: z.int().nonnegative().describe('How many listed repositories they have.'),
  })
  .meta({ id: 'OwnerCount', description: 'An owner and the number of their prompts.' })
export type OwnerCount = z.infer<typeof OwnerCount>

/** An owner's profile. docs/contract.md section 3. */
export const User = z
  .object({
    handle: Owner,
    name: z.string().nullable().describe('The name they go by, or null.'),
    bio: z.string().nullable().describe('What they say of themselves, in markdown, or null.'),
    website: z.string().nullable().describe('Their own address, or null.'),
    avatar_url: z.string().nullable().describe('The address of their picture, or null.'),
    html_url: address('The address of their page.'),
    repos_count: z.int().nonnegative().describe('How many of their repositories are listed.'),
    repos: z.array(RepositorySummary).describe('Their listed repositories, newest update first.'),
  })
  .meta({ id: 'User', description: 'An owner’s profile.' })
export type User = z.infer<typeof User>

/** Paging of a list. docs/contract.md section 4. */
export const Meta = z
  .object({
    page: z.int().positive().describe('This page, from 1.'),
    pages: z.int().nonnegative().describe('How many pages there are; 0 when nothing matches.'),
    total: z.int().nonnegative().describe('How many records match.'),
  })
  .meta({ id: 'Meta', description: 'Where a list stands.' })
export type Meta = z.infer<typeof Meta>

/** Metadata of an activity list. docs/contract.md section 4. */
export const ActivityMeta = z
  .object({
    ...Meta.shape,
    since: Time.nullable().describe(
      'Before this moment publishes alone are known, because the history of git is cut short; null when it is whole.',
    ),
  })
  .meta({ id: 'ActivityMeta', description: 'Where a list of what happened stands.' })

/** How the words of a search were interpreted. docs/contract.md section 4. */
export const Matched = z
  .object({
    exact: z.int().nonnegative().describe('How many records hold every word that counts; they stand first.'),
    corrected: z.record(z.string(), z.string()).describe('Words read as others, for example {"reveiw": "review"}.'),
    ignored: z.array(z.string()).describe('Words left out: nothing holds them, or they are too many.'),
  })
  .meta({ id: 'Matched', description: 'How the words of a search were taken.' })
export type Matched = z.infer<typeof Matched>

/** Paging of search results. docs/contract.md section 4. */
export const SearchMeta = z
  .object({
    ...Meta.shape,
    total_is_exact: z.boolean().optional().describe('Whether total was counted to the end; with q only.'),
    matched: Matched.optional().describe('How the words of q were taken; with q only.'),
  })
  .meta({ id: 'SearchMeta', description: 'Where a list of repositories stands.' })
export type SearchMeta = z.infer<typeof SearchMeta>

/** The body of every error. docs/contract.md section 6. */
export const ErrorEnvelope = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(ERROR_CODES).describe('What kind of error.'),
      message: z.string().describe('What was wrong, where, and what to do.'),
    }),
  })
  .meta({ id: 'Error', description: 'What every error answers.' })
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>

/** Wraps a record's schema as the response with one record. */
export function single<Record extends z.ZodType>(record: Record) {
  return z.object({ data: record })
}

/** Wraps a record's schema as the response with a page of records. */
export function list<Record extends z.ZodType>(record: Record) {
  return z.object({ data: z.array(record), meta: Meta })
}

/** Wraps a record's schema as the response with a page of search results. */
export function searchList<Record extends z.ZodType>(record: Record) {
  return z.object({ data: z.array(record), meta: SearchMeta })
}
