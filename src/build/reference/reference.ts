// The API reference as data: routes, records and limits, from the tables and schemas that the code uses.
import type * as z from 'zod'
import { ADDRESSES, type Address } from '../../catalogue/published/addresses.ts'
import { describeApi } from '../../catalogue/published/openapi.ts'
import {
  ChangeAnswer,
  CheckAnswer,
  DeletionAnswer,
  LabelsAnswer,
  OwnerAnswer,
  PATH_PARAMETERS,
  PublishAnswer,
  type QueryParameter,
  ResultAnswer,
  ResultRemoval,
  ROUTES_WITH_SCHEMAS,
  type RouteWithSchemas,
} from '../../catalogue/published/route-schemas.ts'
import { type JsonSchema, toJsonSchema } from '../../domain/api/json-schema.ts'
import { Proposal, ProposalSummary, RejectedProposal } from '../../domain/api/proposal.ts'
import { READS } from '../../domain/api/routes.ts'
import {
  Activity,
  Dependent,
  Difference,
  ErrorEnvelope,
  LabelledPrompt,
  Meta,
  MirrorEntry,
  ModelStatus,
  Repository,
  RepositorySummary,
  Result,
  TagRecord,
  User,
  Variable,
  VersionRecord,
  VersionSummary,
} from '../../domain/api/schema.ts'
import { TrustedPublisher } from '../../domain/content/front-matter.ts'
import { ConditionalLabel } from '../../domain/content/protected-labels.ts'
import { LIMITS } from '../../domain/limits.ts'
import { DeletionRequest } from '../../domain/managing/deletion.ts'
import { OwnerPatch } from '../../domain/managing/owner-request.ts'
import { AcceptanceRequest, RejectionRequest } from '../../domain/managing/proposal-request.ts'
import {
  LabelRemoval,
  LabelRequest,
  LabelsRequest,
  RepositoryPatch,
  YankRequest,
} from '../../domain/managing/request.ts'
import { ResultRequest } from '../../domain/managing/result-request.ts'
import { WebhookRecord, WebhookRequest } from '../../domain/managing/webhook-request.ts'
import { PublishRequest } from '../../domain/publishing/request.ts'
import { Provenance, Stats } from '../../domain/values/values.ts'

type Schema = z.core.JSONSchema._JSONSchema

/** A field, a parameter or anything else with a name, a type and a description. */
interface DescribedField {
  name: string
  type: string
  description: string
}

/** A record with its fields. */
interface DescribedRecord {
  name: string
  description: string
  /** The record whose fields are included in this record; those fields are not listed again. */
  includes: string | undefined
  fields: DescribedField[]
}

/** A route as shown in the reference. */
interface DescribedRoute {
  id: RouteWithSchemas['id']
  path: string
  summary: string
  /** Those of the query; `describePathParameters` has the others. */
  parameters: DescribedField[]
  answer: string
  cache: RouteWithSchemas['cache']
  example: string
}

/** The records in the order shown, including the error. */
const RECORDS = [
  ...[RepositorySummary, Repository, Variable, VersionSummary, VersionRecord, Provenance, TagRecord, User, Stats],
  ...[Difference, Activity, LabelledPrompt, Dependent, Result, ModelStatus, MirrorEntry, Meta],
  ErrorEnvelope.shape.error.meta({
    id: 'Error',
    description: 'The `error` field in the body of every error response.',
  }),
  ...[PublishRequest, PublishAnswer, CheckAnswer],
  ...[AcceptanceRequest, RejectionRequest, ProposalSummary, Proposal, RejectedProposal],
  ...[RepositoryPatch, LabelRequest, LabelRemoval, LabelsRequest, LabelsAnswer, YankRequest, ChangeAnswer],
  ...[ResultRequest, ResultAnswer, ResultRemoval, DeletionRequest, DeletionAnswer],
  ...[OwnerPatch, TrustedPublisher, ConditionalLabel, OwnerAnswer, WebhookRequest, WebhookRecord],
] as const

/** Records that include all fields of another record; the shared fields are shown once. */
const INCLUDED = new Map<z.ZodType, z.ZodObject>([
  [Repository, RepositorySummary],
  [MirrorEntry, RepositorySummary],
  [PublishAnswer, VersionRecord],
  [ChangeAnswer, Repository],
  [OwnerAnswer, User],
  [ResultAnswer, Result],
  [Proposal, ProposalSummary],
  [RejectedProposal, ProposalSummary],
])

/** Returns every record with its fields. */
export function describeRecords(): DescribedRecord[] {
  return RECORDS.map((record) => {
    const { id = '', description = '' } = record.meta() ?? {}
    const { properties = {}, required = [] } = rootOf(toJsonSchema(record))
    const included = INCLUDED.get(record)
    const fields = Object.entries(properties)
      .filter(([name]) => !included || !Object.hasOwn(included.shape, name))
      .map(([name, field]) => {
        const described = describe(name, field)
        return required.includes(name) ? described : { ...described, type: `${described.type}, optional` }
      })
    return { name: id, description, includes: included?.meta()?.id, fields }
  })
}

/**
 * Returns every route of the read API.
 *
 * @param baseUrl the base URL used in the examples
 * @param example path parameter values for the examples, such as an existing owner
 */
export function describeRoutes(baseUrl: string, example: Readonly<Record<string, string>>): DescribedRoute[] {
  return ROUTES_WITH_SCHEMAS.map((route) => ({
    id: route.id,
    path: route.path,
    summary: route.summary,
    parameters: route.query.map(describeQuery),
    answer: describeAnswer(route),
    cache: route.cache,
    example: `curl -fsS '${baseUrl}${route.path.replace(/\{(\w+)\}/g, (whole, name: string) => example[name] ?? whole)}'`,
  }))
}

/** Returns the parameters in paths, which mean the same in every path. */
export const describePathParameters = (): DescribedField[] =>
  Object.entries(PATH_PARAMETERS).map(([name, schema]) => describe(name, toJsonSchema(schema)))

/** An operation other than reading and publishing. */
interface DescribedOperation {
  id: string
  method: string
  path: string
  summary: string
  /** The record in the request's body, if it has one. */
  body: string | undefined
  /** The record in the response, if it is one. */
  answer: string | undefined
  isProtected: boolean
  request: string
}

/**
 * Returns the operations of the OpenAPI document other than reading and publishing, so that the reference has every operation.
 *
 * @param example path parameter values for the examples
 */
export function describeOtherOperations(
  baseUrl: string,
  example: Readonly<Record<string, string>>,
): DescribedOperation[] {
  const paths = Object.entries(describeApi(baseUrl).paths as Record<string, Record<string, Operation>>)
  return paths.flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId: id, summary, requestBody, responses, security }]) => {
      if (id === 'publishVersion' || READS.some((read) => read.id === id)) return []
      const body = requestBody?.content['application/json']
      const { data } = responses['200']?.content?.['application/json']?.schema.properties ?? {}
      const record = data?.$ref ?? data?.items?.$ref
      const url = baseUrl + path.replace(/\{(\w+)\}/g, (whole, name: string) => example[name] ?? whole)
      const lines = [
        method === 'get' ? `curl -fsS '${url}'` : `curl -sS --fail-with-body -X ${method.toUpperCase()} '${url}'`,
        ...(security ? ['-H "Authorization: Bearer $HUB_TOKEN"'] : []),
        ...(body
          ? [
              `-H 'Content-Type: application/json'`,
              `-d '${JSON.stringify(body.example ?? { content: 'Hi {{name}}.' })}'`,
            ]
          : []),
      ]
      return {
        id,
        method: method.toUpperCase(),
        path,
        summary,
        body: body?.schema.$ref && nameIn(body.schema.$ref),
        answer: record && nameIn(record),
        isProtected: security !== undefined,
        request: lines.join(' \\\n  '),
      }
    }),
  )
}

/** The parts of an OpenAPI operation that the reference shows. */
interface Operation {
  operationId: string
  summary: string
  security?: unknown
  requestBody?: { content: { 'application/json': { schema: { $ref?: string }; example?: unknown } } }
  responses: Record<
    string,
    | {
        content?: Record<
          string,
          { schema: { properties?: { data?: { $ref?: string; items?: { $ref?: string } } } } } | undefined
        >
      }
    | undefined
  >
}

/** Returns the other routes for programs: data files, downloads, MCP, health and metrics. */
export function describeOtherAddresses(): Address[] {
  return ADDRESSES.filter(({ path }) =>
    /^\/(?:data\/v1|mcp|cli|clients|docs\/mcp|healthz|metrics|readyz)(?:\/|$)/.test(path),
  )
}

const LIMIT_WORDS: Readonly<Record<keyof typeof LIMITS, string>> = {
  modelCharacters: 'Length of a model’s ID in models.yml, in characters',
  retiringModels: 'Models in models.yml',
  attestationsPerVersion: 'Attestations of a version',
  attestationBytes: 'Size of an attestation, in bytes',
  suitesPerVersion: 'Test suites with a result, per version',
  testsPerSuite: 'Test cases of a suite with one outcome',
  labelsPerPublish: 'Labels that a publish moves',
  promptsPerMove: 'Prompts whose label one request moves',
  webhooksPerOwner: 'Webhooks per owner',
  suitesPerLabel: 'Test suites that a protected label requires',
  ownerCharacters: 'Length of an owner, in characters',
  nameCharacters: 'Length of a name, in characters',
  tagCharacters: 'Length of a tag, in characters',
  tagsPerRepository: 'Tags per prompt',
  variableNameCharacters: 'Length of a variable name, in characters',
  variablesPerVersion: 'Variables per version',
  titleCharacters: 'Length of a title, in characters',
  descriptionCharacters: 'Length of a description, in characters',
  changelogCharacters: 'Length of a changelog, in characters',
  skillDescriptionCharacters: 'Length of a skill’s description, in characters',
  skillCompatibilityCharacters: 'Length of a skill’s compatibility, in characters',
  skillMetadataKeys: 'Keys in a skill’s metadata',
  skillMetadataCharacters: 'Length of a value in a skill’s metadata, in characters',
  skillTools: 'Tools that a skill asks for',
  skillToolCharacters: 'Length of a tool that a skill asks for, in characters',
  skillHintCharacters: 'Length of a skill’s argument hint, in characters',
  filesPerVersion: 'Files of a skill, per version',
  filesBytes: 'Size of all files of a version, in bytes',
  fileBytes: 'Size of a file of a skill, in bytes',
  fileSegments: 'Parts of a file’s path',
  includesPerVersion: 'Include lines of a version',
  includedRepositories: 'Prompts that a version includes',
  includedThrough: 'Prompts that a version includes, directly or through others',
  contentBytes: 'Size of the content, in bytes',
  messagesPerVersion: 'Messages in a chat prompt',
  requestBytes: 'Size of a request body, in bytes',
  requestBytesWithFiles: 'Size of the body of a publish with files, in bytes',
  versionsPerRepository: 'Versions per prompt',
  removedVersions: 'Deleted versions per prompt',
  deletedFiles: 'Files that one deletion removes',
  queryCharacters: 'Length of a search query, in characters',
  callerKeyCharacters: 'Key of a caller of a label with two versions, in characters',
  pageSize: 'Records per page',
  versionPageSize: 'Versions per page of a prompt’s list',
  highestPage: 'Highest page number',
  parameterDepth: 'Nesting depth of parameters',
  parameterKeys: 'Keys in parameters, in total',
  requestValues: 'Values in one field of a publish request',
  parameterBytes: 'Size of parameters as JSON, in bytes',
  variableBytes: 'Size of the variables of a version as JSON, in bytes',
  changesBytes: 'Size of the list of changes between versions, in bytes',
  filledBytes: 'Size of a filled-in prompt, in bytes',
  problemsNamed: 'Problems listed in one error',
  sentenceCharacters: 'Length of a reason, option, advisory or status message, in characters',
  licenseCharacters: 'Length of a license, in characters',
  rangeCharacters: 'Length of a version range, in characters',
  addressCharacters: 'Length of a URL, in characters',
  optionsPerVariable: 'Options per variable',
  advisoriesPerRepository: 'Advisories per prompt',
  membersPerOwner: 'Members per owner',
  providerMemberCharacters: 'Length of a subject or an email address in members, in characters',
  trustedPublishersPerOwner: 'Trusted publishers per owner',
  protectedLabelsPerOwner: 'Protected labels per owner',
  tokensPerPerson: 'Active tokens per user',
  publishesPerMinute: 'Publishes per minute, per user, operator token or CI repository',
  toolValueCharacters: 'Length of a variable value in MCP, in characters',
}

/** Returns every limit with its description and value. */
export function describeLimits(): { words: string; value: number }[] {
  // The types of the fields show how long a text may be.
  return Object.entries(LIMIT_WORDS)
    .filter(([key]) => !key.endsWith('Characters'))
    .map(([key, words]) => ({ words, value: LIMITS[key as keyof typeof LIMITS] }))
}

function describeAnswer(route: RouteWithSchemas): string {
  if (route.id === 'getFile') return 'the bytes of the file'
  if (route.id === 'getArchive') return 'a tar archive, compressed with gzip'
  if (route.mediaType === 'text/plain') return 'the content, byte for byte, as plain text'
  if (route.response === null) return 'OpenAPI 3.1 as JSON'
  const { data } = rootOf(toJsonSchema(route.response)).properties ?? {}
  return data === undefined ? 'JSON' : `{"data": ${describeType(data)}}`
}

function describeQuery({ name, description, schema, isRepeatable }: QueryParameter): DescribedField {
  const field = toJsonSchema(schema)
  return { name, description, type: describeType(isRepeatable ? itemOf(field) : field) }
}

function describe(name: string, field: Schema): DescribedField {
  return { name, type: describeType(field), description: (typeof field === 'object' && field.description) || '' }
}

/** Returns the schema of a list's items. */
function itemOf({ items = true }: JsonSchema): Schema {
  return Array.isArray(items) ? true : items
}

/** Resolves a root `$ref`, because a schema with an ID that refers to itself is generated as a reference to its own definition. */
function rootOf(schema: JsonSchema): JsonSchema {
  return (schema.$ref && schema.$defs?.[nameIn(schema.$ref)]) || schema
}

function nameIn(reference: string): string {
  return reference.split('/').at(-1) ?? reference
}

/** Returns a short description of a type, with the limits that matter to clients. */
function describeType(schema: Schema): string {
  if (typeof schema === 'boolean') return 'anything'
  if (schema.$ref) return nameIn(schema.$ref)
  if (schema.enum) return `one of ${schema.enum.join(', ')}${describeDefault(schema)}`
  if (schema.anyOf) return schema.anyOf.map(describeType).join(' or ')
  if (schema.type === 'array') return `list of ${describeType(itemOf(schema))}`
  if (schema.type === 'object') return describeObject(schema)
  const type = [schema.type ?? 'anything'].flat().join(' or ')
  const words = [schema.format === 'date-time' ? 'timestamp' : schema.format === 'uri' ? 'URL' : type]
  if (schema.maxLength !== undefined) words.push(`(≤ ${schema.maxLength})`)
  return words.join(' ') + describeDefault(schema)
}

function describeDefault({ default: preset }: JsonSchema): string {
  return preset === undefined ? '' : ` (${JSON.stringify(preset)} by default)`
}

function describeObject({ additionalProperties: values }: JsonSchema): string {
  const isTyped = typeof values === 'object' && values.type !== undefined
  return isTyped ? `object of ${describeType(values)}` : 'object'
}
