// Describes publishing and managing for the OpenAPI document.
import type * as z from 'zod'
import type { ErrorCode } from '../api/errors.ts'
import { ChangeAnswer, CheckAnswer, OwnerAnswer, PublishAnswer } from '../api/route-schemas.ts'
import { single } from '../api/schema.ts'
import { OwnerPatch } from '../managing/owner-request.ts'
import { LabelRemoval, LabelRequest, RepositoryPatch, YankRequest } from '../managing/request.ts'
import { PublishQuery } from '../publishing/prompt-file.ts'
import { IDEMPOTENCY_KEY, PublishRequest } from '../publishing/request.ts'
import { EXAMPLES } from './openapi-examples.ts'
import {
  describeErrors,
  describePathParameter,
  describeQueryParameter,
  headersOf,
  type Json,
  jsonContent,
} from './openapi-parts.ts'
import { type Components, toSchema } from './openapi-schema.ts'

/** Every error when publishing, in the order of the checks. docs/contract.md section 7 */
const PUBLISH_ERRORS: readonly ErrorCode[] = [
  'content_too_large',
  'unsupported_media_type',
  'unauthorized',
  'rate_limited',
  'not_found',
  'invalid_request',
  'validation_failed',
  'forbidden',
  'quota_exceeded',
  'idempotency_key_reused',
  'repo_archived',
  'version_conflict',
  'internal_error',
  'upstream_error',
  'unavailable',
]

/** Describes the operation that publishes a version. @param schemas receives named schemas */
export function describePublish(schemas: Components): Json {
  const answer = jsonContent(toSchema(single(PublishAnswer), schemas))
  return {
    operationId: 'publishVersion',
    summary: 'Publish a new version',
    description:
      'Adds a version in one commit. The version number is incremented from the highest ever used; the first version is 1.0.0.',
    tags: ['Publishing'],
    security: [{ token: [] }],
    parameters: [
      describePathParameter('owner'),
      describePathParameter('name'),
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description: 'Identifies this publish, so that a retry returns the version published by the first request.',
        schema: {
          type: 'string',
          pattern: IDEMPOTENCY_KEY.pattern.source,
          minLength: IDEMPOTENCY_KEY.shortest,
          maxLength: IDEMPOTENCY_KEY.longest,
        },
        example: 'job-4711-code-review',
      },
      ...describePublishQuery(),
    ],
    requestBody: describePublishBody(schemas),
    responses: {
      '200': {
        description:
          'Nothing new was published: the latest version is identical, the key was used before (Idempotency-Replayed), or it was a dry run.',
        headers: headersOf('Idempotency-Replayed'),
        content: answer,
      },
      '201': { description: 'The published version.', headers: headersOf('Location'), content: answer },
      ...describeErrors(PUBLISH_ERRORS),
    },
  }
}

/** Describes the query parameters of a prompt file and of an archive. */
function describePublishQuery(): Json[] {
  return Object.entries(PublishQuery.shape).map(([name, schema]) =>
    describeQueryParameter({ name, schema, description: `With a prompt file or an archive: ${schema.description}` }),
  )
}

function describePublishBody(schemas: Components): Json {
  return {
    required: true,
    content: {
      'application/json': { schema: toSchema(PublishRequest, schemas), examples: EXAMPLES.publish },
      'text/markdown': {
        schema: {
          type: 'string',
          description: 'A prompt file: front matter with fields of a publish, then the content.',
        },
        example: '---\ntitle: Code review\ntags: [review]\n---\nReview {{diff}}.\n',
      },
      'application/gzip': {
        schema: {
          type: 'string',
          format: 'binary',
          description:
            'A tar archive of a skill: its SKILL.md or a prompt file named prompt.md, and the files beside it, at the root or in one folder.',
        },
      },
    },
  }
}

/** Every error of a check: those of a publish that need neither a token nor the git host, except for a version that cannot be read. */
const CHECK_ERRORS = PUBLISH_ERRORS.filter(
  (code) => !['unauthorized', 'forbidden', 'idempotency_key_reused'].includes(code),
)

/** Describes the operation that says what a publish would do. @param schemas receives named schemas */
export function describeCheck(schemas: Components): Json {
  return {
    operationId: 'checkVersion',
    summary: 'Check what publishing would do',
    description:
      'Takes the same body as publishing, and needs no token. Nothing is written. The response is what publishing would do, or the error that it would return; it does not say whether you may publish.',
    tags: ['Publishing'],
    parameters: [describePathParameter('owner'), describePathParameter('name'), ...describePublishQuery()],
    requestBody: describePublishBody(schemas),
    responses: {
      '200': {
        description: 'What publishing would do.',
        content: jsonContent(toSchema(single(CheckAnswer), schemas)),
      },
      ...describeErrors(CHECK_ERRORS),
    },
  }
}

/** Every error when changing a repository, in the order of the checks. docs/contract.md section 7 */
const CHANGE_ERRORS = PUBLISH_ERRORS.filter((code) => code !== 'idempotency_key_reused')

/** A change: its ID, summary and path parameters, and its body if it has one. */
interface DescribedChange {
  id: string
  summary: string
  parameters: readonly string[]
  body?: { schema: z.ZodType; example: Json; isOptional?: boolean }
}

function describeChange(
  { id, summary, parameters, body }: DescribedChange,
  answer: Json,
  errors: readonly ErrorCode[],
  schemas: Components,
): Json {
  return {
    operationId: id,
    summary,
    tags: ['Managing'],
    security: [{ token: [] }],
    parameters: parameters.map(describePathParameter),
    ...(body && {
      requestBody: {
        required: !body.isOptional,
        content: { 'application/json': { schema: toSchema(body.schema, schemas), example: body.example } },
      },
    }),
    responses: { '200': answer, ...describeErrors(errors) },
  }
}

/** Describes the operations that change published data, by path and method. @param schemas receives named schemas */
export function describeManaging(schemas: Components): Record<string, Json> {
  const description = 'The current repository; `commit` is null if nothing changed.'
  const answer = { description, content: jsonContent(toSchema(single(ChangeAnswer), schemas)) }
  const describe = (id: string, summary: string, more: string[], body?: DescribedChange['body']) =>
    describeChange(
      { id, summary, parameters: ['owner', 'name', ...more], ...(body && { body }) },
      answer,
      CHANGE_ERRORS,
      schemas,
    )
  const repository = '/api/v1/repos/{owner}/{name}'
  return {
    [repository]: {
      patch: describe('changeRepository', 'Update a repository', [], {
        schema: RepositoryPatch,
        example: { title: 'Code review' },
      }),
    },
    [`${repository}/labels/{label}`]: {
      put: describe('setLabel', 'Point a label at a version', ['label'], {
        schema: LabelRequest,
        example: { version: '1.0.0' },
      }),
      delete: describe('removeLabel', 'Remove a label', ['label'], {
        schema: LabelRemoval,
        example: {},
        isOptional: true,
      }),
    },
    [`${repository}/versions/{version}/yank`]: {
      put: describe('yankVersion', 'Yank a version', ['version'], {
        schema: YankRequest,
        example: { reason: 'Leaks the system prompt' },
      }),
      delete: describe('unyankVersion', 'Unyank a version', ['version']),
    },
    '/api/v1/users/{handle}': { patch: describeOwnerChange(schemas) },
  }
}

function describeOwnerChange(schemas: Components): Json {
  const description = 'The current owner; `commit` is null if nothing changed.'
  return describeChange(
    {
      id: 'changeOwner',
      summary: 'Update an owner',
      parameters: ['handle'],
      body: { schema: OwnerPatch, example: { name: 'Acme', bio: 'Prompts for code review.' } },
    },
    { description, content: jsonContent(toSchema(single(OwnerAnswer), schemas)) },
    CHANGE_ERRORS.filter((code) => code !== 'quota_exceeded' && code !== 'repo_archived'),
    schemas,
  )
}
