// Builds the OpenAPI document from the tables and schemas that the code uses.

import { ERRORS, type ErrorCode } from '../../domain/api/errors.ts'
import { EXPORT_FORMATS } from '../../domain/api/export-formats.ts'
import { type ReadId, ROUTES, type RouteId } from '../../domain/api/routes.ts'
import { ErrorEnvelope } from '../../domain/api/schema.ts'
import { ATTESTATION_MEDIA_TYPE } from '../../domain/values/attestation-name.ts'
import { FILE_MEDIA_TYPES } from '../../domain/values/file-entry.ts'
import {
  describeError,
  describeErrors,
  describePathParameter,
  describeQueryParameter,
  HEADERS,
  headersOf,
  type Json,
  jsonContent,
  parametersIn,
  REDIRECTED,
} from './openapi-parts.ts'
import { type Components, toSchema } from './openapi-schema.ts'
import { describeProposalReads, describeWrites } from './openapi-writes.ts'
import { ROUTES_WITH_SCHEMAS, type RouteWithSchemas } from './route-schemas.ts'

/** Adds to every operation of a private hub that it needs a token. */
function forReaders(document: Json): Json {
  const refused = { [ERRORS.unauthorized.status]: { $ref: '#/components/responses/unauthorized' } }
  const closed = (operation: Json) => {
    const { security: _, ...rest } = operation
    return { ...rest, responses: { ...refused, ...(operation.responses as Json) } }
  }
  const paths = Object.entries(document.paths as Record<string, Record<string, Json>>).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, closed(operation)])),
  ])
  return { ...document, security: [{ token: [] }], paths: Object.fromEntries(paths) }
}

let formatted: { baseUrl: string; isForReaders: boolean; text: string } | undefined

/** Returns the description as JSON. Remembers the last one, because every build of a hub has the same, and making it takes longer than the other files of a small change. */
export function formatApi(baseUrl: string, isForReaders: boolean): string {
  if (formatted?.baseUrl !== baseUrl || formatted.isForReaders !== isForReaders)
    formatted = { baseUrl, isForReaders, text: JSON.stringify(describeApi(baseUrl, isForReaders)) }
  return formatted.text
}

/**
 * Describes the API as OpenAPI 3.1.
 *
 * @param baseUrl the hub's base URL
 * @param isForReaders whether only readers may read the hub
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function describeApi(baseUrl: string, isForReaders = false): Json {
  const schemas: Components = {}
  const paths: Record<string, Json> = {}
  const operations: Partial<Record<RouteId, Json>> = {
    ...Object.fromEntries(ROUTES_WITH_SCHEMAS.map((route) => [route.id, describeRead(route, schemas)])),
    ...describeWrites(schemas),
    ...describeProposalReads(schemas),
    exportVersion: describeExport(),
  }
  for (const { id, method, path, summary } of Object.values(ROUTES))
    paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId: id, summary, ...operations[id] } }
  const errorReference = toSchema(ErrorEnvelope, schemas)
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Prompt Hub API',
      version: '1',
      summary: 'Read and publish prompts, their versions, tags and owners.',
      description: [
        'Reading needs no key; publishing a version needs a token. Send a descriptive User-Agent, and cache responses as Cache-Control allows. Within /api/v1, fields may be added to responses, but are never removed or renamed. If Accept names text/plain and not application/json, an error is its message as text.',
        'A version’s placeholders, {{name}} or {{ name }}, are only those listed in its `variables`. They are filled in one pass with the provided value, otherwise the default, otherwise (for an optional variable) an empty string; a required variable without a value is an error. Numbers are written as in JSON, booleans as true and false; nothing is escaped, and a value is never scanned again. For the rules, with code, see /docs/filling.',
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [],
    tags: [
      { name: 'Reading', description: 'Requests that need no token.' },
      { name: 'Publishing', description: 'Publishing a version needs a token; checking what it would do does not.' },
      { name: 'Proposals', description: 'Versions that are published once a member accepts them.' },
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
  return isForReaders ? forReaders(document) : document
}

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of your cached response. If it is still current, the response is 304 without a body.',
  schema: { type: 'string' },
}

/** The responses of the routes that return bytes. */
const BYTES: Partial<Record<ReadId, Json>> = {
  getFile: Object.fromEntries(
    FILE_MEDIA_TYPES.map((type) => [
      type,
      { schema: { type: 'string', ...(type !== 'text/plain' && { format: 'binary' }), description: 'The file.' } },
    ]),
  ),
  getAttestation: {
    [ATTESTATION_MEDIA_TYPE]: { schema: { type: 'object', description: 'The Sigstore bundle, as it was stored.' } },
  },
  getArchive: {
    'application/gzip': { schema: { type: 'string', format: 'binary', description: 'SKILL.md and all files.' } },
  },
}

function describeRead(route: RouteWithSchemas, schemas: Components): Json {
  const inPath = parametersIn(route.path)
  const errors: ErrorCode[] = [
    ...(route.query.length > 0 ? (['invalid_request'] as const) : []),
    ...(inPath.length > 0 ? (['not_found'] as const) : []),
    'rate_limited',
    'internal_error',
    'unavailable',
  ]
  const isText = route.id === 'getRaw'
  const content =
    BYTES[route.id] ??
    (isText
      ? {
          'text/plain': {
            schema: { type: 'string', description: 'The content, byte for byte.' },
            example: 'Review this {{language}} code:\n\n{{code}}\n',
          },
        }
      : jsonContent(route.response === null ? { type: 'object' } : toSchema(route.response, schemas)))
  const always = [
    ...(['ETag', 'Cache-Control', 'Link'] as const),
    ...(route.id === 'getArchive' ? (['Content-Disposition'] as const) : []),
    ...(isText ? (['X-Prompt-Version', 'X-Prompt-Deprecated', 'X-Prompt-Yanked'] as const) : []),
  ]
  const hasDigest = isText || BYTES[route.id] !== undefined
  return {
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
        headers: headersOf(...always, ...(hasDigest ? (['Repr-Digest', 'Unencoded-Digest'] as const) : [])),
        content,
      },
      '304': describeNotModified(hasDigest ? [...always, 'Unencoded-Digest'] : always),
      ...(inPath.length > 0 && { '308': REDIRECTED }),
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
  const describeFile = (mediaType: string) => ({
    schema: { type: mediaType === 'application/json' ? 'object' : 'string', description: 'The file.' },
  })
  return {
    description:
      'Title, description, tags and license are the repository’s current ones; everything else is from the version. The version must be a number, x.y.z.',
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
        headers: headersOf(...always, 'Repr-Digest', 'Unencoded-Digest'),
        content: Object.fromEntries(
          Object.values(EXPORT_FORMATS).map(({ mediaType }) => [mediaType, describeFile(mediaType)]),
        ),
      },
      '304': describeNotModified([...always, 'Unencoded-Digest']),
      '308': REDIRECTED,
      ...describeErrors(['not_found', 'not_convertible', 'rate_limited', 'internal_error', 'unavailable']),
    },
  }
}
