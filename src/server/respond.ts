// Builds responses: headers, caching and conditional requests.

import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Bytes } from '../built/site-files.ts'
import {
  CACHE_CONTROL,
  type CacheClass,
  COMMON_HEADERS,
  COMPRESSIBLE_VARY,
  cacheTagOf,
  NO_VARY_SEARCH,
  PAGE_CACHE_CONTROL,
  SHARED_CACHE_CONTROL,
  type Subject,
} from '../domain/api/caching.ts'
import { headersOf } from '../domain/api/site-headers.ts'
import type { ATTESTATION_MEDIA_TYPE } from '../domain/values/attestation-name.ts'
import type { MediaType } from '../domain/values/file-entry.ts'

/** The parts of a 200 response. */
export interface Answer {
  /** The body. Its ETag is computed once per object, so reuse the same object for equal bodies. */
  bytes: Bytes
  mediaType:
    | 'application/json'
    | 'application/gzip'
    | 'application/zip'
    | 'text/markdown'
    | typeof ATTESTATION_MEDIA_TYPE
    | MediaType
  cache: CacheClass
  /** What it is about, so that a publish purges it. */
  subject?: Subject | undefined
  /** Whether the response includes the SHA-256 digest of its body, so that clients can verify it: `Repr-Digest` (RFC 9530 section 3), and `Unencoded-Digest`, which stays true when the body is compressed (draft-ietf-httpbis-unencoded-digest-05). */
  hasDigest?: boolean
  /** Additional headers, whose values must already be validated. */
  headers?: Readonly<Record<string, string>>
}

/** Responds to a read API request with the record that was found. */
export function respondWith(request: Request, answer: Answer): Response {
  const known = described.get(answer.bytes)
  if (known && isDeepStrictEqual(known.answer, answer))
    return respondWithWhole(request, answer.bytes, 200, known.headers)
  const headers = describe(answer)
  described.set(answer.bytes, { answer, headers })
  return respondWithWhole(request, answer.bytes, 200, headers)
}

/** Cached headers by body. Building them takes longer than sending them, and hosts cache the bodies of popular files. */
const described = new WeakMap<Bytes, { answer: Answer; headers: Readonly<Record<string, string>> }>()

/** Builds all headers of a 200 response. */
function describe(answer: Answer): Readonly<Record<string, string>> {
  const { bytes, mediaType, cache, subject = {}, hasDigest, headers } = answer
  const cacheTag = cacheTagOf(subject)
  const all: Record<string, string> = {
    ...COMMON_HEADERS,
    'Cache-Control': CACHE_CONTROL[cache],
    'Content-Type': isText(mediaType) ? `${mediaType}; charset=utf-8` : mediaType,
    'No-Vary-Search': NO_VARY_SEARCH,
    Vary: COMPRESSIBLE_VARY,
    ...(cache === 'changing' && { 'CDN-Cache-Control': SHARED_CACHE_CONTROL }),
    ...(cacheTag && { 'Cache-Tag': cacheTag }),
    ...headers,
  }
  if (hasDigest) {
    const digest = `sha-256=:${hash('sha256', bytes, 'base64')}:`
    Object.assign(all, { 'Repr-Digest': digest, 'Unencoded-Digest': digest })
  }
  if (mediaType !== 'application/json') all['Content-Security-Policy'] = "default-src 'none'; sandbox"
  return withValidator(bytes, all)
}

const isText = (mediaType: Answer['mediaType']) => mediaType.startsWith('text/') || mediaType === 'application/json'

/** The parts of a page. */
export interface PageResponse {
  bytes: Bytes
  /** The status code, 200 or 404. */
  status: number
  mediaType: string
  /** Whether the page depends on the query parameters. */
  hasQuery: boolean
  /** Whether who prefers Markdown gets something else there. */
  hasMarkdown: boolean
  /** The cache tags that a publish uses to purge the page. */
  cacheTags: readonly string[]
  /** When the page's words change without a publish or a build, in milliseconds; undefined if they do not. */
  expiresAt?: number | undefined
}

const PAGE_HEADERS = headersOf('/search')

/** Tells programs that read a page where the description of the hub for models is. https://llmstxt.org, version 2 */
const LLMS_LINK = '</llms.txt>; rel="describedby"; type="text/plain"'

/** Responds to a website request. Shared caches treat pages like mutable records. */
export function respondWithPage(request: Request, page: PageResponse): Response {
  const { bytes, status, mediaType, hasQuery, cacheTags } = page
  const isFound = status === 200
  const headers: Record<string, string> = {
    ...PAGE_HEADERS,
    'Content-Type': mediaType,
    'Cache-Control': PAGE_CACHE_CONTROL[isFound ? 'found' : 'missing'],
    Vary: page.hasMarkdown ? `${COMPRESSIBLE_VARY}, Accept` : COMPRESSIBLE_VARY,
  }
  if (isFound) headers['CDN-Cache-Control'] = SHARED_CACHE_CONTROL
  if (!hasQuery) headers['No-Vary-Search'] = NO_VARY_SEARCH
  if (page.expiresAt !== undefined) headers.Expires = new Date(page.expiresAt).toUTCString()
  if (mediaType.startsWith('text/html')) headers.Link = LLMS_LINK
  if (cacheTags.length > 0) headers['Cache-Tag'] = cacheTags.join(',')
  return respondWithBytes(request, bytes, status, headers)
}

/** The parts of a response, kept because reading them back from a Response takes longer than responding. */
export interface Parts {
  /** The body; null if there is none. */
  bytes: Bytes | null
  status: number
  headers: Readonly<Record<string, string>>
}

/** A response that may show its parts: if `respondWithParts` made it, and until its headers are changed. */
export interface MadeResponse extends Response {
  parts?: Parts
}

/** Creates a response from its parts. */
export function respondWithParts(parts: Parts): MadeResponse {
  const { bytes, status, headers } = parts
  const response: MadeResponse = new Response(bytes, { status, headers })
  response.parts = parts
  return response
}

/** Responds with bytes and their ETag: with 304 if the client already has these bytes, and without a body to HEAD. */
export function respondWithBytes(
  request: Request,
  bytes: Bytes,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return respondWithWhole(request, bytes, status, withValidator(bytes, headers))
}

function withValidator(bytes: Bytes, headers: Readonly<Record<string, string>>) {
  return { ...headers, ETag: validatorOf(bytes), 'Content-Length': String(bytes.length) }
}

/** Responds with the complete bytes, or with 304. @param headers all headers, including those derived from the bytes */
function respondWithWhole(request: Request, bytes: Bytes, status: number, headers: Parts['headers']): Response {
  const etag = headers.ETag!
  const known = request.headers.get('If-None-Match')
  const match = status === 200 && known !== null ? findMatch(known, etag) : undefined
  if (match !== undefined) {
    return respondWithParts({ bytes: null, status: 304, headers: { ...onlyForClients(headers), ETag: match } })
  }
  return respondWithParts({ bytes: request.method === 'HEAD' ? null : bytes, status, headers })
}

/** Returns the headers of a 304 response. It has no body, so headers that describe a body are removed. The digest is removed because the client may have a compressed body. */
function onlyForClients(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(?:Content-(?:Type|Length)|Repr-Digest)$/.test(name)),
  )
}

/** The headers of a JSON response that no cache may keep: an error, or the answer to a write or a check. */
export const UNCACHED_JSON = {
  ...COMMON_HEADERS,
  'Cache-Control': 'no-store',
  'Content-Type': 'application/json; charset=utf-8',
} as const

/** Returns whether a client wants text in place of JSON: its `Accept` names `text/plain`, and not `application/json`. */
export function wantsText(request: Request): boolean {
  const types = acceptedBy(request)
  return types.includes('text/plain') && !types.includes('application/json')
}

/** Returns whether a client wants Markdown in place of a page: its `Accept` names `text/markdown`, and `text/html` not before it. */
export function wantsMarkdown(request: Request): boolean {
  const types = acceptedBy(request)
  const [markdown, html] = [types.indexOf('text/markdown'), types.indexOf('text/html')]
  return markdown !== -1 && (html === -1 || markdown < html)
}

const acceptedBy = (request: Request) =>
  (request.headers.get('Accept') ?? '').split(',').map((range) => range.split(';')[0]!.trim())

/** The media type of the responses for clients that want text. */
export const PLAIN_TEXT = 'text/plain; charset=utf-8'

/** Responds to a write or a check with a record. @param more headers in addition to the usual ones */
export function respondWithRecord(data: unknown, status = 200, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify({ data }), { status, headers: { ...UNCACHED_JSON, ...more } })
}

/** Responds to a write in text. @param more as in `respondWithRecord` */
export function respondWithText(text: string, status = 200, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, { status, headers: { ...UNCACHED_JSON, ...more, 'Content-Type': PLAIN_TEXT } })
}

/** Allows all request headers, because tracing and caching add their own. The wildcard does not cover Authorization, and old browsers do not support it, so the hub's request headers are listed too (Fetch, section 4.9). */
const ANY_HEADER = '*, Authorization, Content-Type, Idempotency-Key, If-None-Match'

/** Responds to OPTIONS. @param methods the methods that the URL supports */
export function respondToOptions(methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...COMMON_HEADERS,
      Allow: methods.join(', '),
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': ANY_HEADER,
      'Access-Control-Max-Age': '86400',
      'Cache-Control': 'no-store',
    },
  })
}

/** How caches may keep a redirect. */
export const REDIRECT_CACHING = {
  'Cache-Control': CACHE_CONTROL.changing,
  'CDN-Cache-Control': SHARED_CACHE_CONTROL,
  Vary: COMPRESSIBLE_VARY,
} as const

/** Permanently redirects the client to the same URL in lower case. @param location the path, with the original query */
export function respondWithRedirect(location: string): Response {
  return new Response(null, {
    status: 308,
    headers: { ...COMMON_HEADERS, ...REDIRECT_CACHING, Location: location },
  })
}

/** Computes a strong ETag, which is the same only for equal bytes (RFC 9110 section 8.8.3). Half of a SHA-256 is enough, because an ETag does not need to resist forgery. */
function validatorOf(bytes: Bytes): string {
  const known = validators.get(bytes)
  if (known !== undefined) return known
  const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
  validators.set(bytes, etag)
  return etag
}

const validators = new WeakMap<Bytes, string>()

/**
 * Finds an ETag in `If-None-Match` that matches the response. The comparison is weak, and the header may contain a list or `*` (RFC 9110 section 13.1.2).
 *
 * @returns the client's ETag, which may belong to a compressed form of the same response
 */
function findMatch(ifNoneMatch: string, etag: string): string | undefined {
  const own = [etag, ...ENCODINGS.map((encoding) => `${etag.slice(0, -1)}-${encoding}"`)]
  for (const candidate of ifNoneMatch.split(',', MAX_CANDIDATES)) {
    const bare = candidate.trim().replace(/^W\//, '')
    if (bare === '*') return etag
    if (own.includes(bare)) return bare
  }
  return undefined
}

/** Suffixes that the Node server adds to the ETags of compressed responses (src/hosts/node/http/answer.ts). */
const ENCODINGS = ['br', 'gzip']
/** Maximum number of ETags to compare per request. Clients usually send a single ETag; only caches send several. */
const MAX_CANDIDATES = 50
