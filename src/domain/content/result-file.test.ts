// Tests result files: what is written is read back, the same values are always the same bytes, and what is wrong is named.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatResultFile, parseResultFile, type ResultFile } from './result-file.ts'

const DIGEST = 'a'.repeat(64)
const GOOD = `content_sha256: ${DIGEST}\npassed: 3\nfailed: 1\nat: "2026-11-20T10:00:00Z"\nreported_by: octocat\n`

const provenance = { issuer: 'i', repository: 'octo/x', workflow: 'w', ref: 'refs/heads/main', sha: 's', run_id: '1' }
const aResult: fc.Arbitrary<ResultFile> = fc.record({
  content_sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  passed: fc.nat(1_000_000),
  failed: fc.nat(1_000_000),
  skipped: fc.nat(1_000_000),
  score: fc.option(fc.double({ min: 0, max: 1, noNaN: true }).map((score) => score + 0)),
  model: fc.option(
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 50 })
      .filter((text) => text.trim() !== '' && !/\p{Cc}/u.test(text)),
  ),
  url: fc.option(fc.webPath().map((path) => `https://ci.example.org${path}`)),
  at: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }).map((date) => date.toISOString()),
  reported_by: fc.stringMatching(/^[a-z0-9]{1,20}$/),
  provenance: fc.option(fc.constant(provenance)),
})

test('what is written is read back, and the same values are the same bytes', () => {
  fc.assert(
    fc.property(aResult, (result) => {
      const text = formatResultFile(result)
      const { value } = parseResultFile(text)
      expect(value).toEqual(result)
      expect(formatResultFile(value!)).toBe(text)
    }),
  )
})

test('a file needs only what every result has', () => {
  expect(parseResultFile(GOOD).value).toEqual({
    content_sha256: DIGEST,
    passed: 3,
    failed: 1,
    skipped: 0,
    score: null,
    model: null,
    url: null,
    at: '2026-11-20T10:00:00Z',
    reported_by: 'octocat',
    provenance: null,
  })
})

describe('a problem names its line', () => {
  //  what                     the file                                              problem
  test.each([
    ['a score that is none', `${GOOD}score: .nan\n`, 'line 6: expected'],
    ['an endless score', `${GOOD}score: .inf\n`, 'line 6: expected'],
    ['a score above 1', `${GOOD}score: 1.5\n`, 'line 6: expected 0 to 1'],
    ['a script as URL', `${GOOD}url: "javascript:alert(1)"\n`, 'line 6: expected a URL'],
    ['a URL without TLS', `${GOOD}url: http://ci.example.org/\n`, 'line 6: expected a URL that starts with https://'],
    ['too many tests', GOOD.replace('passed: 3', 'passed: 1000001'), 'line 2: expected at most 1000000'],
    ['half a test', GOOD.replace('failed: 1', 'failed: 1.5'), 'line 3: expected'],
    ['no digest', GOOD.replace(`content_sha256: ${DIGEST}\n`, ''), 'line 1: expected a string, got nothing'],
    ['an unknown key', `${GOOD}suite: x\n`, 'line 6: unknown'],
    ['an alias', `${GOOD}model: *a\n`, 'line 6: expected YAML without aliases'],
    ['a list', '- a\n', 'line 1: expected keys and values'],
  ])('%s', (_, text, problem) => {
    expect(parseResultFile(text).problems?.[0]?.message).toContain(problem)
  })
})
