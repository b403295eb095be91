// The table of all client-facing errors, and the exception that carries them.
import type { ValueProblem } from '../text/problems.ts'

/** Error code → status and description. docs/contract.md section 6. The tests repeat these values. */
export const ERRORS = {
  invalid_request: {
    status: 400,
    when: 'A query parameter or the body is invalid: an invalid value, invalid JSON or invalid UTF-8.',
  },
  unauthorized: { status: 401, when: 'The token is missing, malformed, unknown, expired or revoked.' },
  forbidden: { status: 403, when: 'The token is valid but has no permission for this repository.' },
  approval_needed: {
    status: 403,
    when: 'The label requires that a signed-in member approves new kinds of capability. The message names them, and the page that moves the label.',
  },
  quota_exceeded: {
    status: 403,
    when: 'The owner has as many prompts or bytes of content as this hub allows. The message states the limit.',
  },
  not_found: { status: 404, when: 'The repository, version, user or URL does not exist.' },
  method_not_allowed: {
    status: 405,
    when: 'The URL does not support this method. The Allow header lists the supported methods.',
  },
  version_conflict: { status: 409, when: 'expected_version is not the latest version.' },
  repo_archived: { status: 409, when: 'The repository is archived or has moved, so it accepts no new versions.' },
  too_late: {
    status: 409,
    when: 'More than 72 hours have passed since the version was published, so its author can no longer delete it; or the proposal was decided otherwise before.',
  },
  content_too_large: { status: 413, when: 'The body or the content exceeds its limit.' },
  unsupported_media_type: {
    status: 415,
    when: 'The body is neither JSON nor, where one can be sent, a prompt file (text/markdown) or an archive (application/gzip); or it is compressed.',
  },
  validation_failed: {
    status: 422,
    when: 'A field is missing, invalid or unknown. The message lists every problem with its field.',
  },
  evidence_missing: {
    status: 422,
    when: 'The label requires results of test suites that the version does not have. The message names them, and the command that reports each.',
  },
  bump_too_small: {
    status: 422,
    when: 'The change is breaking for callers, and its owner or the request accepts that only as a major version. The message names the reasons and the number to use.',
  },
  not_convertible: {
    status: 422,
    when: 'The version cannot be exported in this format. The message explains why and gives the line numbers in the content.',
  },
  idempotency_key_reused: { status: 422, when: 'The Idempotency-Key was already used with another body.' },
  rate_limited: { status: 429, when: 'Too many requests. Retry after the time in the Retry-After header.' },
  internal_error: { status: 500, when: 'The hub had an internal error.' },
  upstream_error: { status: 502, when: 'The git host sent an unexpected response.' },
  unavailable: {
    status: 503,
    when: 'The git host or a store is down or busy. Retry after the time in the Retry-After header.',
  },
} as const

/** A code from the table. */
export type ErrorCode = keyof typeof ERRORS

/** Every code, in table order. */
export const ERROR_CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]

/** Optional details of an error. */
interface ErrorDetails {
  /** The underlying error; logged, never sent. */
  cause?: unknown
  /** Seconds to wait before a retry; sent as Retry-After. */
  retryAfterSeconds?: number
  /** The methods that the URL supports; sent as Allow. */
  allow?: readonly string[]
  /** The problems that the message lists, for pages; not sent by the API. */
  problems?: readonly ValueProblem[]
}

/** An error that a client may see. The message says what was wrong, where, and what to do; it contains no token, stack trace or server path. */
export class HubError extends Error {
  override readonly name = 'HubError'
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined
  readonly allow: readonly string[] | undefined
  readonly problems: readonly ValueProblem[] | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.retryAfterSeconds = details.retryAfterSeconds
    this.allow = details.allow
    this.problems = details.problems
  }
}
