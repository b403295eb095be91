// Tests that every shared file is found at its path alone: lists, tags, owners and the sitemap.
// See docs/contract.md section 4.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pointing } from '../../../tests/fixtures/labels.ts'
import { anIndex, anOwner, aRepository, aTree, aVersion } from '../../../tests/fixtures/records.ts'
import { words } from '../../../tests/words.ts'
import { findSharedFile, listSharedPaths } from '../../build/shared-files.ts'
import { digestText } from '../../files/measure.ts'
import { joinCatalogue, orderCatalogue } from '../catalogue.ts'
import { makeEntry } from '../entry.ts'
import { digestRecords } from './data-files.ts'

const NAMES = words`a b constructor tostring`
const anIncluded = { repository: 'acme/a', range: '^1.0.0', version: '1.0.0' }

/** Prompts that may be unlisted, forked, labelled or active. */
const somePrompts = fc.uniqueArray(
  fc.record({
    at: fc.nat(59),
    owner: fc.constantFrom(...NAMES),
    tags: fc.subarray(words`t u constructor`),
    labels: fc.constantFrom({}, pointing({ production: '1.0.0' })),
    status: fc.constantFrom('active' as const, 'active' as const, 'archived' as const),
    forked_from: fc.constantFrom(null, 'acme/a@1.0.0', 'gone/gone@1.0.0'),
  }),
  { selector: ({ at }) => at, maxLength: 60 },
)
type SomePrompts = typeof somePrompts extends fc.Arbitrary<infer Prompts> ? Prompts : never

/** Prompts whose catalogue has every kind of file. */
const allKinds: SomePrompts = Array.from({ length: 50 }, (_, at) => ({
  at,
  owner: NAMES[at % 4]!,
  tags: ['constructor'],
  labels: pointing({ production: '1.0.0' }),
  status: at < 8 ? 'archived' : 'active',
  forked_from: at % 2 === 0 ? 'gone/gone@1.0.0' : null,
}))

function buildSite(prompts: SomePrompts) {
  const skill = { description: 'd', license: null }
  const repositories = prompts.map(({ at, owner, ...file }) =>
    aRepository(`${owner}/r${at}`, {
      file: anIndex({ ...file, ...(file.status === 'archived' && { labels: {} }) }),
      versions: [
        aVersion('1.0.0', { ...(at % 3 === 0 && { skill }), ...(at % 4 === 0 && { parameters: { model: 'm' } }) }),
      ],
    }),
  )
  const job = { repository: 'o/p', repository_id: '12', repository_owner_id: '3', workflow: 'p.yml' }
  const owner = anOwner({
    members: ['joe', 7, 'oidc:joe@acme.test'],
    trusted_publishers: [{ ...job, permissions: ['publish'] }],
  })
  const models = new Map([['m', { model: 'm', retires_at: '2027-01-01', replacement: null }]])
  const tree = aTree([aRepository('acme/a'), ...repositories], { owners: { acme: owner } })
  const options = { baseUrl: 'https://hub.test', day: '2026-11-20', isForReaders: true }
  const entries = new Map(
    tree.repositories.entries().map(([name, files]) => {
      const entry = makeEntry(files, { ...options, models: tree.models, stats: null })
      const includes = name.endsWith('5') && { includes: [anIncluded] }
      return [name, { ...entry, ...includes, digests: digestRecords(entry, digestText) }]
    }),
  )
  return joinCatalogue({ ...tree, models, entries } as never, options, orderCatalogue(entries, options))
}

/** Returns paths that are slightly off. */
function misspell(path: string): string[] {
  const parts = path.split('/')
  return [
    ...parts.map((_, at) => parts.with(at, '__proto__').join('/')),
    ...parts.map((_, at) => parts.with(at, '').join('/')),
    ...['0', '00', '-1', '1.0', '1e0', '01', '99', ' 1', '١'].map((page) => path.replace(/\d+(?=\.\w+$)/, page)),
    ...[`${path}/`, `/${path}`, `${path}.json`, path.replace('.json', ''), path.replace('.', 'x'), `${path}\n`],
    ...[path.toUpperCase(), path.replace('/data', ''), `https://hub.test${path}`],
    ...['top', 'trending', 'new'].map((sort) => path.replace(sort, 'valueOf')),
  ]
}

test('every listed file is found, and nothing at any other path', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(somePrompts, (prompts) => {
      const catalogue = buildSite(prompts)
      const paths = new Set(listSharedPaths(catalogue))
      for (const path of paths) {
        seen.add(path)
        expect(findSharedFile(catalogue, path), path).toMatch(/^(?:[[{].*[\]}]$|<\?xml )/)
        for (const other of misspell(path))
          if (!paths.has(other)) expect(findSharedFile(catalogue, other), other).toBe(undefined)
      }
      for (const other of ['', '/', '/data/v1/repos/acme/a.json', '/data/v1/activity/acme/a.json', '/sitemap-1.xml'])
        expect(findSharedFile(catalogue, other), other).toBe(undefined)
    }),
    { numRuns: 20, examples: [[allKinds]] },
  )
  const oidc = Buffer.from('oidc:joe@acme.test').toString('hex')
  expect([...seen]).toEqual(
    expect.arrayContaining([
      ...words`/data/v1/index.json /data/v1/lists/recent.json /data/v1/lists/top/2.json /data/v1/lists/new/1.json`,
      ...words`/data/v1/tags.json /data/v1/tags/constructor/recent.json /data/v1/tags/constructor/trending/2.json`,
      ...words`/data/v1/users.json /data/v1/users/tostring.json /data/v1/users/a/labels/production.json`,
      ...words`/data/v1/users/b/composed.json /data/v1/dependents/acme/a.json /data/v1/forks/gone/gone.json`,
      ...words`/data/v1/skills.json /data/v1/skills/constructor.json /data/v1/models.json /data/v1/marketplace.json /data/v1/openapi.json`,
      '/sitemap.xml',
      ...words`/data/accounts/usage/acme.json /data/accounts/unlisted/a.json /data/accounts/acme.json`,
      ...[`/data/accounts/oidc/${oidc}.json`, '/data/accounts/ids/7.json', '/data/accounts/jobs/12.json'],
    ]),
  )
})

test('a sitemap with more than 50,000 addresses has several files', () => {
  const files = aRepository('acme/a')
  const { releases, ...entry } = makeEntry(files, { baseUrl: 'https://hub.test', models: new Map(), stats: null })
  const digests = { latest: null, words: null, record: '', skill: null }
  const old = Array.from({ length: 30_000 }, (_, at) => ({ ...releases[0]!, version: `0.0.${at}` }))
  const entries = new Map(
    words`acme/a acme/b`.map((full_name) => [
      full_name,
      { ...entry, digests, summary: { ...entry.summary, full_name }, releases: [...releases, ...old] },
    ]),
  )
  const options = { baseUrl: 'https://hub.test', day: '2026-11-20' }
  const catalogue = joinCatalogue({ ...aTree([]), entries } as never, options, orderCatalogue(entries, options))
  const paths = listSharedPaths(catalogue).filter((path) => path.startsWith('/sitemap'))
  expect(paths).toEqual(['/sitemap.xml', '/sitemap-1.xml', '/sitemap-2.xml'])
  const [index, ...parts] = paths.map((path) => findSharedFile(catalogue, path)!)
  expect(index!.match(/<loc>[^<]*/g)).toEqual(paths.slice(1).map((path) => `<loc>https://hub.test${path}`))
  expect(parts.map((part) => part.includes('<loc>https://hub.test/acme/b/v/0.0.29999</loc>'))).toEqual([false, true])
  for (const path of ['/sitemap-0.xml', '/sitemap-3.xml', '/sitemap-01.xml', '/sitemap-.xml'])
    expect(findSharedFile(catalogue, path), path).toBe(undefined)
})
