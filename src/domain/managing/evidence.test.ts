// Tests which results are enough for a label: each rule alone, and that a worse result never takes a label.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Result } from '../api/schema.ts'
import type { ProtectedLabel } from '../content/protected-labels.ts'
import { describeMissing, findMissingEvidence } from './evidence.ts'

const TARGET = { owner: 'acme', name: 'review', version: '1.2.0', content_sha256: 'a'.repeat(64) }
const AT = '2026-11-20T10:00:00Z'
const aResult = (given: Partial<Result> = {}): Result => ({
  suite: 'quality',
  version: '1.2.0',
  content_sha256: TARGET.content_sha256,
  passed: 10,
  failed: 0,
  skipped: 0,
  score: null,
  model: null,
  url: null,
  at: AT,
  reported_by: 'acme',
  provenance: null,
  ...given,
})
const PLAIN: ProtectedLabel = { label: 'production', requires: ['quality'] }
const SCORED: ProtectedLabel = { label: 'production', requires: ['quality'], min_score: 0.9 }

describe('a result', () => {
  //  case                               rule     result                                                missing
  test.each<[string, ProtectedLabel | undefined, Partial<Result> | undefined, string | undefined]>([
    ['nothing is required', undefined, undefined, undefined],
    ['only the permission is required', 'production', undefined, undefined],
    ['all passed', PLAIN, {}, undefined],
    ['none', PLAIN, undefined, 'has no result'],
    ['one failed', PLAIN, { failed: 1, score: 1 }, `has 1 failed, of ${AT}, and needs 0`],
    ['nothing ran', PLAIN, { passed: 0 }, `has a result of ${AT} in which nothing passed`],
    ['only skipped', PLAIN, { passed: 0, skipped: 9 }, `has a result of ${AT} in which nothing passed`],
    ['other bytes', PLAIN, { content_sha256: 'b'.repeat(64) }, 'has a result for other bytes, which does not count'],
    ['another version', PLAIN, { version: '1.1.0' }, 'has no result'],
    ['another suite', PLAIN, { suite: 'safety' }, 'has no result'],
    ['the lowest score', SCORED, { score: 0.9, failed: 3 }, undefined],
    ['a lower score', SCORED, { score: 0.899999 }, `has the score 0.899999, of ${AT}, and needs at least 0.9`],
    ['no score', SCORED, {}, `has a result without a score, of ${AT}, and needs a score of at least 0.9`],
    [
      'a score for other bytes',
      SCORED,
      { score: 1, content_sha256: 'b'.repeat(64) },
      'has a result for other bytes, which does not count',
    ],
  ])('%s', (_, rule, result, reason) => {
    const missing = findMissingEvidence(rule, TARGET, result ? [aResult(result)] : [])
    expect(missing).toEqual(reason === undefined ? [] : [{ suite: 'quality', reason }])
  })

  test('of each required suite is needed, and the message has the command for each', () => {
    const rule = { label: 'production', requires: ['quality', 'safety', 'cost'] }
    const missing = findMissingEvidence(rule, TARGET, [aResult({ suite: 'safety' }), aResult({ failed: 2 })])
    expect(missing.map(({ suite }) => suite)).toEqual(['quality', 'cost'])
    expect(describeMissing('production', TARGET, missing)).toBe(
      `acme requires results before production moves to 1.2.0: quality has 2 failed, of ${AT}, and needs 0; cost has no result. Run the tests on 1.2.0, then report their output: hubcli result acme/review 1.2.0 quality FILE; hubcli result acme/review 1.2.0 cost FILE.`,
    )
  })
})

test('more failures or a lower score never make a result enough', () => {
  const counts = fc.nat(5)
  const score = fc.option(fc.double({ min: 0, max: 1, noNaN: true }))
  fc.assert(
    fc.property(
      counts,
      counts,
      score,
      fc.nat(5),
      fc.constantFrom(PLAIN, SCORED),
      (passed, failed, from, more, rule) => {
        const isEnough = (result: Result) => findMissingEvidence(rule, TARGET, [result]).length === 0
        const worse = aResult({ passed, failed: failed + more, score: from === null ? null : from / (1 + more) })
        expect(isEnough(worse) && !isEnough(aResult({ passed, failed, score: from }))).toBe(false)
      },
    ),
  )
})
