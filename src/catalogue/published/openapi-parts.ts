// The parts of the OpenAPI document that reading and writing share: headers, errors and parameters.
import { ERRORS, type ErrorCode } from '../../domain/api/errors.ts'
import { EXAMPLES } from './openapi-examples.ts'
import { toSchema } from './openapi-schema.ts'
import { PATH_PARAMETERS, type QueryParameter } from './route-schemas.ts'

export type Json = Record<string, unknown>

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, schema })

/** Every response header that clients may use. */
export const HEADERS = {
  ETag: header('Identifies the response body; send it as If-None-Match.'),
  'Cache-Control': header('How long the response may be cached.'),
  Link: header('The next and the previous page (RFC 8288), or the successor of a repository that has moved.'),
  Location: header('The URL of the published version; of a redirect, the path in lower case.', {
    type: 'string',
    format: 'uri-reference',
  }),
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
  'Unencoded-Digest': header(
    'The SHA-256 of the body without compression, such as `sha-256=:…:`; also on compressed responses.',
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

/** Refers to headers in the components. */
export const headersOf = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Groups the codes by status, because several codes may share a status but OpenAPI has only one entry per status. */
export function describeErrors(codes: readonly ErrorCode[]): Json {
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

/** Describes a response with an error. @param codes those that share its status */
export function describeError(codes: readonly ErrorCode[], schema: unknown): Json {
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

/** Describes the redirect of a path with upper-case letters. */
export const REDIRECTED: Json = {
  description: 'The path has letters in upper case. The same address in lower case is in Location, with the query.',
  headers: headersOf('Location', 'Cache-Control'),
}

/** Returns the names of a path's parameters, in order. */
export function parametersIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
}

/** Describes a parameter in the path. @param name in `PATH_PARAMETERS` */
export function describePathParameter(name: string): Json {
  const { description, ...schema } = toSchema(PATH_PARAMETERS[name]!, {})
  return { name, in: 'path', required: true, description, schema, example: EXAMPLES.path[name] }
}

/** Describes a query parameter. */
export function describeQueryParameter({ name, description, schema, isRepeatable }: QueryParameter): Json {
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

/** Describes a body of JSON. */
export function jsonContent(schema: unknown): Json {
  return { 'application/json': { schema } }
}

/** Every error when publishing, in the order of the checks. docs/contract.md section 7 */
export const PUBLISH_ERRORS: readonly ErrorCode[] = [
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
  'bump_too_small',
  'internal_error',
  'upstream_error',
  'unavailable',
]
