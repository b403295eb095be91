// Tests the lists of who includes a prompt, and of an owner's prompts that include others.

import { expect, test } from 'vitest'
import { pointing } from '../../tests/fixtures/labels.ts'
import { anIndex, aRepository, aTree, aVersion } from '../../tests/fixtures/records.ts'
import type { RepositoryEntry } from '../domain/content/content-tree.ts'
import { digestText } from '../files/measure.ts'
import { buildCatalogue } from './catalogue.ts'
import { listDataFiles } from './published/data-files.ts'

/** A part of the content of a version. */
const include = (address: string, range: string, start = 0) => {
  const [repository = '', version = ''] = address.split('@')
  return { repository, range, version, content_sha256: 'a'.repeat(64), start, length: 4, variables: [], through: [] }
}

function filesOf(...repositories: RepositoryEntry[]): Map<string, { data: Record<string, unknown>[]; meta: object }> {
  const catalogue = buildCatalogue(aTree(repositories), { baseUrl: 'https://hub.test', day: '2026-11-20' })
  const files = [...listDataFiles(catalogue, digestText)]
  return new Map(
    files
      .filter(([path]) => path.startsWith('/data/v1/dependents/') || path.endsWith('/composed.json'))
      .map(([path, text]) => [path, JSON.parse(text)]),
  )
}

const style = aRepository('acme/style', {
  file: anIndex({ yanked: { '1.4.0': 'Wrong' }, labels: pointing({ stable: '1.0.0' }) }),
  versions: ['1.0.0', '1.4.0', '1.5.0', '2.0.0'].map((version) => aVersion(version)),
})

test('lists the prompts that include a prompt by their latest versions, each with its ranges and versions once', () => {
  const files = filesOf(
    style,
    aRepository('acme/review', {
      file: anIndex({ title: 'Review' }),
      versions: [
        aVersion('1.0.0', { includes: [include('acme/other@1.0.0', '*')] }),
        aVersion('1.1.0', {
          includes: [
            include('acme/style@1.4.0', '^1'),
            include('acme/style@1.4.0', '^1', 5),
            include('acme/style@1.0.0', 'stable', 10),
          ],
        }),
      ],
    }),
    aRepository('mona/no-longer', {
      versions: [aVersion('1.0.0', { includes: [include('acme/style@1.0.0', '*')] }), aVersion('1.0.1')],
    }),
    aRepository('mona/archived', {
      file: anIndex({ status: 'archived' }),
      versions: [aVersion('1.0.0', { includes: [include('acme/style@1.0.0', '*')] })],
    }),
  )
  expect([...files.keys()]).toEqual(['/data/v1/dependents/acme/style.json', '/data/v1/users/acme/composed.json'])
  expect(files.get('/data/v1/dependents/acme/style.json')).toEqual({
    data: [
      {
        full_name: 'acme/review',
        title: 'Review',
        version: '1.1.0',
        includes: [
          { range: '^1', version: '1.4.0' },
          { range: 'stable', version: '1.0.0' },
        ],
        url: 'https://hub.test/api/v1/repos/acme/review',
        html_url: 'https://hub.test/acme/review',
      },
    ],
    meta: { page: 1, pages: 1, total: 1 },
  })
  expect(files.get('/data/v1/users/acme/composed.json')?.data).toEqual([
    {
      full_name: 'acme/review',
      version: '1.1.0',
      includes: [
        // 1.4.0 was yanked.
        { repository: 'acme/style', range: '^1', version: '1.4.0', wanted: '1.5.0' },
        { repository: 'acme/style', range: 'stable', version: '1.0.0', wanted: '1.0.0' },
      ],
      url: 'https://hub.test/api/v1/repos/acme/review',
    },
  ])
})

//  what                                    the part                                         range      wanted
test.each([
  ['a range with only yanked versions', style, '~1.4.0', null],
  ['a label that was removed', style, 'gone', null],
  ['a version', style, '2.0.0', '2.0.0'],
  ['a prompt that moved', { ...style, file: anIndex({ moved_to: 'mona/style' }) }, '*', null],
  ['an archived prompt', { ...style, file: anIndex({ status: 'archived' }) }, '*', '2.0.0'],
  ['a prompt that is gone', aRepository('acme/unrelated'), '*', null],
] as const)('%s: what is wanted', (_, part, range, wanted) => {
  const composed = aRepository('mona/x', {
    versions: [aVersion('1.0.0', { includes: [include('acme/style@1.0.0', range)] })],
  })
  const [prompt] = filesOf(part, composed).get('/data/v1/users/mona/composed.json')?.data ?? []
  expect(prompt?.includes).toMatchObject([{ version: '1.0.0', wanted }])
})

test('a part with 1,200 dependents: the first 1,000 by `top`, and their number', () => {
  const dependents = Array.from({ length: 1_200 }, (_, index) =>
    aRepository(`mona/p-${index}`, {
      versions: [aVersion('1.0.0', { includes: [include('acme/style@1.5.0', '^1')] })],
    }),
  )
  const { data = [], meta } = filesOf(style, ...dependents).get('/data/v1/dependents/acme/style.json') ?? {}
  expect([data.length, meta]).toEqual([1_000, { page: 1, pages: 1, total: 1_200 }])
})
