// Schemas for the parameters and responses of each route, for OpenAPI and the reference pages. Not loaded when serving requests.
import * as z from 'zod'
import { SORTS } from '../../domain/api/data-paths.ts'
import { ProposalId } from '../../domain/api/proposal.ts'
import { READS, type ReadId, type Route } from '../../domain/api/routes.ts'
import {
  Activity,
  ActivityMeta,
  Attestation,
  Capability,
  CapabilityDifference,
  CapabilityMeta,
  Dependent,
  Difference,
  LabelledPrompt,
  list,
  Repository,
  RepositorySummary,
  Result,
  SearchMeta,
  single,
  TagRecord,
  User,
  VersionRecord,
  VersionSummary,
  Warning,
} from '../../domain/api/schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import { WebhookRecord } from '../../domain/managing/webhook-request.ts'
import { AttestationName } from '../../domain/values/attestation.ts'
import { KINDS } from '../../domain/values/chat.ts'
import { FilePath, FullName, Name, Owner, Suite, Tag, Version } from '../../domain/values/values.ts'

/** A documented query parameter; parsed by `server/read/list-query.ts` and `query-values.ts`. */
export interface QueryParameter {
  name: string
  description: string
  schema: z.ZodType
  isRepeatable?: boolean
}

/** The parameters and response of a route. */
interface RouteSchemas {
  query: readonly QueryParameter[]
  /** The schema of a 200 response; null for raw content and for the OpenAPI document itself. */
  response: z.ZodType | null
}

/** A route with its schemas. */
export type RouteWithSchemas = Route & RouteSchemas & { id: ReadId }

const page: QueryParameter = {
  name: 'page',
  description: 'The page number, starting at 1.',
  schema: z.int().min(1).max(LIMITS.highestPage).default(1),
}

const sort: QueryParameter = {
  name: 'sort',
  description: 'The sort order. Default: best match if q is set, otherwise top.',
  schema: z.enum(SORTS),
}

const SCHEMAS: Readonly<Record<ReadId, RouteSchemas>> = {
  listRepositories: {
    query: [
      page,
      sort,
      {
        name: 'q',
        description:
          'Words to search for in full name, title, tags, description, readme and content; the last word also matches as a prefix. meta.matched lists corrected and ignored words. Only the first 12 words count.',
        schema: z.string().meta({ maxLength: LIMITS.queryCharacters }),
      },
      {
        name: 'tag',
        description: 'Returns only repositories with this tag; may be repeated.',
        schema: z.array(z.string()),
        isRepeatable: true,
      },
      {
        name: 'kind',
        description: 'Returns only Agent Skills (skill), other chat prompts (chat) or other texts (text).',
        schema: z.enum(KINDS),
      },
    ],
    response: list(RepositorySummary, SearchMeta),
  },
  getRepository: { query: [], response: single(Repository) },
  listVersions: { query: [page], response: list(VersionSummary) },
  getVersion: { query: [], response: single(VersionRecord) },
  getFile: { query: [], response: null },
  getArchive: { query: [], response: null },
  listCapabilities: {
    query: [
      {
        name: 'from',
        description: 'Another version, x.y.z: returns the difference to it instead of the list.',
        schema: Version,
      },
    ],
    response: z.union([list(Capability, CapabilityMeta), CapabilityDifference]),
  },
  listResults: { query: [], response: list(Result) },
  listAttestations: { query: [], response: list(Attestation) },
  getAttestation: { query: [], response: null },
  getRaw: {
    query: [
      {
        name: 'version',
        description: 'The version, x.y.z. Default: the latest version, unless a label is set.',
        schema: Version,
      },
      {
        name: 'label',
        description: 'A label of the repository, such as production, instead of a version.',
        schema: z.string(),
      },
      {
        name: 'at',
        description: 'A time in the past, in RFC 3339: the content to which the label pointed then, from the activity.',
        schema: z.iso.datetime({ offset: true }),
      },
      {
        name: 'key',
        description: 'Names the caller: of a label that offers a second version to a share of callers, who gets it.',
        schema: z.string().max(LIMITS.callerKeyCharacters),
      },
    ],
    response: null,
  },
  listActivity: { query: [], response: list(Activity, ActivityMeta) },
  listDependents: { query: [], response: list(Dependent) },
  listTags: { query: [], response: list(TagRecord) },
  getUser: { query: [], response: single(User) },
  listLabelled: { query: [], response: list(LabelledPrompt) },
  getOpenapi: { query: [], response: null },
}

/** Every route with its schemas, in table order. */
export const ROUTES_WITH_SCHEMAS: readonly RouteWithSchemas[] = READS.map((route) => ({
  ...route,
  ...SCHEMAS[route.id],
}))

/** The documented format of each path parameter. */
export const PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  owner: Owner,
  handle: Owner,
  name: Name,
  version: Version,
  label: Tag,
  suite: Suite,
  webhook: Tag,
  path: FilePath,
  attestation: AttestationName,
  proposal: ProposalId,
}

const Commit = z
  .object({
    sha: z.string().describe('The commit.'),
    url: z.string().nullable().describe('The URL of its page, or null if it has none.'),
  })
  .meta({ id: 'Commit', description: 'A commit in git.' })

/** The response to a change: the repository, and the outcome of the request. */
export const ChangeAnswer = z
  .object({
    ...Repository.shape,
    unchanged: z.boolean().describe('Whether nothing was written because nothing would have changed.'),
    commit: Commit.nullable().describe('The new commit, or null.'),
  })
  .meta({ id: 'ChangeAnswer', description: 'A repository, and the result of the request to change it.' })

/** The response to a move of a label of several prompts. */
export const LabelsAnswer = z
  .object({
    owner: Owner,
    label: Tag,
    prompts: z
      .array(
        z
          .object({
            ...LabelledPrompt.pick({ name: true, full_name: true, version: true }).shape,
            from: Version.nullable().describe('The version that the label pointed to before, or null.'),
            unchanged: z.boolean().describe('Whether the label pointed there before.'),
          })
          .meta({ id: 'MovedLabel', description: 'A prompt whose label was moved.' }),
      )
      .describe('The prompts of the request, by name.'),
    unchanged: z.boolean().describe('Whether nothing was written because nothing would have changed.'),
    commit: Commit.nullable().describe('The new commit, or null.'),
  })
  .meta({ id: 'LabelsAnswer', description: 'The prompts whose label was moved, and the result of the request.' })

/** The response to a report of a result: the result, and the outcome of the request. */
export const ResultAnswer = z
  .object({
    ...Result.shape,
    unchanged: z.boolean().describe('Whether nothing was written because the same result was recorded before.'),
    commit: Commit.nullable().describe('The new commit, or null.'),
  })
  .meta({ id: 'ResultAnswer', description: 'The result of a test suite, and the result of the request.' })

/** The response to the removal of a result. */
export const ResultRemoval = z
  .object({
    ...Result.pick({ suite: true, version: true }).shape,
    unchanged: z.boolean().describe('Whether nothing was written because the version has no result of this suite.'),
    commit: Commit.nullable().describe('The new commit, or null.'),
  })
  .meta({ id: 'ResultRemoval', description: 'A test suite whose result was removed, and the result of the request.' })

/** The response to the deletion of a version or of a whole repository. */
export const DeletionAnswer = z
  .object({
    full_name: FullName,
    deleted: z.array(Version).describe('The deleted versions, whose numbers are never used again.'),
    unchanged: z.boolean().describe('Whether nothing was written because it was deleted before.'),
    commit: Commit.nullable().describe('The new commit, or null.'),
  })
  .meta({ id: 'DeletionAnswer', description: 'What was deleted, and the result of the request.' })

/** The response to a request to set a webhook. */
export const WebhookAnswer = z
  .object({
    ...WebhookRecord.shape,
    secret: z
      .string()
      .nullable()
      .describe('What signs the events, `whsec_` and 32 bytes in base64: only when the webhook is set first.'),
  })
  .meta({ id: 'WebhookAnswer', description: 'A webhook, with its secret if it is new.' })

/** The response to the removal of a webhook. */
export const WebhookRemoval = z
  .object({
    id: z.string().describe('Its name.'),
    unchanged: z.boolean().describe('Whether there was no such webhook.'),
  })
  .meta({ id: 'WebhookRemoval', description: 'The webhook that was removed.' })

/** The response to a change of an owner: the owner, and the outcome of the request. */
export const OwnerAnswer = z
  .object({
    ...User.shape,
    unchanged: z.boolean().describe('Whether nothing was written because nothing would have changed.'),
    commit: Commit.nullable().describe('The new commit, or null.'),
  })
  .meta({ id: 'OwnerAnswer', description: 'An owner, and the result of the request to change it.' })

const ManifestDigest = z
  .string()
  .describe(
    'SHA-256 of its manifest, in hex: the canonical JSON of what decides what callers get. An attestation is also about it.',
  )

/** The response to a publish: the version, and the outcome of the request. */
export const PublishAnswer = z
  .object({
    ...VersionRecord.shape,
    manifest_sha256: ManifestDigest,
    html_url: z.url().describe('The URL of this version’s page, which exists after the next build.'),
    unchanged: z.boolean().describe('Whether no version was added because the latest version is identical.'),
    breaking: z.boolean().describe('Whether the change is breaking for callers of the version before.'),
    commit: Commit.nullable().describe('The new commit, or null.'),
    warnings: z.array(Warning).describe('Possible problems; they did not prevent publishing.'),
  })
  .meta({ id: 'PublishAnswer', description: 'A version, and the result of the request.' })

/** The response to a check: what a publish with the same body would do. */
export const CheckAnswer = z
  .object({
    would_be: Version.describe(
      'The version that publishing would return: a new one, or the latest if it is identical.',
    ),
    unchanged: z.boolean().describe('Whether no version would be added because the latest version is identical.'),
    breaking: z.boolean().describe('Whether the change is breaking for callers of the latest version.'),
    content_sha256: z.string().describe('SHA-256 of its content, in hex; what an attestation must be about.'),
    bundle_sha256: z
      .string()
      .nullable()
      .describe('SHA-256 of its archive, which an attestation must be about instead; null without files.'),
    manifest_sha256: ManifestDigest,
    fields: z
      .array(z.string())
      .describe('The fields of the repository that would change: title, description, tags, license, forked_from.'),
    changes: Difference.nullable().describe(
      'What callers of the latest version must know; null if no version would be added, or there is no version to compare with.',
    ),
    composed: VersionRecord.pick({ content: true, variables: true, includes: true })
      .nullable()
      .describe('The text with the prompts that it includes, and their variables; null without compose.'),
    warnings: z.array(Warning).describe('Possible problems; they would not prevent publishing.'),
  })
  .meta({ id: 'CheckAnswer', description: 'What a publish would do.' })
export type CheckAnswer = z.infer<typeof CheckAnswer>
