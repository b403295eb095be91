// Tests how the catalogue lists repositories: latest versions, states, tags and sort orders. See docs/contract.md
// section 5.
import { describe, expect, test } from 'vitest'
import { build, full } from '../../tests/fixtures/catalogues.ts'
import { anIndex, aRepository, aTree, aVersion } from '../../tests/fixtures/records.ts'
import { joinCatalogue, orderCatalogue } from './catalogue.ts'

describe('repository status', () => {
  const catalogue = build(
    aTree([
      aRepository('acme/active', { file: anIndex({ tags: ['x'] }) }),
      aRepository('acme/deprecated', { file: anIndex({ status: 'deprecated', status_message: 'Old', tags: ['x'] }) }),
      aRepository('acme/archived', { file: anIndex({ status: 'archived', tags: ['x', 'y'] }) }),
    ]),
  )

  test('an archived repository stays readable, but leaves all lists, tags and users', () => {
    expect([...catalogue.entries.keys()]).toEqual(['acme/active', 'acme/archived', 'acme/deprecated'])
    expect(catalogue.entries.get('acme/archived')).toMatchObject({
      isListed: false,
      repository: { status: 'archived', content: 'Text of 1.0.0\n' },
    })
    for (const sort of ['top', 'trending', 'new'] as const)
      expect(catalogue.listed[sort].map(({ name }) => name)).toEqual(['active', 'deprecated'])
    expect(catalogue.tags).toEqual([{ name: 'x', count: 2, url: 'https://hub.test/api/v1/repos?tag=x' }])
    expect(catalogue.users.get('acme')!.repos.map(({ name }) => name)).toEqual(['active', 'deprecated'])
  })

  test('a deprecated repository is listed with its message', () => {
    expect(catalogue.listed.top[1]).toMatchObject({ name: 'deprecated', status: 'deprecated', status_message: 'Old' })
  })
})

describe('the latest version', () => {
  test.each([
    ['the highest number, not the last published version', ['1.10.0', '1.9.0', '1.2.0'], {}, '1.10.0'],
    ['never a yanked version', ['1.0.0', '2.0.0'], { '2.0.0': 'x' }, '1.0.0'],
    ['not even one yanked without a reason', ['1.0.0', '2.0.0'], { '2.0.0': '' }, '1.0.0'],
  ])('%s', (_, numbers, yanked, latest) => {
    const repository = aRepository('acme/a', {
      file: anIndex({ yanked }),
      versions: numbers.map((number) => aVersion(number)),
    })
    expect(build(aTree([repository])).entries.get('acme/a')!.repository).toMatchObject({
      latest_version: latest,
      content: `Text of ${latest}\n`,
    })
  })
})

test('the previous version is the next lower number, even if yanked, whatever the dates', () => {
  const versions = [
    aVersion('1.0.0', { published_at: '2026-11-05T00:00:00Z' }),
    aVersion('1.0.1', { published_at: '2026-11-01T00:00:00Z' }),
    aVersion('1.10.0'),
    aVersion('1.9.0'),
  ]
  const { versions: built, summary: record } = build(
    aTree([aRepository('acme/a', { file: anIndex({ yanked: { '1.9.0': 'x' } }), versions })]),
  ).entries.get('acme/a')!
  expect(built.map(({ record: { version, previous_version } }) => [version, previous_version])).toEqual([
    ['1.10.0', '1.9.0'],
    ['1.9.0', '1.0.1'],
    ['1.0.1', '1.0.0'],
    ['1.0.0', null],
  ])
  expect([record.created_at, record.updated_at]).toEqual(['2026-11-01T00:00:00Z', '2026-11-05T00:00:00Z'])
})

test('a yanked version does not count towards trending', () => {
  const versions = [
    aVersion('1.0.0', { published_at: '2026-01-01T00:00:00Z' }),
    aVersion('2.0.0', { published_at: '2026-11-20T00:00:00Z' }),
  ]
  const catalogue = build(
    aTree([
      aRepository('acme/a', { file: anIndex({ yanked: { '2.0.0': 'x' } }), versions }),
      aRepository('acme/b', { versions: [aVersion('1.0.0', { published_at: '2026-11-10T00:00:00Z' })] }),
    ]),
  )
  expect(catalogue.listed.trending.map(({ name }) => name)).toEqual(['b', 'a'])
})

test('sorts tags by count, then by name, including names such as constructor', () => {
  const tagged = (name: string, tags: string[]) => aRepository(`acme/${name}`, { file: anIndex({ tags }) })
  const { tags } = build(
    aTree([tagged('a', ['b', 'constructor', 'c']), tagged('b', ['c', 'a']), tagged('c', ['c', 'b'])]),
  )
  expect(tags).toStrictEqual([
    { name: 'c', count: 3, url: 'https://hub.test/api/v1/repos?tag=c' },
    { name: 'b', count: 2, url: 'https://hub.test/api/v1/repos?tag=b' },
    { name: 'a', count: 1, url: 'https://hub.test/api/v1/repos?tag=a' },
    { name: 'constructor', count: 1, url: 'https://hub.test/api/v1/repos?tag=constructor' },
  ])
})

test('the order of the input files does not matter', () => {
  const repositories = [
    aRepository('b/b'),
    aRepository('a/b', { versions: [aVersion('1.0.0'), aVersion('1.1.0')] }),
    full,
  ]
  const turned = repositories
    .toReversed()
    .map((repository) => ({ ...repository, versions: repository.versions.toReversed() }))
  const [one, other] = [build(aTree(repositories)), build(aTree(turned))]
  expect(JSON.stringify([...other.entries, other.listed, other.tags, ...other.users])).toBe(
    JSON.stringify([...one.entries, one.listed, one.tags, ...one.users]),
  )
})

test('an empty catalogue has empty lists', () => {
  const { entries, listed, tags, users } = build(aTree([]))
  expect([entries.size, listed, tags, users.size]).toEqual([0, { top: [], trending: [], new: [] }, [], 0])
})

test('orders that another thread made give the same catalogue', () => {
  const words = 'one two three four five six seven eight nine ten '.repeat(3)
  const tree = aTree([
    aRepository('b/copy', { versions: [aVersion('1.0.1', { content: words, published_at: '2026-11-02T00:00:00Z' })] }),
    aRepository('acme/archived', { file: anIndex({ status: 'archived' }) }),
    aRepository('c/original', { versions: [aVersion('1.0.0', { content: words })] }),
    aRepository('a/fork', { file: anIndex({ forked_from: 'c/original@1.0.0', tags: ['x'] }) }),
  ])
  const [{ entries, ...catalogue }, options] = [build(tree), { baseUrl: 'https://hub.test', day: '2026-11-20' }]
  const unsorted = new Map([...entries].toReversed())
  const orders = structuredClone(orderCatalogue(unsorted, options))
  const { entries: joined, ...again } = joinCatalogue({ ...tree, entries: unsorted }, options, orders)
  expect(again).toEqual(catalogue)
  expect([...joined]).toEqual([...entries])
  expect(again.listed.new.map(({ full_name }) => full_name)).toEqual(['c/original', 'b/copy', 'a/fork'])
})
