// The schemas for front matter. They are strict, because an unknown key is probably a typo.
import * as z from 'zod'
import { DEFAULT_PERMISSIONS, Permissions } from '../access/token.ts'
import type { Parameters } from '../api/schema.ts'
import { LIMITS } from '../limits.ts'
import { findJsonProblem, isObject } from '../text/json.ts'
import { countBytes, countCharacters } from '../text/plain-text.ts'
import { AttestationList } from '../values/attestation.ts'
import { FORMATS } from '../values/chat.ts'
import { Includes } from '../values/include.ts'
import { MEMBER_PATTERN } from '../values/member-entry.ts'
import { GITHUB_REPOSITORY, isLabel, isVersion } from '../values/names.ts'
import {
  FullName,
  Handle,
  License,
  line,
  lines,
  Name,
  NumericId,
  Provenance,
  Severity,
  Sha256,
  Stats,
  Status,
  Tag,
  Time,
  unique,
  VersionAddress,
  WebAddress,
} from '../values/values.ts'
import { splitTools } from './allowed-tools.ts'
import { LabelInput } from './label-schema.ts'
import { ProtectedLabels } from './protected-labels.ts'
import { VariableInputs } from './variable-input.ts'

/** Model settings: any JSON object within limits, so that no version slows down reading. docs/contract.md section 1. */
export const ParametersInput = z
  .custom<Parameters>(isObject, 'expected an object')
  .superRefine((parameters, context) => {
    const message =
      findJsonProblem(parameters, { depth: LIMITS.parameterDepth, keys: LIMITS.parameterKeys }) ??
      findLengthProblem(JSON.stringify(parameters))
    if (message) context.addIssue({ code: 'custom', message })
  })
  .describe('Model settings, not interpreted.')
  .meta({ type: 'object', additionalProperties: true })

function findLengthProblem(json: string): string | undefined {
  const bytes = countBytes(json)
  return bytes <= LIMITS.parameterBytes
    ? undefined
    : `expected at most ${LIMITS.parameterBytes} bytes as JSON, got ${bytes}`
}

/** The tags of a repository, without duplicates. */
export const TagInputs = z
  .array(Tag)
  .max(LIMITS.tagsPerRepository, `expected at most ${LIMITS.tagsPerRepository} tags`)
  .refine(unique, 'expected each tag only once')
  .meta({ uniqueItems: true })
  .describe('Its tags.')

/** The changelog of a version. */
export const Changelog = lines(LIMITS.changelogCharacters).describe('What changed in this version.')
/** Titles, descriptions and names appear in feeds, but XML 1.0 does not allow all characters: https://www.w3.org/TR/xml/#charsets. Text fields of versions are not checked, because they cannot be changed. */
function fitsXml(text: string): boolean {
  return !/[\ufffe\uffff]/.test(text)
}
const NO_XML = 'expected no U+FFFE or U+FFFF'

/** A repository's title. */
export const Title = line(LIMITS.titleCharacters)
  .refine(fitsXml, NO_XML)
  .refine((title) => title.trim() !== '', 'expected some text')
  .meta({ minLength: 1 })
  .describe('The prompt’s title.')
/** A repository's description. */
export const Description = line(LIMITS.descriptionCharacters)
  .refine(fitsXml, NO_XML)
  .describe('What it does, in a sentence or two.')

/** The format of a version's content. */
export const Format = z.enum(FORMATS).describe('`text`, or `chat`: content with role lines.')

/** What a skill does and when to use it. Agents insert this text between XML tags in their instructions, and no tag begins without `<`. */
const SkillDescription = line(LIMITS.skillDescriptionCharacters)
  .refine((text) => text.trim() !== '', 'expected some text')
  // Clients count UTF-16 code units, and skip skills with a longer description. Too many characters are one problem, not two.
  .refine(
    (text) =>
      text.length <= LIMITS.skillDescriptionCharacters || countCharacters(text) > LIMITS.skillDescriptionCharacters,
    'expected fewer characters beyond U+FFFF',
  )
  .refine((text) => !text.includes('<'), 'expected no <')
  .meta({ minLength: 1 })
  .describe('What the skill does, and when to use it.')

/** Which environment a skill needs. https://agentskills.io/specification */
const Compatibility = line(LIMITS.skillCompatibilityCharacters)
  .refine((text) => text.trim() !== '', 'expected some text')
  .meta({ minLength: 1 })
  .describe('What the skill needs to run, such as programs or network access.')

/** More about a skill. The keys are written into SKILL.md without quotes. */
export const SkillMetadata = byKey(
  (key) => /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(key),
  'a letter, then letters, digits, dots, hyphens or underscores',
  line(LIMITS.skillMetadataCharacters),
)
  .refine(
    (metadata) => Object.keys(metadata).length <= LIMITS.skillMetadataKeys,
    `expected at most ${LIMITS.skillMetadataKeys} keys`,
  )
  .meta({ maxProperties: LIMITS.skillMetadataKeys })
  .describe('More about the skill, as strings by key, written into its SKILL.md.')

/** The tools that a skill asks for. A hub keeps and shows them, and never grants them. */
const AllowedTools = z
  .array(
    line(LIMITS.skillToolCharacters).refine(
      (tool) => splitTools(tool).join('\n') === tool,
      'expected one tool, such as Bash(git:*)',
    ),
  )
  .max(LIMITS.skillTools, `expected at most ${LIMITS.skillTools} tools`)
  .refine(unique, 'expected each tool only once')
  .meta({ uniqueItems: true })
  .describe(
    'The tools that the skill asks to use without a question (`allowed-tools`). Its SKILL.md does not have them.',
  )

/** What to type after the name of a skill. */
const ArgumentHint = line(LIMITS.skillHintCharacters)
  .refine((text) => text.trim() !== '', 'expected some text')
  .meta({ minLength: 1 })
  .describe('What to type after the name of the skill, such as `[file]` (`argument-hint`).')

/** The skill part of a publish. */
export const SkillInput = z.strictObject({
  description: SkillDescription,
  compatibility: Compatibility.nullable().optional(),
  allowed_tools: AllowedTools.optional(),
  argument_hint: ArgumentHint.nullable().optional(),
  metadata: SkillMetadata.optional(),
})

/** The front matter of `versions/{x.y.z}.md`. docs/content.md. */
export const VersionFrontMatter = z.strictObject({
  published_at: Time,
  published_by: Handle,
  changelog: Changelog.default(''),
  format: Format.default('text'),
  variables: VariableInputs.optional(),
  parameters: ParametersInput.default({}),
  skill: SkillInput.extend({
    compatibility: Compatibility.optional(),
    argument_hint: ArgumentHint.optional(),
    license: License.nullable()
      .default(null)
      .describe('The license when the version was published, so that its SKILL.md never changes.'),
  })
    .optional()
    .describe('Makes the version an Agent Skill.'),
  includes: Includes.optional().describe('The parts of the content that come from other versions.'),
  provenance: z.strictObject(Provenance.shape).optional().describe('The CI run that published it.'),
  attestations: AttestationList.optional().describe('What its attestations prove, in the order of their files.'),
})
export type VersionFrontMatter = z.infer<typeof VersionFrontMatter>

/** Returns the schema of a record with validated keys. It validates the keys one by one, so that the message names the invalid key. */
function byKey<Value extends z.ZodType>(isKey: (key: string) => boolean, wantedKey: string, value: Value) {
  // Before the values, because zod drops a key `__proto__` without a word.
  return z.preprocess(
    (given: Record<string, z.input<Value>>, context) => {
      for (const key of typeof given === 'object' && !Array.isArray(given) ? Object.keys(given ?? {}) : [])
        if (!isKey(key)) context.addIssue({ code: 'custom', path: [key], message: `expected ${wantedKey} as the key` })
      return given
    },
    z.record(z.string(), value),
  )
}

/** An advisory: versions that should no longer be used. The content rules check whether `range` is valid. */
const AdvisoryInput = z.strictObject({
  range: line(LIMITS.rangeCharacters)
    .min(1, 'expected a range of versions')
    .describe('The affected versions, such as "<1.2.0".'),
  severity: Severity,
  message: line(LIMITS.sentenceCharacters)
    .min(1, 'expected some text')
    .describe('The problem, and what users should do.'),
})

/** The front matter of a repository's `index.md`. docs/content.md. */
export const RepositoryFrontMatter = z.strictObject({
  title: Title.optional(),
  description: Description.default(''),
  tags: TagInputs.default([]),
  license: License.nullable().default(null),
  status: Status.default('active'),
  status_message: line(LIMITS.sentenceCharacters)
    .nullable()
    .default(null)
    .describe('Why it has this status and what users should do.'),
  replaced_by: FullName.nullable().default(null).describe('The repository to use instead.'),
  moved_to: FullName.nullable()
    .default(null)
    .describe('The repository that this one moved to; it accepts no more versions here.'),
  forked_from: VersionAddress.nullable().default(null).describe('The version that it was forked from.'),
  imported_from: z
    .strictObject({
      path: line(LIMITS.addressCharacters)
        .min(1, 'expected a path')
        .describe('The path of the file when it was imported, and the title or name of the prompt in it.'),
      sha256: Sha256.describe('The SHA-256 of the file, or of the prompt’s part of a file with several prompts.'),
    })
    .optional()
    .describe('Where `npm run import` read it. Only the import writes it; records do not have it.'),
  yanked: byKey(isVersion, 'a version x.y.z', line(LIMITS.sentenceCharacters).min(1, 'expected a reason'))
    .default({})
    .describe('Yanked versions, with the reason.'),
  removed: byKey(isVersion, 'a version x.y.z', line(LIMITS.sentenceCharacters).min(1, 'expected a reason'))
    .default({})
    .describe('Versions that an operator took down, with the reason. Their numbers are never used again.'),
  labels: byKey(
    isLabel,
    'lower-case letters, digits and single hyphens, not latest and not a range such as 1 or x,',
    LabelInput,
  )
    .default({})
    .describe('Names that point at a version, and may offer a second one to a share of callers.'),
  advisories: z
    .array(AdvisoryInput)
    .max(LIMITS.advisoriesPerRepository, `expected at most ${LIMITS.advisoriesPerRepository} advisories`)
    .default([])
    .describe('Versions that should no longer be used, and why.'),
})
export type RepositoryFrontMatter = z.infer<typeof RepositoryFrontMatter>

/** A file name, or the full path of a reusable workflow. Only syntax that every regular expression language supports, because it appears in the OpenAPI document. */
const WORKFLOW = new RegExp(
  [
    String.raw`^[A-Za-z0-9._-]{1,100}\.ya?ml$`,
    String.raw`^${GITHUB_REPOSITORY.source.slice(1, -1)}\/\.github\/workflows\/[A-Za-z0-9._-]{1,100}\.ya?ml(?:@refs\/(?:heads|tags)\/[^\s*]{1,200})?$`,
  ].join('|'),
)

/** A workflow that may publish without a stored secret. docs/contract.md section 7. */
export const TrustedPublisher = z
  .strictObject({
    repository: z
      .string()
      .regex(GITHUB_REPOSITORY, 'expected owner/name on GitHub')
      .describe('The repository on GitHub, owner/name.'),
    repository_id: NumericId.describe('The GitHub ID of that repository.'),
    repository_owner_id: NumericId.describe('The GitHub ID of its owner.'),
    workflow: z
      .string()
      .regex(
        WORKFLOW,
        'expected the file name of a workflow, such as publish.yml, or the full path of a reusable workflow',
      )
      .describe(
        'The file name of the workflow in that repository; or, for a reusable workflow elsewhere, owner/name/.github/workflows/file.yml, with @ref to allow only that ref.',
      ),
    environment: line(255)
      .min(1, 'expected some text')
      .optional()
      .describe('The deployment environment it must run in.'),
    ref: line(255)
      .regex(
        /^refs\/(?:heads|tags)\/[^*]*\*?$/,
        'expected the full ref of a branch or tag, such as refs/heads/main or refs/tags/v*',
      )
      .optional()
      .describe('The full ref of the branch or tag it must run on; a trailing * matches all refs with that prefix.'),

    repos: z
      .array(Name)
      .min(1, 'expected at least one name')
      .optional()
      .describe('The names it may publish to; all if omitted.'),
    permissions: Permissions.default([...DEFAULT_PERMISSIONS]).describe(
      'The permissions of the workflow; publish if omitted.',
    ),
  })
  .meta({ id: 'TrustedPublisher', description: 'A workflow that may publish without a stored secret.' })
export type TrustedPublisher = z.infer<typeof TrustedPublisher>

/** An owner's display name. */
export const OwnerName = line(LIMITS.titleCharacters)
  .refine(fitsXml, NO_XML)
  .refine((name) => name.trim() !== '', 'expected some text')
  .meta({ minLength: 1 })
  .describe('The owner’s display name.')
/** The members of an owner. */
export const Members = z
  .array(
    z.union(
      [
        z
          .string()
          .regex(
            MEMBER_PATTERN,
            'expected a lower-case handle such as octocat, or oidc: with a subject or an email address in lower case',
          ),
        z.int().positive(),
      ],
      'expected a GitHub login or user ID, or oidc: with a subject or an email address',
    ),
  )
  .max(LIMITS.membersPerOwner, `expected at most ${LIMITS.membersPerOwner} members`)
  .refine(unique, 'expected each member only once')
  .describe(
    'Who may publish: GitHub logins, GitHub IDs, which are never reassigned, or `oidc:` with the subject or the verified email address of an account of the OpenID Connect provider.',
  )
/** The workflows that an owner trusts. */
export const TrustedPublishers = z
  .array(TrustedPublisher)
  .max(LIMITS.trustedPublishersPerOwner, `expected at most ${LIMITS.trustedPublishersPerOwner} entries`)
  .describe('Workflows that may publish.')
/** What an owner can require of a publish. */
export const PUBLISHING_RULES = ['trusted-only', 'signed-only', 'semver', 'reviewed'] as const
/** A rule for new versions. */
export type PublishingRule = (typeof PUBLISHING_RULES)[number]

const PUBLISHING_FORM = `expected ${PUBLISHING_RULES.join(', ')}, or a list of them, each only once`
/** What an owner requires of a publish: one rule, or a list of rules. */
export const Publishing = z
  .union([z.enum(PUBLISHING_RULES), z.array(z.enum(PUBLISHING_RULES)).refine(unique, PUBLISHING_FORM)], PUBLISHING_FORM)
  .describe(
    'One rule, or a list of rules. `trusted-only`: only trusted workflows may publish, neither tokens nor the editor. `signed-only`: only versions with an attestation of a trusted workflow are accepted. `semver`: a breaking change is accepted only as a major version.',
  )

/** The front matter of an owner's `index.md`. docs/content.md. */
export const OwnerFrontMatter = z.strictObject({
  name: OwnerName.nullable().default(null),
  website: WebAddress.nullable().default(null).describe('The URL of the owner’s website.'),
  avatar_url: WebAddress.nullable().default(null).describe('The URL of the owner’s avatar.'),
  members: Members.default([]),
  trusted_publishers: TrustedPublishers.default([]),
  protected_labels: ProtectedLabels.default([]),
  publishing: Publishing.nullable().default(null),
})
export type OwnerFrontMatter = z.infer<typeof OwnerFrontMatter>

/** `content/usage.json`: download counts by full name. docs/content.md. */
export const Usage = z.record(z.string(), z.strictObject(Stats.shape))
export type Usage = z.infer<typeof Usage>
