// The schemas of all public records. values.ts has their parts; front-matter.ts has the schemas of what authors write.

import * as z from 'zod'
import { LabelTarget } from '../content/label-schema.ts'
import { CAPABILITY_KINDS, CAPABILITY_SEVERITIES } from '../inspect/kinds.ts'
import { LIMITS } from '../limits.ts'
import { AttestationFacts, PublisherFacts } from '../values/attestation.ts'
import { CHAT_ROLES, FORMATS, KINDS } from '../values/chat.ts'
import { FILE_MEDIA_TYPES } from '../values/file-entry.ts'
import { Include } from '../values/include.ts'
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
  Sha256,
  Stats,
  Status,
  Suite,
  Tag,
  Time,
  VariableName,
  VariableType,
  Version,
  VersionAddress,
} from '../values/values.ts'
import { ERROR_CODES } from './errors.ts'

const address = (sentence: string) => z.url().describe(sentence)

/** A variable as returned to readers. docs/contract.md section 3. */
export const Variable = z
  .object({
    name: VariableName,
    description: z.string().describe('What the value is for; empty if undocumented.'),
    type: VariableType,
    required: z.boolean().describe('Whether a value must be provided before the prompt is used.'),
    default: Scalar.nullable().describe('The value used if none is provided, or null.'),
    options: z.array(z.string()).describe('The values to choose from; empty unless the type is enum.'),
    example: Scalar.nullable().describe('An example value, or null.'),
  })
  .meta({ id: 'Variable', description: 'A placeholder of a prompt.' })
export type Variable = z.infer<typeof Variable>

/** Model settings, exactly as the author wrote them. */
export const Parameters = z
  .record(z.string(), z.unknown())
  .describe('Model settings, stored unchanged, for example {"temperature": 0.2}.')
export type Parameters = z.infer<typeof Parameters>

const sha256 = Sha256.describe('SHA-256 of the content’s bytes, in hex.')
const sizeBytes = z.int().nonnegative().describe('Length of the content in bytes of UTF-8.')
const versionAddress = address('The URL of this version’s record.')
const versionRawAddress = address('The URL of this version’s raw content.')

/** A signature of a version, and what it proves. docs/contract.md section 7. */
export const Attestation = z
  .object({
    name: z.string().describe('The name of its file, such as 1.sigstore.json.'),
    url: address('URL of the Sigstore bundle.'),
    ...AttestationFacts.shape,
  })
  .meta({ id: 'Attestation', description: 'A signature of a version, which the hub has verified.' })
export type Attestation = z.infer<typeof Attestation>

const publisher = PublisherFacts.nullable()

const format = z.enum(FORMATS).describe('`text`, or `chat`: the content has role lines.')

/** A repository in a list. docs/contract.md section 3. */
export const RepositorySummary = z
  .object({
    owner: Owner,
    name: Name,
    full_name: FullName,
    title: line(LIMITS.titleCharacters).describe('The prompt’s title.'),
    description: line(LIMITS.descriptionCharacters).describe('What it does, in a sentence or two.'),
    tags: z.array(Tag).describe('Its tags.'),
    license: License.nullable().describe('The license as an SPDX expression, or null.'),
    status: Status,
    status_message: z.string().nullable().describe('Why it has this status and what users should do, or null.'),
    latest_version: Version.nullable().describe('The highest version that is not yanked, or null.'),
    versions_count: z.int().nonnegative().describe('Number of published versions, including yanked ones.'),
    variables_count: z.int().nonnegative().describe('Number of variables in the latest version.'),
    format: format.describe('`text`, or `chat`: the latest version’s content has role lines.'),
    kind: z.enum(KINDS).describe('What the latest version is: `skill` for an Agent Skill, otherwise its format.'),
    forked_from: VersionAddress.nullable().describe('The version that it was forked from, or null.'),
    has_provenance: z.boolean().describe('Whether a verified CI run published the latest version.'),
    has_results: z.boolean().describe('Whether the latest version has results of test suites.'),
    created_at: Time.describe('When the first version was published.'),
    updated_at: Time.describe('When the newest version was published.'),
    stats: Stats.nullable().describe('Download counts, or null if downloads are not counted.'),
    url: address('The URL of this record.'),
    html_url: address('The URL of its page.'),
    raw_url: address('The URL of its raw content.'),
  })
  .meta({ id: 'RepositorySummary', description: 'A repository in a list.' })
export type RepositorySummary = z.infer<typeof RepositorySummary>

/** A repository in `/data/v1/index.json`, with the hashes that tell a mirror which files to fetch again. docs/contract.md section 4. */
export const MirrorEntry = RepositorySummary.extend({
  latest_sha256: z
    .string()
    .nullable()
    .describe('The SHA-256 of the latest version’s content, in hexadecimal, or null if no version is active.'),
  record_sha256: z
    .string()
    .describe(
      'The SHA-256 of the bytes of `/data/v1/repos/{owner}/{name}.json`, in hexadecimal; it changes whenever that file changes.',
    ),
}).meta({ id: 'MirrorEntry', description: 'A repository in `/data/v1/index.json`, for mirrors.' })
export type MirrorEntry = z.infer<typeof MirrorEntry>

/** The kinds of warning. docs/contract.md section 3. */
const WARNING_CODES = [
  'hidden_characters',
  'look_alikes',
  'secret',
  'breaking_change',
  'weak_metadata',
  'looks_like_chat',
  'looks_like_front_matter',
  'near_placeholder',
  'missing_file',
  'looks_like_include',
  'included_advisory',
  'left_out',
  'near_name',
] as const

/** A warning; it never blocks a publish. docs/contract.md section 3. */
export const Warning = z
  .object({
    code: z.enum(WARNING_CODES).describe('The kind of warning; more may be added.'),
    message: z.string().describe('What was found, and how to fix it.'),
    line: z
      .int()
      .positive()
      .nullable()
      .describe(
        'The 1-based line number in the content or, in the response to a prompt file, in that file; null if the warning is not about a line.',
      ),
  })
  .meta({ id: 'Warning', description: 'A possible problem; it does not prevent publishing.' })
export type Warning = z.infer<typeof Warning>

const role = z.enum(CHAT_ROLES).describe('The role of the message.')

/** One message of a chat prompt. docs/contract.md section 3. */
const ChatMessage = z
  .object({ role, content: z.string().describe('The text, without leading and trailing newlines.') })
  .meta({ id: 'ChatMessage', description: 'A message of a chat prompt.' })

/** The position of earlier messages in a chat prompt. docs/contract.md section 3. */
const ChatHistory = z
  .object({ type: z.literal('history').describe('Distinguishes this object from a message.') })
  .meta({ id: 'ChatHistory', description: 'The position of the caller’s earlier messages.' })

const messages = z
  .array(z.union([ChatMessage, ChatHistory]))
  .nullable()
  .describe('The messages of a chat prompt, or null for a text prompt.')

/** The Agent Skill metadata of a version. docs/contract.md section 3. */
const Skill = z
  .object({
    description: z.string().describe('What the skill does, and when to use it.'),
    license: License.nullable().describe('The license when the version was published, or null.'),
    compatibility: z.string().nullable().describe('What the skill needs to run, or null.'),
    allowed_tools: z
      .array(z.string())
      .describe('The tools that the skill asks to use without a question. Its SKILL.md does not have them.'),
    argument_hint: z.string().nullable().describe('What to type after the name of the skill, or null.'),
    metadata: z.record(z.string(), z.string()).describe('More about the skill, as strings by key.'),
  })
  .meta({ id: 'Skill', description: 'The Agent Skill metadata of a version.' })
const skill = Skill.nullable().describe('The Agent Skill metadata, or null if the version is not a skill.')

/** A file beside the SKILL.md of a version. docs/contract.md section 3. */
export const SkillFile = z
  .object({
    path: z.string().describe('Its path, relative to the folder that contains SKILL.md.'),
    size_bytes: z.int().nonnegative().describe('Its length in bytes.'),
    sha256: Sha256.describe('SHA-256 of its bytes, in hex.'),
    media_type: z.enum(FILE_MEDIA_TYPES).describe('`text/plain`, the type of an image, or `application/octet-stream`.'),
    url: address('The URL of its bytes.'),
  })
  .meta({ id: 'SkillFile', description: 'A file of an Agent Skill, beside its SKILL.md.' })
export type SkillFile = z.infer<typeof SkillFile>
const files = z.array(SkillFile).describe('The files beside the SKILL.md, sorted by path; empty if there are none.')
const bundleSha256 = Sha256.nullable().describe(
  'SHA-256 of the archive with the SKILL.md and all files, in hex, or null if there are no files.',
)

const includes = z
  .array(Include)
  .describe('The parts of the content that come from other versions, by position; empty if there are none.')

/** An advisory: versions that should no longer be used. docs/contract.md section 3. */
export const Advisory = z
  .object({
    range: z.string().describe('The affected versions, as a node-semver range such as "<1.2.0".'),
    severity: Severity,
    message: z.string().describe('The problem, and what users should do.'),
    versions: z.array(Version).describe('The affected versions, highest first, including yanked ones.'),
  })
  .meta({ id: 'Advisory', description: 'A warning from the maintainers about some versions.' })
export type Advisory = z.infer<typeof Advisory>

/** What a provider has announced about a version's model. Only dates, so that a record does not depend on the day on which it is read. docs/contract.md section 3. */
export const ModelStatus = z
  .object({
    model: z
      .string()
      .min(1)
      .max(LIMITS.modelCharacters)
      .regex(/^[\w./:@-]+$/, 'expected the ID of a model, such as example-model-1')
      .describe('The ID of the model, exactly as in `parameters.model`.'),
    retires_at: z.iso
      .date({ error: 'expected a date such as "2026-12-11"' })
      .describe('The day, in UTC, from which its provider no longer serves it.'),
    replaced_by: z
      .string()
      .min(1)
      .max(LIMITS.modelCharacters)
      .regex(/^[\w./:@-]+$/, 'expected the ID of a model, such as example-model-2')
      .nullable()
      .describe('The model that its provider recommends instead, or null.'),
    source: address('The page on which the provider announces it.')
      .nullable()
      .describe('The page on which the provider announces it, or null.'),
  })
  .meta({ id: 'ModelStatus', description: 'When the model of a version retires.' })
export type ModelStatus = z.infer<typeof ModelStatus>
const modelStatus = ModelStatus.nullable()

/** The outcome of a test suite for one version. docs/contract.md section 3. */
export const Result = z
  .object({
    suite: Suite,
    version: Version.describe('The version that was tested.'),
    content_sha256: sha256,
    passed: z.int().nonnegative().describe('Number of test cases that passed.'),
    failed: z.int().nonnegative().describe('Number of test cases that failed, or ended with an error.'),
    skipped: z.int().nonnegative().describe('Number of test cases that did not run.'),
    score: z.number().min(0).max(1).nullable().describe('The score of the suite, from 0 to 1, or null.'),
    model: z.string().nullable().describe('The model that was tested, or null.'),
    url: address('The https URL of the run.').nullable().describe('The https URL of the run, or null.'),
    at: Time.describe('When the suite ran, as its sender says.'),
    reported_by: Handle.describe('Who reported it.'),
    provenance: Provenance.nullable().describe('The verified CI run that reported it, or null.'),
  })
  .meta({ id: 'Result', description: 'The outcome of a test suite for one version.' })
export type Result = z.infer<typeof Result>

/** A full repository record. docs/contract.md section 3. */
export const Repository = z
  .object({
    ...RepositorySummary.shape,
    content: z
      .string()
      .nullable()
      .describe('The latest version’s content, byte for byte, or null if no version is active.'),
    content_sha256: sha256.nullable().describe('SHA-256 of the content’s bytes, in hex, or null.'),
    size_bytes: sizeBytes.nullable().describe('Length of the content in bytes of UTF-8, or null.'),
    messages: messages.describe('The messages of the latest version, or null for a text prompt.'),
    skill: skill.describe('The Agent Skill metadata of the latest version, or null.'),
    files: files.describe('The files beside the SKILL.md of the latest version, sorted by path.'),
    bundle_sha256: bundleSha256,
    attestations: z
      .array(Attestation)
      .describe('What the publisher of the latest version has proved with a signature.'),
    publisher: publisher.describe('The workflow that published the latest version, or null.'),
    includes: includes.describe('The parts of the latest version’s content that come from other versions.'),
    variables: z.array(Variable).describe('The latest version’s placeholders.'),
    parameters: Parameters,
    labels: z
      .record(z.string(), LabelTarget)
      .describe('Names that point at a version, for example {"production": {"version": "1.2.0", "split": null}}.'),
    readme: z.string().describe('Notes on the prompt, in Markdown; empty if there are none.'),
    versions: z.array(Version).describe('The versions, highest first, without yanked ones.'),
    moved_to: FullName.nullable().describe('The repository that this one moved to, or null.'),
    replaced_by: FullName.nullable().describe('The repository that its maintainers recommend instead, or null.'),
    advisories: z.array(Advisory).describe('Warnings from the maintainers about some versions.'),
    warnings: z.array(Warning).describe('Findings in the latest version’s text fields, such as invisible characters.'),
    model_status: modelStatus.describe(
      'When the model of the latest version retires, or null if nothing is announced.',
    ),
    results: z.array(Result).describe('The results of test suites for the latest version, newest first.'),
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
    available_at: Time.describe(
      'Since when readers can have it: when it was published or, if git says that its file came at another time, that time.',
    ),
    published_by: publishedBy,
    content_sha256: sha256,
    size_bytes: sizeBytes,
    yanked: z.boolean().describe('Whether the version was yanked; it can still be fetched by its exact number.'),
    yank_reason: z.string().nullable().describe('Why it was yanked, or null.'),
    provenance: Provenance.nullable().describe('The verified CI run that published it, or null.'),
    model_status: modelStatus.describe('When its model retires, or null if nothing is announced.'),
    included: z
      .array(VersionAddress)
      .describe('The versions whose content it includes, such as acme/house-style@1.4.0; empty if there are none.'),
    url: versionAddress,
    raw_url: versionRawAddress,
  })
  .meta({ id: 'VersionSummary', description: 'A version in a list.' })
export type VersionSummary = z.infer<typeof VersionSummary>

/** A version in brief, in the file with all versions. docs/contract.md section 4. */
export const VersionRow = VersionSummary.pick({
  version: true,
  published_at: true,
  available_at: true,
  published_by: true,
  content_sha256: true,
  yanked: true,
  yank_reason: true,
  model_status: true,
}).meta({ id: 'VersionRow', description: 'A version in brief.' })
export type VersionRow = z.infer<typeof VersionRow>

/** One version. It never changes after publishing, so it does not include whether it was yanked. docs/contract.md section 3. */
export const VersionRecord = z
  .object({
    owner: Owner,
    name: Name,
    full_name: FullName,
    version: Version,
    previous_version: Version.nullable().describe('The next lower version, yanked or not, or null.'),
    content: z.string().describe('The prompt’s content, byte for byte.'),
    content_sha256: sha256,
    size_bytes: sizeBytes,
    format,
    messages,
    skill,
    files,
    bundle_sha256: bundleSha256,
    includes,
    variables: z.array(Variable).describe('Its placeholders.'),
    parameters: Parameters,
    changelog,
    published_at: publishedAt,
    published_by: publishedBy,
    provenance: Provenance.nullable().describe('The verified CI run that published it, or null.'),
    attestations: z.array(Attestation).describe('What its publisher has proved with a signature.'),
    publisher: publisher.describe(
      'The workflow that signed it or, without an attestation, whose token the hub verified; null for tokens and people.',
    ),
    url: versionAddress,
    raw_url: versionRawAddress,
  })
  .meta({ id: 'Version', description: 'One published version.' })
export type VersionRecord = z.infer<typeof VersionRecord>

/** The types of activity. docs/contract.md section 3 */
const ACTIVITY_TYPES = [
  'published',
  'labelled',
  'restored',
  'split',
  'unlabelled',
  'yanked',
  'unyanked',
  'removed',
  'status',
  'changed',
  'tested',
] as const

/** A second version of a label, and who gets it. */
const Share = LabelTarget.shape.split.unwrap().pick({ version: true, percent: true })

/** An entry of a repository's activity. docs/contract.md section 3. */
export const Activity = z
  .object({
    type: z.enum(ACTIVITY_TYPES).describe('The kind of event; more may be added.'),
    at: Time.describe('When it happened.'),
    by: z.string().describe('The actor: a handle, or the author name of a manual commit.'),
    by_token: z.string().nullable().describe('The name of the token that sent a change, or null.'),
    by_workflow: z.string().nullable().describe('The CI workflow that sent a change, or null.'),
    version: Version.nullable().describe('The version that the event concerns, or null.'),
    label: z.string().nullable().describe('The label that was moved or removed, or null.'),
    from: z
      .string()
      .nullable()
      .describe('The version that the label pointed at before, or the previous status, or null.'),
    to: z.string().nullable().describe('The version that the label points at now, or the new status, or null.'),
    from_split: Share.nullable().describe('The second version that the label offered before, or null.'),
    to_split: Share.nullable().describe('The second version that the label offers now, or null.'),
    reason: z
      .string()
      .nullable()
      .describe(
        'Why a label was moved or a version yanked or removed, the status message, or the outcome of the test suite, or null.',
      ),
    suite: z.string().nullable().describe('The test suite that ran, or null.'),
    fields: z.array(z.string()).describe('The fields that changed, for the type `changed`.'),
    commit: z.string().nullable().describe('The commit of the change, or null.'),
  })
  .meta({ id: 'Activity', description: 'An event in a repository’s activity.' })
export type Activity = z.infer<typeof Activity>

const part = z.enum([...CHAT_ROLES, 'history'])
const names = (sentence: string) => z.array(z.string()).describe(sentence)

/** The changes that callers of a version must know about before they upgrade. docs/contract.md section 7. */
export const Difference = z
  .object({
    from: Version.describe('The base version of the comparison.'),
    to: Version.describe('The version that is compared with the base.'),
    breaking: z
      .boolean()
      .describe(
        'Whether a call that works with `from` may fail with `to`, or its answer may have another form: `reasons` says why.',
      ),
    reasons: z
      .array(z.string())
      .describe(
        'Why the change is breaking, such as `adds required variable lang`: what callers must change. At most ten, then how many more there are; empty if it is not breaking.',
      ),
    content_changed: z.boolean().describe('Whether the content differs.'),
    format_changed: z.boolean().describe('Whether a text prompt became a chat prompt, or vice versa.'),
    skill_changed: z
      .boolean()
      .describe('Whether the version became an Agent Skill, is none any more, or describes itself otherwise.'),
    messages: z
      .object({
        added: z.array(part).describe('Roles that now have more messages.'),
        removed: z.array(part).describe('Roles that now have fewer messages.'),
        changed: z.array(part).describe('Roles with the same number of messages, but different text or order.'),
      })
      .describe('Changes to the messages of a chat prompt, by role; `history` is the position of earlier messages.'),
    variables: z
      .object({
        added: names('The names of added variables; the version has their declarations.'),
        added_required: names('Those of them that must be given.'),
        removed: names('The names of removed variables.'),
        newly_required: names('Variables that used to be optional and are now required.'),
        narrowed: names('Variables that reject some previously accepted values.'),
        undeclared: names('Placeholders that the content gained and that the declared list lacks: they stay as text.'),
        changed: z
          .array(z.object({ name: VariableName, fields: names('The fields that differ.') }))
          .describe('Variables whose declaration changed.'),
      })
      .describe('Changes to the variables.'),
    parameters: z
      .object({
        added: names('Added settings.'),
        removed: names('Removed settings.'),
        changed: names('Settings whose value changed.'),
      })
      .describe('Changes to the parameters, by top-level name.'),
    files: z
      .object({
        added: names('The paths of added files.'),
        removed: names('The paths of removed files.'),
        changed: names('The paths of files with other bytes.'),
      })
      .describe('Changes to the files beside the SKILL.md.'),
  })
  .meta({ id: 'Difference', description: 'The changes between two versions that affect callers.' })
export type Difference = z.infer<typeof Difference>

/** A model in `/data/v1/models.json`, with the prompts that use it. docs/contract.md section 4. */
export const ModelUse = z
  .object({
    ...ModelStatus.shape,
    prompts_count: z
      .int()
      .nonnegative()
      .describe('Number of listed repositories whose latest version names this model.'),
    prompts: z.array(FullName).describe('These repositories in the order `top`, at most 100.'),
  })
  .meta({ id: 'ModelUse', description: 'A model that retires, and the prompts that use it.' })
export type ModelUse = z.infer<typeof ModelUse>

/** A prompt at a label, in the list of all prompts of an owner at that label. docs/contract.md section 3. */
export const LabelledPrompt = z
  .object({
    name: Name,
    full_name: FullName,
    version: Version.describe('The version that the label points to.'),
    content_sha256: sha256,
    url: versionAddress,
    raw_url: versionRawAddress,
  })
  .meta({ id: 'LabelledPrompt', description: 'A prompt at a label.' })
export type LabelledPrompt = z.infer<typeof LabelledPrompt>

const includedRange = z.string().describe('The range, version or label in the include line; `*` if there is none.')

/** A prompt that includes another one. docs/contract.md section 3. */
export const Dependent = z
  .object({
    full_name: FullName,
    title: line(LIMITS.titleCharacters).describe('The prompt’s title.'),
    version: Version.describe('Its latest version, which has the includes.'),
    includes: z
      .array(z.object({ range: includedRange, version: Version.describe('The version that is included.') }))
      .describe('What it includes of this repository, each once.'),
    url: address('The URL of its record.'),
    html_url: address('The URL of its page.'),
  })
  .meta({ id: 'Dependent', description: 'A prompt whose latest version includes another prompt.' })
export type Dependent = z.infer<typeof Dependent>

/** A prompt with includes in `/data/v1/users/{handle}/composed.json`. docs/contract.md section 4. */
export const ComposedPrompt = z
  .object({
    full_name: FullName,
    version: Version.describe('Its latest version, which has the includes.'),
    includes: z
      .array(
        z.object({
          repository: FullName.describe('The repository that is included.'),
          range: includedRange,
          version: Version.describe('The version that is included.'),
          wanted: Version.nullable().describe(
            'The version that the range or label selects now, or null if it selects none.',
          ),
        }),
      )
      .describe('What it includes, each once.'),
    url: address('The URL of its record.'),
  })
  .meta({ id: 'ComposedPrompt', description: 'A prompt whose latest version includes others.' })
export type ComposedPrompt = z.infer<typeof ComposedPrompt>

/** A tag and the number of prompts with it. docs/contract.md section 3. */
export const TagRecord = z
  .object({
    name: Tag,
    count: z.int().nonnegative().describe('Number of listed repositories with this tag.'),
    url: address('The URL of the list filtered by this tag.'),
  })
  .meta({ id: 'Tag', description: 'A tag and its count.' })
export type TagRecord = z.infer<typeof TagRecord>

/** An owner in `/data/v1/users.json`, the list of all owners. docs/contract.md section 4. */
export const OwnerCount = z
  .object({
    handle: Owner,
    repos_count: z.int().nonnegative().describe('Number of their listed repositories.'),
  })
  .meta({ id: 'OwnerCount', description: 'An owner and the number of their prompts.' })
export type OwnerCount = z.infer<typeof OwnerCount>

/** An owner's profile. docs/contract.md section 3. */
export const User = z
  .object({
    handle: Owner,
    name: z.string().nullable().describe('The display name, or null.'),
    bio: z.string().nullable().describe('The bio, in Markdown, or null.'),
    website: z.string().nullable().describe('The URL of their website, or null.'),
    avatar_url: z.string().nullable().describe('The URL of their avatar, or null.'),
    html_url: address('The URL of their page.'),
    repos_count: z.int().nonnegative().describe('Number of their listed repositories.'),
    repos: z.array(RepositorySummary).describe('Their listed repositories, most recently updated first.'),
  })
  .meta({ id: 'User', description: 'An owner’s profile.' })
export type User = z.infer<typeof User>

/** Pagination of a list. docs/contract.md section 4. */
export const Meta = z
  .object({
    page: z.int().positive().describe('The current page, starting at 1.'),
    pages: z.int().nonnegative().describe('The number of pages; 0 if nothing matches.'),
    total: z.int().nonnegative().describe('The number of matching records.'),
  })
  .meta({ id: 'Meta', description: 'Pagination of a list.' })
export type Meta = z.infer<typeof Meta>

/** Metadata of an activity list. docs/contract.md section 4. */
export const ActivityMeta = z
  .object({
    ...Meta.shape,
    since: Time.nullable().describe(
      'Before this time, only publishes are known, because the git history is shallow. Null if the history is complete.',
    ),
  })
  .meta({ id: 'ActivityMeta', description: 'Pagination of an activity list.' })

/** Something that a version can do. docs/contract.md section 4. */
export const Capability = z
  .object({
    kind: z.enum(CAPABILITY_KINDS).describe('What it can do; more kinds may be added.'),
    severity: z
      .enum(CAPABILITY_SEVERITIES)
      .describe('`info`: usual for skills. `notice`: read it. `danger`: few good skills do this.'),
    path: z.string().describe('The file that says so: its path, or `content` for a prompt that is no skill.'),
    line: z.int().positive().describe('The 1-based line in that file.'),
    text: z.string().describe('The words that were found; for `network`, the host or the call.'),
  })
  .meta({ id: 'Capability', description: 'Something that a version can do, found by rules.' })

const rules = z.iso.date().describe('The date of the rules: later ones may find more.')

/** Pagination of a list of capabilities, and the rules that found them. */
export const CapabilityMeta = z
  .object({ ...Meta.shape, rules })
  .meta({ id: 'CapabilityMeta', description: 'Pagination of a list of capabilities.' })

/** What a version can do that another cannot, and the other way round. */
export const CapabilityDifference = z
  .object({
    data: z
      .object({
        added: z.array(Capability).describe('What the version can do, and `from` cannot.'),
        removed: z.array(Capability).describe('What `from` can do, and the version cannot.'),
        summary: z.string().describe('What was added, in words; empty if nothing was.'),
      })
      .describe('The difference.'),
    meta: z.object({ rules }).describe('The rules that found them.'),
  })
  .meta({ id: 'CapabilityDifference', description: 'The difference between what two versions can do.' })

/** How the words of a search were interpreted. docs/contract.md section 4. */
export const Matched = z
  .object({
    exact: z.int().nonnegative().describe('The number of records that contain every word; they come first.'),
    corrected: z.record(z.string(), z.string()).describe('Corrected words, for example {"reveiw": "review"}.'),
    ignored: z.array(z.string()).describe('Ignored words: no record contains them, or there are too many words.'),
  })
  .meta({ id: 'Matched', description: 'How the words of a query were interpreted.' })
export type Matched = z.infer<typeof Matched>

/** Pagination of search results. docs/contract.md section 4. */
export const SearchMeta = z
  .object({
    ...Meta.shape,
    total_is_exact: z.boolean().optional().describe('Whether total is exact; only with q.'),
    matched: Matched.optional().describe('How the words of q were interpreted; only with q.'),
  })
  .meta({ id: 'SearchMeta', description: 'Pagination of a list of repositories.' })
export type SearchMeta = z.infer<typeof SearchMeta>

/** The body of every error. docs/contract.md section 6. */
export const ErrorEnvelope = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(ERROR_CODES).describe('The error code.'),
      message: z.string().describe('What went wrong, where, and how to fix it.'),
    }),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' })
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>

/** Returns the schema of a response with one record. */
export function single<Record extends z.ZodType>(record: Record) {
  return z.object({ data: record })
}

/** Returns the schema of a response with a page of records. */
export function list<Record extends z.ZodType>(
  record: Record,
  meta: typeof Meta | typeof ActivityMeta | typeof SearchMeta | typeof CapabilityMeta = Meta,
) {
  return z.object({ data: z.array(record), meta })
}
