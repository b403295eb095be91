// Tests the order of lists: quality, top, trending and new, with scores computed by hand. See docs/contract.md section
// 5.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BARE_REPOSITORY } from '../../tests/fixtures/repository-fields.ts'
import { SORTS } from '../domain/api/data-paths.ts'
import type { RepositorySummary, Variable } from '../domain/api/schema.ts'
import { compareText } from '../domain/text/plain-text.ts'
import { orderCatalogue } from './catalogue.ts'
import {
  type QualityInput,
  type RankedRelease,
  type RankedRepository,
  type Ranks,
  rank,
  scoreQuality,
  scoreTop,
  scoreTrending,
} from './ranking.ts'

const DAY = '2026-11-20'

function aSummary(given: Partial<RepositorySummary> = {}): RepositorySummary {
  return {
    ...BARE_REPOSITORY,
    name: 'a',
    full_name: 'acme/a',
    title: 'A',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    ...given,
  }
}

const aVersion = (given: Partial<QualityInput['versions'][0]> = {}) => ({
  changelog: '',
  hasProvenance: false,
  ...given,
})

const aRelease = (given: Partial<RankedRelease> = {}): RankedRelease => ({
  version: '1.0.0',
  previous_version: null,
  published_at: '2026-01-01T00:00:00Z',
  isYanked: false,
  ...given,
})

const aVariable = (description: string, example: Variable['example']): Variable => ({
  name: 'v',
  description,
  type: 'string',
  required: true,
  default: null,
  options: [],
  example,
})

/**
 * A prompt with an undescribed variable and a second version without a changelog. It earns no points by itself, so each
 * case earns points only for what it adds.
 */
const poor: QualityInput = {
  summary: aSummary(),
  hasReadme: false,
  variables: [aVariable('', null)],
  versions: [aVersion(), aVersion()],
}

const unknown: RankedRepository = { summary: aSummary(), quality: 0, releases: [] }

test('offers the sort orders top, trending and new', () => {
  expect(SORTS).toEqual(['top', 'trending', 'new'])
})

describe('quality score', () => {
  test.each<[string, Partial<QualityInput>, number]>([
    ['no optional fields', {}, 0],
    ['a description of 39 characters', { summary: aSummary({ description: 'a'.repeat(39) }) }, 0],
    ['a description of 40 characters', { summary: aSummary({ description: 'a'.repeat(40) }) }, 15],
    ['39 characters of two code units each', { summary: aSummary({ description: '😀'.repeat(39) }) }, 0],
    ['a tag', { summary: aSummary({ tags: ['a'] }) }, 10],
    ['ten tags earn no more than one', { summary: aSummary({ tags: [...'abcdefghij'] }) }, 10],
    ['a license', { summary: aSummary({ license: 'MIT' }) }, 10],
    ['a readme', { hasReadme: true }, 10],
    ['every variable described', { variables: [aVariable('x', null), aVariable('y', null)] }, 20],
    ['one variable without a description', { variables: [aVariable('x', null), aVariable('', null)] }, 0],
    ['an example for every variable', { variables: [aVariable('', 'x'), aVariable('', 'y')] }, 15],
    ['an example of zero or false', { variables: [aVariable('', 0), aVariable('', false)] }, 15],
    ['an empty example does not count', { variables: [aVariable('', '')] }, 0],
    ['one example missing', { variables: [aVariable('', 'x'), aVariable('', null)] }, 0],
    ['no variables', { variables: [] }, 35],
    ['a changelog on every version after the first', { versions: [aVersion({ changelog: 'x' }), aVersion()] }, 10],
    ['one changelog missing', { versions: [aVersion({ changelog: 'x' }), aVersion(), aVersion()] }, 0],
    ['a first version needs no changelog', { versions: [aVersion()] }, 10],
    ['provenance on the latest version', { versions: [aVersion({ hasProvenance: true }), aVersion()] }, 10],
    ['provenance on an older version', { versions: [aVersion(), aVersion({ hasProvenance: true })] }, 0],
    [
      'all optional fields',
      {
        summary: aSummary({ description: 'a'.repeat(40), tags: ['a'], license: 'MIT' }),
        hasReadme: true,
        variables: [],
        versions: [aVersion({ hasProvenance: true })],
      },
      100,
    ],
  ])('%s', (_, given, points) => expect(scoreQuality({ ...poor, ...given })).toBe(points))
})

describe('top score', () => {
  test.each([
    ['no usage counts', null, 0],
    ['no downloads', [0, 0], 0],
    ['9 downloads', [0, 9], 10],
    ['99 downloads', [0, 99], 20],
    ['999 downloads', [0, 999], 30],
    ['downloads of the last week do not count', [99, 9], 10],
  ] as const)('%s', (_, counts, score) => {
    const stats = counts && { downloads_7d: counts[0], downloads_90d: counts[1] }
    expect(scoreTop({ ...unknown, summary: aSummary({ stats }) })).toBeCloseTo(score, 10)
  })

  test('adds a tenth of the quality score', () => {
    const summary = aSummary({ stats: { downloads_7d: 0, downloads_90d: 9 } })
    expect(scoreTop({ ...unknown, summary, quality: 25 })).toBeCloseTo(12.5, 10)
  })
})

describe('trending score', () => {
  // Ages are counted from the end of 20 November, so midnight on the 14th is 7 days ago, on the 7th 14 days, and on 31
  // October 21 days.
  const first = (published_at: string) => aRelease({ published_at })
  const following = (previous_version: string, version: string, published_at: string) =>
    aRelease({ version, previous_version, published_at })

  test.each<[string, RankedRelease[], number]>([
    ['no releases', [], 0],
    ['a first release a week ago', [first('2026-11-14T00:00:00Z')], 2],
    ['a major version a week ago', [following('1.9.9', '2.0.0', '2026-11-14T00:00:00Z')], 2],
    ['a minor version a week ago', [following('1.1.9', '1.2.0', '2026-11-14T00:00:00Z')], 1],
    ['a patch moves nothing up', [following('1.1.1', '1.1.2', '2026-11-14T00:00:00Z')], 0],
    ['a first release two weeks ago', [first('2026-11-07T00:00:00Z')], 1],
    ['a first release three weeks ago', [first('2026-10-31T00:00:00Z')], 0.5],
    ['a first release half a week ago', [first('2026-11-17T12:00:00Z')], 2.8284271247],
    ['a first release 29 days ago', [first('2026-10-23T00:00:00Z')], 0.2264309],
    ['more than 30 days ago', [first('2026-10-21T23:59:59Z')], 0],
    ['the last moment of the day', [first('2026-11-20T23:59:59.999Z')], 4],
    ['a date after the day of the build does not count', [first('2027-06-01T00:00:00Z')], 0],
    ['five minutes after the day of the build', [first('2026-11-21T00:04:59Z')], 4],
    ['version numbers are compared as numbers', [following('9.0.0', '10.0.0', '2026-11-14T00:00:00Z')], 2],
    ['a skipped number', [following('1.0.0', '1.7.0', '2026-11-14T00:00:00Z')], 1],
    [
      'the first version, whatever its number',
      [aRelease({ version: '0.3.2', previous_version: null, published_at: '2026-11-14T00:00:00Z' })],
      2,
    ],
    [
      'only the best version counts',
      [
        following('1.1.0', '1.2.0', '2026-11-07T00:00:00Z'),
        following('1.0.0', '1.1.0', '2026-11-14T00:00:00Z'),
        first('2026-10-31T00:00:00Z'),
      ],
      1,
    ],
    [
      'a new version every day counts no more than one',
      Array.from({ length: 14 }, (_, day) =>
        following(`1.${day}.0`, `1.${day + 1}.0`, `2026-11-${String(day + 1).padStart(2, '0')}T00:00:00Z`),
      ),
      1,
    ],
  ])('%s', (_, releases, score) => {
    expect(scoreTrending({ ...unknown, releases }, DAY)).toBeCloseTo(score, 6)
  })

  test('ignores a yanked version', () => {
    const yanked = { ...first('2026-11-14T00:00:00Z'), isYanked: true }
    expect(scoreTrending({ ...unknown, releases: [yanked] }, DAY)).toBe(0)
  })

  test('counts the downloads of the last 7 days', () => {
    const summary = aSummary({ stats: { downloads_7d: 9, downloads_90d: 0 } })
    expect(scoreTrending({ ...unknown, summary, releases: [first('2026-11-14T00:00:00Z')] }, DAY)).toBeCloseTo(6, 10)
    expect(
      scoreTrending({ ...unknown, summary: aSummary({ stats: { downloads_7d: 99, downloads_90d: 0 } }) }, DAY),
    ).toBeCloseTo(8, 10)
  })

  test('depends on the given day', () => {
    const repository = { ...unknown, releases: [first('2026-11-14T00:00:00Z')] }
    expect(scoreTrending(repository, '2026-11-13')).toBeCloseTo(4, 10)
    expect(scoreTrending(repository, '2026-11-20')).toBeCloseTo(2, 10)
    expect(scoreTrending(repository, '2026-12-20')).toBe(0)
  })
})

describe('ranked lists', () => {
  const aRepository = (full_name: string, summary: Partial<RepositorySummary>): RankedRepository => ({
    ...unknown,
    summary: aSummary({ full_name, ...summary }),
    releases: [aRelease({ version: '1.0.1', previous_version: '1.0.0' }), aRelease()],
  })
  const namesIn = (order: keyof Ranks, repositories: readonly RankedRepository[], day = DAY) => {
    const sorted = repositories.toSorted((a, b) => compareText(a.summary.full_name, b.summary.full_name))
    const places = rank(sorted, { day, originals: new Map() })[order]
    return Array.from(places, (place) => sorted[place]!.summary.full_name)
  }

  test('sorts top, trending and new each in its own order', () => {
    const repositories = [
      aRepository('a/old-and-loved', {
        created_at: '2026-01-01T00:00:00Z',
        stats: { downloads_7d: 0, downloads_90d: 99 },
      }),
      aRepository('a/new-and-unknown', { created_at: '2026-11-19T00:00:00Z' }),
      aRepository('a/busy', { created_at: '2026-05-01T00:00:00Z', stats: { downloads_7d: 9, downloads_90d: 9 } }),
    ]
    expect(namesIn('top', repositories)).toEqual(['a/old-and-loved', 'a/busy', 'a/new-and-unknown'])
    expect(namesIn('trending', repositories)[0]).toBe('a/busy')
    expect(namesIn('new', repositories)).toEqual(['a/new-and-unknown', 'a/busy', 'a/old-and-loved'])
  })

  test('deprecated prompts stand behind active ones, except in new', () => {
    const repositories = [
      aRepository('a/loved', {
        status: 'deprecated',
        created_at: '2026-11-19T00:00:00Z',
        stats: { downloads_7d: 999, downloads_90d: 999 },
      }),
      aRepository('a/unknown', { created_at: '2026-01-01T00:00:00Z' }),
    ]
    const activeFirst = ['a/unknown', 'a/loved']
    expect(namesIn('top', repositories)).toEqual(activeFirst)
    expect(namesIn('trending', repositories)).toEqual(activeFirst)
    expect(namesIn('new', repositories)).toEqual(activeFirst.toReversed())
    // An active copy does not stand behind a deprecated original.
    const originals = new Map([['a/unknown', ['a/loved']]])
    expect([...rank(repositories, { day: DAY, originals }).top]).toEqual([1, 0])
  })

  test.each(['top', 'trending', 'new'] as const)('breaks ties in %s by age, then by full name', (sort) => {
    const repositories = [
      aRepository('b/b', { updated_at: '2026-02-01T00:00:00Z' }),
      aRepository('a/z', { updated_at: '2026-04-01T00:00:00Z' }),
      aRepository('z/z', { created_at: '2025-12-31T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }),
      aRepository('a-b/c', { updated_at: '2026-02-01T00:00:00Z' }),
      aRepository('c/c', { created_at: '2025-12-31T23:59:59.500Z', updated_at: '2026-03-01T00:00:00Z' }),
    ]
    const oldestFirst = ['z/z', 'c/c', 'a-b/c', 'a/z', 'b/b']
    // In `new`, age is the order itself.
    const expected = sort === 'new' ? ['a-b/c', 'a/z', 'b/b', 'c/c', 'z/z'] : oldestFirst
    expect(namesIn(sort, repositories)).toEqual(expected)
  })

  test('orders are the same, whichever orders they follow from', () => {
    const entry = fc.record({
      isListed: fc.boolean(),
      created: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
      downloads: fc.constantFrom(0, 9, 99),
      content: fc.constantFrom('Short', 'One text '.repeat(30), 'Another text '.repeat(30)),
      status: fc.constantFrom('active' as const, 'deprecated' as const),
    })
    const content = fc.dictionary(fc.constantFrom(...'abcdefgh'), entry)
    const entriesOf = (repositories: Record<string, typeof entry extends fc.Arbitrary<infer Value> ? Value : never>) =>
      new Map(
        Object.entries(repositories).map(([name, { isListed, created, downloads, content, status }]) => {
          const stats = { downloads_7d: downloads, downloads_90d: downloads }
          const one = aRepository(`a/${name}`, { created_at: created, updated_at: created, stats, status })
          return [`a/${name}`, { ...one, isListed, repository: { content } }]
        }),
      )
    fc.assert(
      fc.property(content, content, (before, after) => {
        const last = orderCatalogue(entriesOf(before), { day: DAY })
        const now = entriesOf(after)
        expect(orderCatalogue(now, { day: DAY }, last)).toEqual(orderCatalogue(now, { day: DAY }))
      }),
    )
  })

  test.each(['top', 'trending', 'new'] as const)('a date from the future leads no list: %s', (sort) => {
    const future = { published_at: '2026-11-27T00:00:00Z' }
    const wrong = (full_name: string, created_at: string) => ({
      ...aRepository(full_name, { created_at, updated_at: future.published_at }),
      releases: [aRelease(future)],
    })
    const repositories = [
      wrong('a/only-version', future.published_at),
      wrong('b/second-version', '2026-10-01T00:00:00Z'),
      aRepository('c/c', { created_at: '2026-11-01T00:00:00Z', updated_at: '2026-11-19T00:00:00Z' }),
      aRepository('d/old', { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }),
    ]
    const expected = {
      top: ['d/old', 'b/second-version', 'c/c', 'a/only-version'],
      trending: ['d/old', 'b/second-version', 'c/c', 'a/only-version'],
      new: ['c/c', 'b/second-version', 'd/old', 'a/only-version'],
    }
    expect(namesIn(sort, repositories)).toEqual(expected[sort])
    expect(namesIn('recent', repositories)).toEqual(expected.new)
    // From that day on, the date counts.
    expect(namesIn('new', repositories, '2026-11-27')[0]).toBe('a/only-version')
  })

  test('compares times as points in time, not as strings', () => {
    const at = (time: string) => ({ created_at: time, updated_at: time })
    const repositories = [
      aRepository('a/a', at('2026-02-01T00:00:00Z')),
      aRepository('b/b', at('2026-02-01T00:00:00.1Z')),
    ]
    expect(namesIn('new', repositories)).toEqual(['b/b', 'a/a'])
    expect(namesIn('recent', repositories)).toEqual(['b/b', 'a/a'])
  })
})

test.each([
  ['a', 'b', -1],
  ['b', 'a', 1],
  ['a', 'a', 0],
  ['Z', 'a', -1],
  ['a-b', 'a/b', -1],
  ['a', 'ä', -1],
])('compares strings by code unit: %s and %s', (a, b, order) => expect(compareText(a, b)).toBe(order))
