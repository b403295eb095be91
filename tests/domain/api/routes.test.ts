// Tests the paths of the read API: what matches each route and what does not, and how long responses are cached. See
// docs/contract.md sections 1 and 4.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ROUTES_WITH_SCHEMAS } from '../../../packages/catalogue/published/route-schemas.ts'
import { DATA_FILES } from '../../../src/domain/api/data-paths.ts'
import { matchPath, READS, ROUTES } from '../../../src/domain/api/routes.ts'
import { words } from '../../words.ts'

test('lists every route with its path, cache policy and media type', () => {
  expect(READS.map(({ id, path, cache, mediaType }) => [id, path, cache, mediaType])).toEqual([
    ['listRepositories', '/api/v1/repos', 'changing', 'application/json'],
    ['getRepository', '/api/v1/repos/{owner}/{name}', 'changing', 'application/json'],
    ['listVersions', '/api/v1/repos/{owner}/{name}/versions', 'changing', 'application/json'],
    ['getVersion', '/api/v1/repos/{owner}/{name}/versions/{version}', 'immutable', 'application/json'],
    ['getFile', '/api/v1/repos/{owner}/{name}/versions/{version}/files/{path}', 'immutable', 'text/plain'],
    ['getArchive', '/api/v1/repos/{owner}/{name}/versions/{version}/archive', 'immutable', 'application/gzip'],
    [
      'listAttestations',
      '/api/v1/repos/{owner}/{name}/versions/{version}/attestations',
      'immutable',
      'application/json',
    ],
    [
      'getAttestation',
      '/api/v1/repos/{owner}/{name}/versions/{version}/attestations/{attestation}',
      'immutable',
      'application/vnd.dev.sigstore.bundle.v0.3+json',
    ],
    ['listResults', '/api/v1/repos/{owner}/{name}/versions/{version}/results', 'changing', 'application/json'],
    ['getRaw', '/api/v1/repos/{owner}/{name}/raw', 'changing', 'text/plain'],
    ['listActivity', '/api/v1/repos/{owner}/{name}/activity', 'changing', 'application/json'],
    ['listDependents', '/api/v1/repos/{owner}/{name}/dependents', 'changing', 'application/json'],
    ['listTags', '/api/v1/tags', 'changing', 'application/json'],
    ['getUser', '/api/v1/users/{handle}', 'changing', 'application/json'],
    ['listLabelled', '/api/v1/users/{handle}/labels/{label}', 'changing', 'application/json'],
    ['getOpenapi', '/api/v1/openapi.json', 'changing', 'application/json'],
  ])
  for (const [key, { id }] of Object.entries(ROUTES)) expect(id).toBe(key)
})

test('lists every other route with its method, its path and the function that serves it', () => {
  const others = Object.values(ROUTES).filter(({ by }) => by !== 'read')
  expect(others.map(({ id, method, path, by }) => [id, method, path, by])).toEqual([
    ['changeRepository', 'PATCH', '/api/v1/repos/{owner}/{name}', 'publish'],
    ['publishVersion', 'POST', '/api/v1/repos/{owner}/{name}/versions', 'publish'],
    ['recordResult', 'PUT', '/api/v1/repos/{owner}/{name}/versions/{version}/results/{suite}', 'publish'],
    ['removeResult', 'DELETE', '/api/v1/repos/{owner}/{name}/versions/{version}/results/{suite}', 'publish'],
    ['changeOwner', 'PATCH', '/api/v1/users/{handle}', 'publish'],
    ['setLabel', 'PUT', '/api/v1/repos/{owner}/{name}/labels/{label}', 'publish'],
    ['removeLabel', 'DELETE', '/api/v1/repos/{owner}/{name}/labels/{label}', 'publish'],
    ['yankVersion', 'PUT', '/api/v1/repos/{owner}/{name}/versions/{version}/yank', 'publish'],
    ['unyankVersion', 'DELETE', '/api/v1/repos/{owner}/{name}/versions/{version}/yank', 'publish'],
    ['exportVersion', 'GET', '/api/v1/repos/{owner}/{name}/versions/{version}/export/{format}', 'export'],
    ['checkVersion', 'POST', '/api/v1/repos/{owner}/{name}/check', 'check'],
  ])
})

test.each([
  ['/api/v1/repos', 'GET HEAD OPTIONS'],
  ['/api/v1/repos/acme/a', 'GET HEAD OPTIONS PATCH'],
  ['/api/v1/repos/acme/a/versions', 'GET HEAD OPTIONS POST'],
  ['/api/v1/repos/acme/a/labels/production', 'PUT DELETE OPTIONS'],
  ['/api/v1/repos/acme/a/versions/1.0.0/results/quality', 'PUT DELETE OPTIONS'],
  ['/api/v1/repos/acme/a/check', 'POST OPTIONS'],
])('%s supports %s', (path, methods) => expect(matchPath(path)?.methods.join(' ')).toBe(methods))

describe('route matching', () => {
  test.each([
    ['/api/v1/repos', 'listRepositories', {}],
    ['/api/v1/tags', 'listTags', {}],
    ['/api/v1/openapi.json', 'getOpenapi', {}],
    ['/api/v1/users/octocat', 'getUser', { handle: 'octocat' }],
    ['/api/v1/users/octocat/labels/production', 'listLabelled', { handle: 'octocat', label: 'production' }],
    ['/api/v1/repos/acme/code-review', 'getRepository', { owner: 'acme', name: 'code-review' }],
    ['/api/v1/repos/acme/code-review/versions', 'listVersions', { owner: 'acme', name: 'code-review' }],
    [
      '/api/v1/repos/acme/code-review/versions/1.10.0',
      'getVersion',
      { owner: 'acme', name: 'code-review', version: '1.10.0' },
    ],
    ['/api/v1/repos/acme/code-review/dependents', 'listDependents', { owner: 'acme', name: 'code-review' }],
    ['/api/v1/repos/acme/code-review/raw', 'getRaw', { owner: 'acme', name: 'code-review' }],
    ['/api/v1/repos/acme/raw', 'getRepository', { owner: 'acme', name: 'raw' }],
    ['/api/v1/repos/acme/versions/versions', 'listVersions', { owner: 'acme', name: 'versions' }],
    ['/api/v1/repos/acme/api', 'getRepository', { owner: 'acme', name: 'api' }],
    ['/api/v1/repos/constructor/tostring', 'getRepository', { owner: 'constructor', name: 'tostring' }],
    [
      '/api/v1/repos/acme/a/versions/999999.999999.999999',
      'getVersion',
      { owner: 'acme', name: 'a', version: '999999.999999.999999' },
    ],
  ])('matches %s with and without a trailing slash', (path, id, parameters) => {
    for (const one of [path, `${path}/`])
      expect([matchPath(one)?.routes.GET?.id, matchPath(one)?.parameters]).toEqual([id, parameters])
    expect(matchPath(`${path}//`)).toBeUndefined()
    expect(matchPath(`/${path}`)).toBeUndefined()
    expect(matchPath(`${path}/more`)?.routes.GET?.id).not.toBe(id)
  })
})

test.each([
  ...words`
    / // /api /api/ /api/v1 /api/v1/ /api/v2/repos /v1/repos api/v1/repos /API/v1/repos /api/V1/repos /%61pi/v1/repos
    /api/v1/Repos /api/v1/repo /api/v1/repos.json /api/v1/repos/acme /api/v1/repos// /api/v1/repos//a
    /api/v1/repos/acme// /api/v1/repos/acme//versions /api/v1/repos/acme/a/versions// /api/v1/repos/acme/a/b
    /api/v1/repos/acme/a/Raw /api/v1/repos/acme/a/raw/1.0.0 /api/v1/repos/Acme/a /api/v1/repos/acme/A
    /api/v1/users/Octocat /api/v1/tags/a /api/v1/tags.json /api/v1/users /api/v1/users/a/b /api/v1/openapi
    /api/v1/openapi.yaml /api/v1/search /data/v1/index.json /mcp /api/v1/repos?page=1 /api/v1/repos#a
    /api/v1/repos/acme/%61 /api/v1/repos/%61cme/a /api/v1/repos/acme%2fa /api/v1/repos/acme/a%2fversions
    /api/v1/repos/acme/a%00 /api/v1/repos/acme/%E0%A4%A /api/v1/repos/%2e%2e/a /api/v1/repos/acme/..
    /api/v1/repos/../repos /api/v1/repos/./a /api/v1/repos/acme/a/%76ersions /api/v1/repos/acme/a/versions/1.0%2e0
    /api/v1/repos/api/a /api/v1/repos/docs/a /api/v1/repos/con/a /api/v1/repos/lpt9/a /api/v1/repos/null/a/versions
    /api/v1/repos/me/a/raw /api/v1/users/admin /api/v1/users/undefined /api/v1/users/new
    /api/v1/repos/settings/a/versions/1.0.0 /api/v1/users/__proto__ /api/v1/repos/-a/a /api/v1/repos/a-/a
    /api/v1/repos/a--b/a /api/v1/repos/a_b/a /api/v1/repos/a.b/a /api/v1/repos/é/a /api/v1/repos/{owner}/{name}
    /api/v1/repos/acme/a/versions/{version}
  `,
  ...['', '/api/v1/repos/acme\\a', '/api/v1/repos/acme/\\..\\', '/api/v1/repos/acme/a\0', '/api/v1/repos/a /a'],
  ...[`/api/v1/repos/${'a'.repeat(40)}/a`, `/api/v1/repos/a/${'a'.repeat(65)}`],
  ...[
    ...words`1 1.0 1.0.0.0 v1.0.0 01.2.3 1.2.03 1.0.0-rc.1 1.0.0+a 1.2.3%0A latest 9007199254740993.0.0 1.0.0.json`,
    ...['1.2.3\n', ' 1.0.0'],
  ].map((version) => `/api/v1/repos/acme/a/versions/${version}`),
])('matches no route for %j', (path) => expect(matchPath(path)).toBeUndefined())

test('matches any path completely or not at all, and does not throw', () => {
  const segment = fc.constantFrom('', ...words`api v1 repos acme a versions raw tags users 1.0.0 % .. A openapi.json`)
  let matched = 0
  fc.assert(
    fc.property(fc.array(fc.oneof(segment, fc.string({ unit: 'binary' })), { maxLength: 8 }), (segments) => {
      const path = `/api/v1/${segments.join('/')}`
      const found = matchPath(path)
      if (!found) return
      matched += 1
      const template = Object.values(found.routes)[0]!.path
      const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => found.parameters[name]!)
      expect([filled, `${filled}/`]).toContain(path)
    }),
    { numRuns: 1000 },
  )
  // If no path matched, this test would compare nothing.
  expect(matched).toBeGreaterThan(0)
})

test('gives each data file its path', () => {
  expect([
    DATA_FILES.index(),
    DATA_FILES.list('top', 1),
    DATA_FILES.list('trending', 2),
    DATA_FILES.tags(),
    DATA_FILES.tagged('code', 'new', 3),
    DATA_FILES.user('octocat'),
    DATA_FILES.repository('acme', 'a'),
    DATA_FILES.versions('acme', 'a'),
    DATA_FILES.version('acme', 'a', '1.0.0'),
    DATA_FILES.raw('acme', 'a'),
    DATA_FILES.rawVersion('acme', 'a', '1.0.0'),
    DATA_FILES.skill('acme', 'a', '1.0.0'),
    DATA_FILES.openapi(),
  ]).toEqual(words`
    /data/v1/index.json /data/v1/lists/top/1.json /data/v1/lists/trending/2.json /data/v1/tags.json
    /data/v1/tags/code/new/3.json /data/v1/users/octocat.json /data/v1/repos/acme/a.json
    /data/v1/repos/acme/a/versions.json /data/v1/repos/acme/a/versions/1.0.0.json /data/v1/repos/acme/a/raw.txt
    /data/v1/repos/acme/a/raw/1.0.0.txt /data/v1/repos/acme/a/skills/1.0.0.md /data/v1/openapi.json
  `)
})

test('accepts only valid values of the query parameters page and sort', () => {
  const accepts = (name: string, value: unknown) =>
    ROUTES_WITH_SCHEMAS.flatMap(({ query }) => [...query])
      .find((parameter) => parameter.name === name)!
      .schema.safeParse(value).success
  expect([0, 1, 100000, 100001, 1.5, -1].map((page) => accepts('page', page))).toEqual([
    false,
    true,
    true,
    false,
    false,
    false,
  ])
  expect(['top', 'trending', 'new', 'best', '', 'TOP'].map((sort) => accepts('sort', sort))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})
