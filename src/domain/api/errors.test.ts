// Tests every error that a client can see: the code and status from docs/contract.md section 6.
import { describe, expect, test } from 'vitest'
import { ERRORS, HubError } from './errors.ts'

describe('error table', () => {
  test('has exactly the expected codes and statuses', () => {
    expect(Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]))).toEqual({
      invalid_request: 400,
      unauthorized: 401,
      forbidden: 403,
      approval_needed: 403,
      quota_exceeded: 403,
      not_found: 404,
      method_not_allowed: 405,
      version_conflict: 409,
      repo_archived: 409,
      too_late: 409,
      content_too_large: 413,
      unsupported_media_type: 415,
      validation_failed: 422,
      evidence_missing: 422,
      bump_too_small: 422,
      not_convertible: 422,
      idempotency_key_reused: 422,
      rate_limited: 429,
      internal_error: 500,
      upstream_error: 502,
      unavailable: 503,
    })
  })

  test.each(Object.entries(ERRORS))('%s has a one-sentence description', (_, { when }) => {
    expect(when).toMatch(/^[A-Za-z_]+ .+\.$/)
  })
})

describe('HubError', () => {
  test('has its code and message', () => {
    const error = new HubError('not_found', 'acme/x does not exist.')
    expect(error).toBeInstanceOf(Error)
    expect([error.name, error.code, error.message]).toEqual(['HubError', 'not_found', 'acme/x does not exist.'])
    expect([error.cause, error.retryAfterSeconds, error.allow]).toEqual([undefined, undefined, undefined])
  })

  test('carries the values for response headers, and the cause for the log', () => {
    const cause = new Error('socket closed')
    expect(new HubError('unavailable', 'Try again.', { cause, retryAfterSeconds: 7 })).toMatchObject({
      cause,
      retryAfterSeconds: 7,
    })
    expect(new HubError('method_not_allowed', 'Use GET.', { allow: ['GET', 'HEAD'] }).allow).toEqual(['GET', 'HEAD'])
  })

  test('leaves the cause out of its JSON', () => {
    expect(JSON.stringify(new HubError('internal_error', 'A fault.', { cause: 'secret' }))).not.toContain('secret')
  })
})
