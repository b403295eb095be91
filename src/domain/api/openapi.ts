// Builds the OpenAPI document from the tables and schemas that the code uses.
import type * as z from 'zod'
import { BUMPS } from '../catalogue/versions.ts'
import { VERSION_PATTERN } from '../content/names.ts'
import { LabelRemoval, LabelRequest, RepositoryPatch, YankRequest } from '../managing/request.ts'
import { IDEMPOTENCY_KEY, PublishRequest } from '../publishing/request.ts'
import { ERRORS, type ErrorCode } from './errors.ts'
import { EXPORT_FORMATS } from './export-formats.ts'
import { LIMITS } from './limits.ts'
import { EXAMPLES } from './openapi-examples.ts'
import { type Components, toSchema } from './openapi-schema.ts'
import {
  ChangeAnswer,
  PATH_PARAMETERS,
  PublishAnswer,
  type QueryParameter,
  ROUTES_WITH_SCHEMAS,
  type RouteWithSchemas,
} from './route-schemas.ts'
import { EXPORT_ROUTE, isPublishedAt, type RouteId } from './routes.ts'
import { ErrorEnvelope, single } from './schema.ts'

type Json = Record<string, unknown>

/**
 * Describes the API as OpenAPI 3.1.
 *
 * @param baseUrl the hub's base URL
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function describeApi(baseUrl: string): Json {
  const schemas: Components = {}
  const paths: Record<string, Json> = {}
  for (const route of ROUTES_WITH_SCHEMAS) {
    paths[route.path] = {
      get: describeRoute(route, schemas),
      ...(isPublishedAt(route.id) && { post: describePublish(schemas) }),
    }
  }
  for (const [path, operations] of Object.entries(describeManaging(schemas)))
    paths[path] = { ...paths[path], ...operations }
  paths[EXPORT_ROUTE.path] = { get: describeExport() }
  const errorReference = toSchema(ErrorEnvelope, schemas)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Prompt Hub API',
      version: '1',
      summary: 'Read and publish prompts, their versions, tags and owners.',
      description: [
        'Reading needs no key; publishing a version needs a token. Send a descriptive User-Agent, and cache responses as Cache-Control allows. Within /api/v1, fields may be added to responses, but are never removed or renamed.',
        'A version’s placeholders, {{name}} or {{ name }}, are only those listed in its `variables`. They are filled in one pass with the provided value, otherwise the default, otherwise (for an optional variable) an empty string; a required variable without a value is an error. Numbers are written as in JSON, booleans as true and false; nothing is escaped, and a value is never scanned again. For the rules, with code, see /docs/filling.',
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [],
    tags: [
      { name: 'Reading', description: 'Requests that need no token.' },
      { name: 'Publishing', description: 'Requests that need a token.' },
      {
        name: 'Managing',
        description: 'Changes to published prompts. They need a token with the label or maintain permission.',
      },
    ],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token for this hub, hub_ and 38 letters and digits, or the OIDC token of a GitHub Actions job that the owner trusts.',
        },
      },
      schemas,
      headers: HEADERS,
      responses: Object.fromEntries(
        (Object.keys(ERRORS) as ErrorCode[]).map((code) => [code, describeError([code], errorReference)]),
      ),
    },
  }
}

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, schema })

/** Every response header that clients may use. */
const HEADERS = {
  ETag: header('Identifies the response body; send it as If-None-Match.'),
  'Cache-Control': header('How long the response may be cached.'),
  Link: header('The next and the previous page (RFC 8288), or the successor of a repository that has moved.'),
  Location: header('The URL of the published version.', { type: 'string', format: 'uri' }),
  'X-Prompt-Version': header('The version of the returned content.'),
  'X-Prompt-Deprecated': header(
    '`true` if the repository is deprecated and no version was given; its record says why.',
    { type: 'string', enum: ['true'] },
  ),
  'X-Prompt-Yanked': header(
    '`true` if this version was yanked. A response that was cached earlier lacks this header; the version list shows the yank.',
    { type: 'string', enum: ['true'] },
  ),
  'Content-Disposition': header('`attachment` with the file name.'),
  'Export-Lost': header('Fields that the format cannot represent, such as `tags, license`; omitted if there are none.'),
  'Repr-Digest': header(
    'The SHA-256 of the body (RFC 9530), such as `sha-256=:…:`; omitted if the Node server compresses it.',
  ),
  'Idempotency-Replayed': header(
    '`true` if the key was already used and this is the version published by the first request.',
    {
      type: 'string',
      enum: ['true'],
    },
  ),
  'Retry-After': header('Seconds to wait before a retry.', { type: 'integer', minimum: 1 }),
  Allow: header('The supported methods.'),
  'WWW-Authenticate': header('`Bearer`.'),
} as const

const headersOf = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of your cached response. If it is still current, the response is 304 without a body.',
  schema: { type: 'string' },
}

/** Links from a response to other operations: the value to use for each parameter. */
const LINKS: Partial<Record<RouteId, Json>> = {
  listRepositories: {
    repository: linkTo('getRepository', { owner: '$response.body#/data/0/owner', name: '$response.body#/data/0/name' }),
  },
  getRepository: {
    latestVersion: linkTo('getVersion', {
      owner: '$response.body#/data/owner',
      name: '$response.body#/data/name',
      version: '$response.body#/data/latest_version',
    }),
    versions: linkTo('listVersions', { owner: '$response.body#/data/owner', name: '$response.body#/data/name' }),
    user: linkTo('getUser', { handle: '$response.body#/data/owner' }),
  },
  listVersions: {
    version: linkTo('getVersion', {
      owner: '$request.path.owner',
      name: '$request.path.name',
      version: '$response.body#/data/0/version',
    }),
  },
}

function linkTo(operationId: string, parameters: Json): Json {
  return { operationId, parameters }
}

function describeRoute(route: RouteWithSchemas, schemas: Components): Json {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const errors: ErrorCode[] = [
    ...(route.query.length > 0 ? (['invalid_request'] as const) : []),
    ...(inPath.length > 0 ? (['not_found'] as const) : []),
    'rate_limited',
    'internal_error',
    'unavailable',
  ]
  const isText = route.mediaType === 'text/plain'
  const content = isText
    ? {
        'text/plain': {
          schema: { type: 'string', description: 'The content, byte for byte.' },
          example: 'Review this {{language}} code:\n\n{{code}}\n',
        },
      }
    : jsonContent(route.response === null ? { type: 'object' } : toSchema(route.response, schemas))
  const always = [
    ...(['ETag', 'Cache-Control', 'Link'] as const),
    ...(isText ? (['X-Prompt-Version', 'X-Prompt-Deprecated', 'X-Prompt-Yanked'] as const) : []),
  ]
  const links = LINKS[route.id]
  return {
    operationId: route.id,
    summary: route.summary,
    ...(isText && {
      description:
        'Plain text, not JSON. Clients that only read JSON can use `content` of getRepository or getVersion, which is the same text.',
    }),
    tags: ['Reading'],
    parameters: [
      ...inPath.map((name) => describePathParameter(name)),
      ...route.query.map(describeQueryParameter),
      IF_NONE_MATCH,
    ],
    responses: {
      '200': {
        description: 'The requested data.',
        headers: headersOf(...always, ...(isText ? (['Repr-Digest'] as const) : [])),
        content,
        ...(links && { links }),
      },
      '304': describeNotModified(always),
      ...describeErrors(errors),
    },
  }
}

function describeNotModified(headers: readonly (keyof typeof HEADERS)[]): Json {
  return {
    description: 'The cached response is still current. The response has no body.',
    headers: headersOf(...headers),
  }
}

/** Describes the operation that returns a version in another tool's format. */
function describeExport(): Json {
  const always = ['ETag', 'Cache-Control', 'X-Prompt-Version', 'Content-Disposition', 'Export-Lost'] as const
  const text = { schema: { type: 'string', description: 'The file.' } }
  return {
    operationId: 'exportVersion',
    summary: 'Get a version in another tool’s format',
    description:
      'Title, description, tags and licence are the repository’s current ones; everything else is from the version. The version must be a number, x.y.z.',
    tags: ['Reading'],
    parameters: [
      ...['owner', 'name', 'version'].map(describePathParameter),
      {
        name: 'format',
        in: 'path',
        required: true,
        description: 'The tool.',
        schema: { type: 'string', enum: Object.keys(EXPORT_FORMATS) },
        example: 'dotprompt',
      },
      IF_NONE_MATCH,
    ],
    responses: {
      '200': {
        description: 'The file.',
        headers: headersOf(...always, 'Repr-Digest'),
        content: {
          'text/plain': text,
          'text/markdown': text,
          'application/yaml': text,
          'application/json': { schema: { type: 'object', description: 'The file.' } },
        },
      },
      '304': describeNotModified(always),
      ...describeErrors(['not_found', 'not_convertible', 'rate_limited', 'internal_error', 'unavailable']),
    },
  }
}

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

function describePublish(schemas: Components): Json {
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
    requestBody: {
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
      },
    },
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

/** Describes the query parameters of a publish whose body is a prompt file. `PublishQuery` parses them. */
function describePublishQuery(): Json[] {
  const describe = (name: string, description: string, schema: Json) => ({
    ...{ name, in: 'query', required: false, schema },
    description: `With a prompt file: ${description}`,
  })
  return [
    describe('bump', 'the part of the version number to increment.', {
      type: 'string',
      enum: [...BUMPS],
      default: 'patch',
    }),
    describe('changelog', 'what changed in this version.', {
      type: 'string',
      maxLength: LIMITS.changelogCharacters,
      default: '',
    }),
    describe('expected_version', 'the version that you expect to be the latest, or `null` for a new repository.', {
      type: 'string',
      pattern: `^(?:null|${VERSION_PATTERN.source.slice(1, -1)})$`,
    }),
    describe('dry_run', '`true` validates the file without publishing it.', { type: 'boolean', default: false }),
  ]
}

/** Every error when changing a repository, in the order of the checks. docs/contract.md section 7 */
const CHANGE_ERRORS = PUBLISH_ERRORS.filter((code) => code !== 'idempotency_key_reused')

/** Describes the operations that change published data. */
function describeManaging(schemas: Components): Record<string, Json> {
  const answer = jsonContent(toSchema(single(ChangeAnswer), schemas))
  const describe = (
    operationId: string,
    summary: string,
    more: string[],
    body?: { schema: z.ZodType; example: Json; isOptional?: boolean },
  ) => ({
    operationId,
    summary,
    tags: ['Managing'],
    security: [{ token: [] }],
    parameters: ['owner', 'name', ...more].map(describePathParameter),
    ...(body && {
      requestBody: {
        required: !body.isOptional,
        content: { 'application/json': { schema: toSchema(body.schema, schemas), example: body.example } },
      },
    }),
    responses: {
      '200': { description: 'The current repository; `commit` is null if nothing changed.', content: answer },
      ...describeErrors(CHANGE_ERRORS),
    },
  })
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
  }
}

/** Groups the codes by status, because several codes may share a status but OpenAPI has only one entry per status. */
function describeErrors(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => String(ERRORS[code].status))
  return Object.fromEntries(
    [...byStatus].map(([status, shared]) => [
      status,
      shared.length === 1
        ? { $ref: `#/components/responses/${shared[0]}` }
        : describeError(shared, { $ref: '#/components/schemas/Error' }),
    ]),
  )
}

function describeError(codes: readonly ErrorCode[], schema: unknown): Json {
  const [first] = codes
  const { status } = ERRORS[first!]
  const headers = {
    ...(status === 429 || status === 503 ? headersOf('Retry-After') : {}),
    ...(status === 401 ? headersOf('WWW-Authenticate') : {}),
    ...(status === 405 ? headersOf('Allow') : {}),
  }
  return {
    description:
      codes.length === 1 ? ERRORS[first!].when : codes.map((code) => `${code}: ${ERRORS[code].when}`).join(' '),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    content: {
      'application/json': {
        schema,
        example: { error: { code: first, message: ERRORS[first!].when } },
      },
    },
  }
}

function describePathParameter(name: string): Json {
  const { description, ...schema } = toSchema(PATH_PARAMETERS[name]!, {})
  return { name, in: 'path', required: true, description, schema, example: EXAMPLES.path[name] }
}

function describeQueryParameter({ name, description, schema, isRepeatable }: QueryParameter): Json {
  const json = toSchema(schema, {})
  return {
    name,
    in: 'query',
    required: false,
    description,
    schema: json,
    ...(isRepeatable ? { explode: true, style: 'form' } : {}),
    example: EXAMPLES.query[name],
  }
}

function jsonContent(schema: unknown): Json {
  return { 'application/json': { schema } }
}
