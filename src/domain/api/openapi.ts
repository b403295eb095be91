// Owns the OpenAPI description of the API, made from the tables and schemas that the code runs on.
import { z } from 'zod'
import { PublishAnswer, PublishRequest } from '../publishing/request.ts'
import { ERRORS, type ErrorCode } from './errors.ts'
import { PATH_PARAMETERS, type QueryParameter, ROUTES, type Route } from './routes.ts'
import { ErrorEnvelope, single } from './schema.ts'

type Json = Record<string, unknown>

/**
 * Describes the API as OpenAPI 3.1.
 *
 * @param baseUrl the hub's own address
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function describeApi(baseUrl: string): Json {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Json> = {}
  for (const route of Object.values<Route>(ROUTES)) {
    paths[route.path] = { get: describeRoute(route, schemas) }
  }
  const versions = ROUTES.listVersions.path
  paths[versions] = { ...paths[versions], post: describePublish(schemas) }
  const errorReference = toSchema(ErrorEnvelope, schemas)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Prompt Hub API',
      version: '1',
      summary: 'Read and publish prompts, their versions, tags and owners.',
      description:
        'Reading needs no key; publishing a version needs a token. Send a descriptive User-Agent and keep answers as Cache-Control allows. Responses may gain fields; they never lose or rename one within /api/v1.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [],
    tags: [
      { name: 'Reading', description: 'Everything that can be read without a key.' },
      { name: 'Publishing', description: 'What needs a token.' },
    ],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token of this hub, hub_ and 38 letters and digits, or the OIDC token of a GitHub Actions job that the owner trusts.',
        },
      },
      schemas,
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([code, { when }]) => [
          code,
          { description: when, content: jsonContent(errorReference) },
        ]),
      ),
    },
  }
}

function describeRoute(route: Route, schemas: Record<string, unknown>): Json {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const hasQuery = route.query.length > 0
  const errors: ErrorCode[] = [
    ...(hasQuery ? (['invalid_request'] as const) : []),
    ...(inPath.length > 0 ? (['not_found'] as const) : []),
    'rate_limited',
    'internal_error',
    'unavailable',
  ]
  const isText = route.mediaType === 'text/plain'
  const content = isText
    ? { 'text/plain': { schema: { type: 'string', description: 'The content, byte for byte.' } } }
    : jsonContent(route.response === null ? { type: 'object' } : toSchema(route.response, schemas))
  return {
    operationId: route.id,
    summary: route.summary,
    tags: ['Reading'],
    parameters: [...inPath.map((name) => describePathParameter(name)), ...route.query.map(describeQueryParameter)],
    responses: {
      '200': { description: 'What was asked for.', headers: describeHeaders(isText), content },
      '304': { description: 'Not changed since the ETag given in If-None-Match.' },
      ...describeErrors(errors),
    },
  }
}

/** Every error that publishing can answer, in the order of the checks. docs/contract.md section 7 */
const PUBLISH_ERRORS: readonly ErrorCode[] = [
  'content_too_large',
  'unsupported_media_type',
  'unauthorized',
  'rate_limited',
  'not_found',
  'invalid_request',
  'validation_failed',
  'forbidden',
  'idempotency_key_reused',
  'repo_archived',
  'version_conflict',
  'internal_error',
  'upstream_error',
  'unavailable',
]

function describePublish(schemas: Record<string, unknown>): Json {
  const answer = jsonContent(toSchema(single(PublishAnswer), schemas))
  return {
    operationId: 'publishVersion',
    summary: 'Publish a new version',
    description:
      'One commit that adds one version. The number is raised from the highest ever used; the first version is 1.0.0.',
    tags: ['Publishing'],
    security: [{ token: [] }],
    parameters: [
      describePathParameter('owner'),
      describePathParameter('name'),
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description: 'Names this publish, so that a repeated request answers the first one’s version.',
        schema: { type: 'string', pattern: '^[!-~]{8,128}$' },
      },
    ],
    requestBody: { required: true, content: jsonContent(toSchema(PublishRequest, schemas)) },
    responses: {
      '200': {
        description:
          'Nothing new was published: the latest version is the same, the key was used before (Idempotency-Replayed), or it was a dry run.',
        content: answer,
      },
      '201': {
        description: 'The version that was published.',
        headers: { Location: { description: 'Its address.', schema: { type: 'string' } } },
        content: answer,
      },
      ...describeErrors(PUBLISH_ERRORS),
    },
  }
}

/** Two codes may share a status; OpenAPI has one place for both. */
function describeErrors(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => String(ERRORS[code].status))
  return Object.fromEntries(
    [...byStatus].map(([status, [first, ...others]]) => [
      status,
      others.length === 0
        ? { $ref: `#/components/responses/${first}` }
        : {
            description: [first!, ...others].map((code) => `${code}: ${ERRORS[code].when}`).join(' '),
            content: jsonContent({ $ref: '#/components/schemas/Error' }),
          },
    ]),
  )
}

function describePathParameter(name: string): Json {
  const { description, ...schema } = toSchema(PATH_PARAMETERS[name]!, {})
  return { name, in: 'path', required: true, description, schema }
}

function describeQueryParameter({ name, description, schema, isRepeatable }: QueryParameter): Json {
  return {
    name,
    in: 'query',
    required: false,
    description,
    schema: toSchema(schema, {}),
    ...(isRepeatable ? { explode: true, style: 'form' } : {}),
  }
}

function describeHeaders(isText: boolean): Json {
  const header = (description: string) => ({ description, schema: { type: 'string' } })
  return {
    ETag: header('Names these bytes; send it back as If-None-Match.'),
    'Cache-Control': header('How long the answer may be kept.'),
    ...(isText ? { 'X-Prompt-Version': header('The version whose content this is.') } : {}),
  }
}

function jsonContent(schema: unknown): Json {
  return { 'application/json': { schema } }
}

/**
 * A schema as OpenAPI writes it: named records become components, everything else stands in place. As input, because as output zod
 * closes every object, and a client that checks by this would refuse the first field we add (docs/contract.md section 3).
 */
function toSchema(schema: z.ZodType, components: Record<string, unknown>): Json {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' }) as Json & {
    $defs?: Record<string, Json>
  }
  for (const [name, { id: _id, ...definition }] of Object.entries($defs ?? {}))
    components[name] = moveReferences(definition)
  const { id: _id, ...rest } = json
  return moveReferences(rest) as Json
}

function moveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveReferences)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      key === '$ref' && typeof child === 'string'
        ? child.replace('#/$defs/', '#/components/schemas/')
        : moveReferences(child),
    ]),
  )
}
