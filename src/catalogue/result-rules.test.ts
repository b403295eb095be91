// Tests which results of a repository count, and what is said about the others.
import { expect, test } from 'vitest'
import type { ResultEntry } from '../domain/content/content-tree.ts'
import { checkResult, checkResults } from './result-rules.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const entry = (version: string, suite: string, content_sha256: string): ResultEntry => ({
  version,
  suite,
  content_sha256,
  passed: 1,
  failed: 0,
  skipped: 0,
  score: null,
  model: null,
  url: null,
  at: '2026-11-20T10:00:00Z',
  reported_by: 'acme',
  provenance: null,
})
const VERSIONS = [
  { version: '1.0.0', content_sha256: A },
  { version: '1.1.0', content_sha256: B },
]
const check = (...results: ResultEntry[]) => checkResults({ owner: 'acme', name: 'review' }, VERSIONS, results)

test('a result of its version’s bytes counts; one of other bytes, or of no version, does not', () => {
  const { good, problems } = check(entry('1.0.0', 'a', A), entry('1.1.0', 'a', A), entry('2.0.0', 'a', A))
  expect(good.map(({ version }) => version)).toEqual(['1.0.0'])
  expect(problems).toEqual([
    {
      file: 'content/acme/review/results/1.1.0/a.yml',
      rule: 'results-of-these-bytes',
      key: 'content_sha256',
      message: `expected ${B}, the SHA-256 of 1.1.0`,
    },
    {
      file: 'content/acme/review/results/2.0.0/a.yml',
      rule: 'results-have-versions',
      key: '',
      message: 'expected a result of a version that exists',
    },
  ])
})

test('the first twenty suites of each version count', () => {
  const suites = Array.from({ length: 21 }, (_, index) => `s${String(index).padStart(2, '0')}`)
  const { good, problems } = check(
    ...suites.toReversed().map((suite) => entry('1.0.0', suite, A)),
    entry('1.1.0', 'a', B),
  )
  expect(good).toHaveLength(21)
  expect(problems.map(({ file, rule }) => `${file} ${rule}`)).toEqual([
    'content/acme/review/results/1.0.0/s20.yml suites-are-few',
  ])
})

test('a model or URL contains no secret', () => {
  const token = `hub_${'Ab3'.repeat(10)}xy1XJz7x`
  expect(checkResult(entry('1.0.0', 'a', A))).toEqual([])
  const found = checkResult({ ...entry('1.0.0', 'a', A), url: `https://ci.example.org/?key=${token}` })
  expect(found.map(({ rule, key }) => `${rule} ${key}`)).toEqual(['holds-no-secret url'])
})
