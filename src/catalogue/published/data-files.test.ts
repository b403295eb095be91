// Tests which data files a catalogue has and what they contain: every read response except search, as a static file.
// See docs/contract.md section 4.

import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { pointing } from '../../../tests/fixtures/labels.ts'
import { anIndex, anOwner, aRepository, aTree, aVersion } from '../../../tests/fixtures/records.ts'
import { words } from '../../../tests/words.ts'
import { readContentDir } from '../../content/content-dir.ts'
import { listEnvelope } from '../../domain/api/envelope.ts'
import { digestText } from '../../files/measure.ts'
import { buildCatalogue } from '../catalogue.ts'
import type { ContentTree } from '../content-tree.ts'
import { listDataFiles } from './data-files.ts'
import { onOnePage } from './format-data.ts'

const filesOf = (tree: ContentTree) => [
  ...listDataFiles(buildCatalogue(tree, { baseUrl: 'https://hub.test', day: '2026-11-20' }), digestText),
]
const read = (files: readonly (readonly [string, string])[], path: string) => JSON.parse(new Map(files).get(path)!)

describe('a small catalogue', () => {
  const files = filesOf(
    aTree(
      [
        aRepository('acme/a', {
          file: anIndex({ tags: ['x', 'y'], yanked: { '1.1.0': 'wrong' } }),
          versions: [aVersion('1.0.0', { content: '\ufeffa\r\n---' }), aVersion('1.1.0')],
        }),
        aRepository('acme/archived', { file: anIndex({ tags: ['z'], status: 'archived' }) }),
        aRepository('mona/gone', { file: anIndex({ tags: ['z'], yanked: { '1.0.0': 'wrong' } }) }),
      ],
      { owners: { acme: anOwner({ name: 'Acme' }) } },
    ),
  )

  test('has exactly the expected files', () => {
    expect(files.map(([path]) => path).sort()).toEqual(words`
      /data/accounts/unlisted/acme.json /data/accounts/unlisted/mona.json
      /data/accounts/usage/acme.json /data/accounts/usage/mona.json
      /data/v1/index.json
      /data/v1/lists/new/1.json /data/v1/lists/recent.json /data/v1/lists/top/1.json /data/v1/lists/trending/1.json
      /data/v1/models.json /data/v1/openapi.json
      /data/v1/repos/acme/a.json /data/v1/repos/acme/a/changes.json /data/v1/repos/acme/a/raw.txt
      /data/v1/repos/acme/a/raw/1.0.0.txt /data/v1/repos/acme/a/raw/1.1.0.txt /data/v1/repos/acme/a/versions.json
      /data/v1/repos/acme/a/versions/1.0.0.json /data/v1/repos/acme/a/versions/1.1.0.json /data/v1/repos/acme/a/versions/pages/1.json
      /data/v1/repos/acme/archived.json /data/v1/repos/acme/archived/changes.json /data/v1/repos/acme/archived/raw.txt
      /data/v1/repos/acme/archived/raw/1.0.0.txt /data/v1/repos/acme/archived/versions.json
      /data/v1/repos/acme/archived/versions/1.0.0.json /data/v1/repos/acme/archived/versions/pages/1.json
      /data/v1/repos/mona/gone.json /data/v1/repos/mona/gone/changes.json /data/v1/repos/mona/gone/raw/1.0.0.txt
      /data/v1/repos/mona/gone/versions.json /data/v1/repos/mona/gone/versions/1.0.0.json /data/v1/repos/mona/gone/versions/pages/1.json
      /data/v1/tags.json
      /data/v1/tags/x/new/1.json /data/v1/tags/x/recent.json /data/v1/tags/x/top/1.json
      /data/v1/tags/x/trending/1.json /data/v1/tags/y/new/1.json /data/v1/tags/y/recent.json
      /data/v1/tags/y/top/1.json /data/v1/tags/y/trending/1.json
      /data/v1/users.json
      /data/v1/users/acme.json /data/v1/users/mona.json
    `)
  })

  test('lists have data and meta', () => {
    for (const path of ['/data/v1/index.json', '/data/v1/lists/top/1.json', '/data/v1/tags/x/new/1.json']) {
      expect(Object.keys(read(files, path))).toEqual(['data', 'meta'])
      expect(read(files, path)).toMatchObject({
        data: [{ full_name: 'acme/a' }],
        meta: { page: 1, pages: 1, total: 1 },
      })
    }
    expect(read(files, '/data/v1/tags.json')).toEqual({
      data: [
        { name: 'x', count: 1, url: 'https://hub.test/api/v1/repos?tag=x' },
        { name: 'y', count: 1, url: 'https://hub.test/api/v1/repos?tag=y' },
      ],
      meta: { page: 1, pages: 1, total: 2 },
    })
    expect(read(files, '/data/v1/repos/acme/a/versions.json')).toMatchObject({
      data: [
        { version: '1.1.0', yanked: true },
        { version: '1.0.0', yanked: false },
      ],
      meta: { page: 1, pages: 1, total: 2 },
    })
  })

  test('single records have only data', () => {
    for (const [path, record] of [
      ['/data/v1/repos/acme/a.json', { full_name: 'acme/a', latest_version: '1.0.0' }],
      ['/data/v1/repos/acme/a/versions/1.1.0.json', { version: '1.1.0', previous_version: '1.0.0' }],
      ['/data/v1/users/acme.json', { handle: 'acme', name: 'Acme', repos_count: 1 }],
    ] as const) {
      expect(Object.keys(read(files, path))).toEqual(['data'])
      expect(read(files, path)).toMatchObject({ data: record })
    }
  })

  test('raw files are the exact content, of the latest version by default', () => {
    const byPath = new Map(files)
    expect(byPath.get('/data/v1/repos/acme/a/raw.txt')).toBe('\ufeffa\r\n---')
    expect(byPath.get('/data/v1/repos/acme/a/raw/1.0.0.txt')).toBe('\ufeffa\r\n---')
    expect(byPath.get('/data/v1/repos/acme/a/raw/1.1.0.txt')).toBe('Text of 1.1.0\n')
    expect(read(files, '/data/v1/repos/acme/a.json').data.content).toBe('\ufeffa\r\n---')
  })

  test('openapi.json contains the URL of this hub', () => {
    expect(read(files, '/data/v1/openapi.json')).toMatchObject({
      openapi: '3.1.1',
      servers: [{ url: 'https://hub.test' }],
    })
  })
})

test('changes.json has the newest changes up to 262,144 bytes, and counts all', () => {
  // Each version replaces all of its variables and all of its parameters.
  const versions = Array.from({ length: 60 }, (_, at) =>
    aVersion(`1.${at}.0`, {
      variables: Array.from({ length: 64 }, (_, each) => ({
        name: `v${at}_${each}`,
        description: 'd'.repeat(400),
        type: 'string' as const,
        required: false,
        default: 'x'.repeat(200),
        options: [],
        example: 'y'.repeat(200),
      })),
      parameters: Object.fromEntries(Array.from({ length: 30 }, (_, each) => [`${'k'.repeat(200)}${at}_${each}`, 1])),
    }),
  )
  const files = filesOf(aTree([aRepository('acme/a', { versions })]))
  const path = '/data/v1/repos/acme/a/changes.json'
  const text = new Map(files).get(path)!
  expect(Buffer.byteLength(text)).toBeGreaterThan(200_000)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(262_144 + 1_000)
  const { data, meta } = JSON.parse(text)
  expect(meta).toEqual({ page: 1, pages: 1, total: 59 })
  expect(data[0]).toMatchObject({ from: '1.58.0', to: '1.59.0', variables: { added_required: [] } })
  expect(data[0].variables.added).toHaveLength(64)
  expect(data[0].variables.added[0]).toBe('v59_0')
  expect(text).not.toContain('xxx')
})

test('page 1 exists when the catalogue is empty', () => {
  const files = filesOf(aTree([]))
  expect(files.map(([path]) => path)).toEqual(words`
    /data/v1/index.json /data/v1/lists/top/1.json /data/v1/lists/trending/1.json /data/v1/lists/new/1.json
    /data/v1/lists/recent.json /data/v1/tags.json /data/v1/users.json /data/v1/models.json /data/v1/openapi.json
  `)
  for (const [path, text] of files.slice(0, 8))
    expect([path, text]).toEqual([path, '{"data":[],"meta":{"page":1,"pages":0,"total":0}}'])
})

describe('pagination', () => {
  const pages = (count: number) => {
    const tree = aTree(
      Array.from({ length: count }, (_, at) =>
        aRepository(`acme/r${String(at).padStart(3, '0')}`, { file: anIndex({ tags: ['t'] }) }),
      ),
    )
    const files = filesOf(tree)
    return {
      files,
      lists: files.map(([path]) => path).filter((path) => path.startsWith('/data/v1/lists/top/')),
      tagged: files.map(([path]) => path).filter((path) => path.startsWith('/data/v1/tags/t/new/')),
    }
  }

  test.each([
    [1, 1],
    [20, 1],
    [21, 2],
    [40, 2],
    [41, 3],
  ])('%i repositories fill %i pages of 20', (count, expected) => {
    const { files, lists, tagged } = pages(count)
    expect(lists).toEqual(
      ['/data/v1/lists/top/1.json', '/data/v1/lists/top/2.json', '/data/v1/lists/top/3.json'].slice(0, expected),
    )
    expect(tagged).toEqual(
      ['/data/v1/tags/t/new/1.json', '/data/v1/tags/t/new/2.json', '/data/v1/tags/t/new/3.json'].slice(0, expected),
    )
    const envelopes = lists.map((path) => read(files, path))
    expect(envelopes.map(({ meta }) => meta)).toEqual(
      envelopes.map((_, at) => ({ page: at + 1, pages: expected, total: count })),
    )
    const names = envelopes.flatMap(({ data }) => data.map(({ name }: { name: string }) => name))
    expect(names).toEqual(Array.from({ length: count }, (_, at) => `r${String(at).padStart(3, '0')}`))
    expect(read(files, '/data/v1/index.json')).toMatchObject({ meta: { page: 1, pages: 1, total: count } })
    expect(read(files, '/data/v1/index.json').data).toHaveLength(count)
  })

  test.each([
    [0, 20, 0],
    [1, 20, 1],
    [20, 20, 1],
    [21, 20, 2],
  ])('%i records at %i per page give %i pages', (total, size, count) => {
    expect(listEnvelope([], { page: 1, size, total })).toEqual({ data: [], meta: { page: 1, pages: count, total } })
  })

  test('a list without pagination has 1 page, or 0 when it is empty', () => {
    expect(onOnePage([])).toBe('{"data":[],"meta":{"page":1,"pages":0,"total":0}}')
    expect(onOnePage(Array(1000).fill({}))).toContain('"meta":{"page":1,"pages":1,"total":1000}')
  })
})

test('index.json tells a mirror which records have changed', () => {
  const before = filesOf(aTree([aRepository('acme/a'), aRepository('acme/b')]))
  const after = filesOf(
    aTree([aRepository('acme/a'), aRepository('acme/b', { file: anIndex({ description: 'New' }) })]),
  )
  const entries = (files: ReturnType<typeof filesOf>) => read(files, '/data/v1/index.json').data
  for (const files of [before, after])
    for (const { owner, name, latest_sha256, record_sha256 } of entries(files)) {
      const path = `/data/v1/repos/${owner}/${name}.json`
      expect(record_sha256, path).toBe(createHash('sha256').update(new Map(files).get(path)!, 'utf8').digest('hex'))
      expect(latest_sha256, path).toBe('a'.repeat(64))
    }
  const digests = (files: ReturnType<typeof filesOf>) =>
    new Map(entries(files).map((entry: Record<string, string>) => [entry.name, entry.record_sha256]))
  expect(digests(after).get('a')).toBe(digests(before).get('a'))
  expect(digests(after).get('b')).not.toBe(digests(before).get('b'))
  expect(read(before, '/data/v1/lists/top/1.json').data[0]).not.toHaveProperty('record_sha256')
})

test('index.json has the same order as the top list', () => {
  const files = filesOf(
    aTree([aRepository('acme/a'), aRepository('acme/b'), aRepository('acme/c')], {
      usage: { 'acme/c': [0, 99], 'acme/b': [0, 9] },
    }),
  )
  expect(read(files, '/data/v1/index.json').data.map(({ name }: { name: string }) => name)).toEqual(['c', 'b', 'a'])
})

test('treats names such as constructor like any other name', () => {
  const files = filesOf(
    aTree([
      aRepository('constructor/tostring', {
        file: anIndex({ tags: ['constructor'], labels: pointing({ valueof: '1.0.0' }) }),
      }),
    ]),
  )
  expect(read(files, '/data/v1/tags/constructor/top/1.json').data[0].full_name).toBe('constructor/tostring')
  expect(read(files, '/data/v1/users/constructor.json').data.handle).toBe('constructor')
})

test('the starter catalogue always gives the same files, with unique paths', () => {
  const { tree } = readContentDir('content')
  const [one, other] = [filesOf(tree), filesOf({ ...tree, repositories: new Map([...tree.repositories].toReversed()) })]
  expect(other).toEqual(one)
  expect(new Set(one.map(([path]) => path)).size).toBe(one.length)
  expect(new Set(one.map(([path]) => path.toLowerCase())).size).toBe(one.length)
})

test('the list of forks leaves out unlisted forks', () => {
  const files = filesOf(
    aTree([
      aRepository('acme/a'),
      aRepository('mona/fork', { file: anIndex({ forked_from: 'acme/a@1.0.0' }) }),
      aRepository('mona/old', { file: anIndex({ forked_from: 'acme/a@1.0.0', status: 'archived' }) }),
      aRepository('mona/orphan', { file: anIndex({ forked_from: 'acme/gone@1.0.0' }) }),
    ]),
  )
  const { data } = read(files, '/data/v1/forks/acme/a.json')
  expect(data.map(({ full_name }: { full_name: string }) => full_name)).toEqual(['mona/fork'])
  expect(files.filter(([path]) => path.startsWith('/data/v1/forks/')).map(([path]) => path)).toEqual([
    '/data/v1/forks/acme/a.json',
    '/data/v1/forks/acme/gone.json',
  ])
})

test('only a hub for readers has the workflows that its owners trust', () => {
  const trusted = {
    repository: 'octo/prompts',
    repository_id: '12',
    repository_owner_id: '34',
    workflow: 'publish.yml',
  }
  const owner = anOwner({ trusted_publishers: [{ ...trusted, permissions: ['publish'] }] })
  const tree = aTree([aRepository('acme/a')], { owners: { acme: owner, mona: owner } })
  const options = { baseUrl: 'https://hub.test', day: '2026-11-20' }
  const jobsOf = (isForReaders: boolean) =>
    [...listDataFiles(buildCatalogue(tree, { ...options, isForReaders }), digestText)]
      .filter(([path]) => path.startsWith('/data/accounts/jobs/'))
      .map(([path, text]) => [path, JSON.parse(text).length])
  expect(jobsOf(false)).toEqual([])
  expect(jobsOf(true)).toEqual([['/data/accounts/jobs/12.json', 2]])
})
