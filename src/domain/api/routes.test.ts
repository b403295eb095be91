// Tests the paths of the read API: what matches each route and what does not, and how long responses are cached. See
// docs/contract.md sections 1 and 4.
import { expect, test } from 'vitest'
import { words } from '../../../tests/words.ts'
import { ROUTES_WITH_SCHEMAS } from '../../catalogue/published/route-schemas.ts'
import { DATA_FILES } from './data-paths.ts'
import { API_PATHS, READS, ROUTES } from './routes.ts'

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
    [
      'listCapabilities',
      '/api/v1/repos/{owner}/{name}/versions/{version}/capabilities',
      'changing',
      'application/json',
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
    ['deleteRepository', 'DELETE', '/api/v1/repos/{owner}/{name}', 'publish'],
    ['changeRepository', 'PATCH', '/api/v1/repos/{owner}/{name}', 'publish'],
    ['publishVersion', 'POST', '/api/v1/repos/{owner}/{name}/versions', 'publish'],
    ['deleteVersion', 'DELETE', '/api/v1/repos/{owner}/{name}/versions/{version}', 'publish'],
    ['recordResult', 'PUT', '/api/v1/repos/{owner}/{name}/versions/{version}/results/{suite}', 'publish'],
    ['removeResult', 'DELETE', '/api/v1/repos/{owner}/{name}/versions/{version}/results/{suite}', 'publish'],
    ['changeOwner', 'PATCH', '/api/v1/users/{handle}', 'publish'],
    ['setLabels', 'PUT', '/api/v1/users/{handle}/labels/{label}', 'publish'],
    ['listWebhooks', 'GET', '/api/v1/users/{handle}/webhooks', 'publish'],
    ['setWebhook', 'PUT', '/api/v1/users/{handle}/webhooks/{webhook}', 'publish'],
    ['removeWebhook', 'DELETE', '/api/v1/users/{handle}/webhooks/{webhook}', 'publish'],
    ['setLabel', 'PUT', '/api/v1/repos/{owner}/{name}/labels/{label}', 'publish'],
    ['removeLabel', 'DELETE', '/api/v1/repos/{owner}/{name}/labels/{label}', 'publish'],
    ['yankVersion', 'PUT', '/api/v1/repos/{owner}/{name}/versions/{version}/yank', 'publish'],
    ['unyankVersion', 'DELETE', '/api/v1/repos/{owner}/{name}/versions/{version}/yank', 'publish'],
    ['exportVersion', 'GET', '/api/v1/repos/{owner}/{name}/versions/{version}/export/{format}', 'export'],
    ['checkVersion', 'POST', '/api/v1/repos/{owner}/{name}/check', 'check'],
    ['proposeVersion', 'POST', '/api/v1/repos/{owner}/{name}/proposals', 'publish'],
    ['listProposals', 'GET', '/api/v1/repos/{owner}/{name}/proposals', 'proposals'],
    ['getProposal', 'GET', '/api/v1/repos/{owner}/{name}/proposals/{proposal}', 'proposals'],
    ['getProposalRaw', 'GET', '/api/v1/repos/{owner}/{name}/proposals/{proposal}/raw', 'proposals'],
    ['acceptProposal', 'POST', '/api/v1/repos/{owner}/{name}/proposals/{proposal}/accept', 'publish'],
    ['rejectProposal', 'POST', '/api/v1/repos/{owner}/{name}/proposals/{proposal}/reject', 'publish'],
  ])
})

test.each([
  ['/api/v1/repos', 'GET HEAD OPTIONS'],
  ['/api/v1/repos/{owner}/{name}', 'GET HEAD OPTIONS PATCH DELETE'],
  ['/api/v1/repos/{owner}/{name}/versions', 'GET HEAD OPTIONS POST'],
  ['/api/v1/repos/{owner}/{name}/labels/{label}', 'PUT DELETE OPTIONS'],
  ['/api/v1/repos/{owner}/{name}/versions/{version}/results/{suite}', 'PUT DELETE OPTIONS'],
  ['/api/v1/repos/{owner}/{name}/check', 'POST OPTIONS'],
])('%s supports %s', (path, methods) =>
  expect(API_PATHS.find((one) => one.path === path)?.methods.join(' ')).toBe(methods),
)

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
