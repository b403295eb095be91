// Tests responses to reads when a dependency fails or a path is malformed, and the headers for the CDN.
import { describe, expect, test, vi } from 'vitest'
import type { SiteFiles } from '../../src/built/site-files.ts'
import { ROUTES_WITH_SCHEMAS } from '../../src/catalogue/published/route-schemas.ts'
import { VARYING_PARAMETERS } from '../../src/domain/api/caching.ts'
import { HubError } from '../../src/domain/api/errors.ts'
import { forNetlify } from '../../src/hosts/netlify/serve.ts'
import type { Hub } from '../../src/server/hub.ts'
import { type CheckHub, handleCheck } from '../../src/server/publish/handle-check.ts'
import { respondNotFound, respondRateLimited } from '../../src/server/refusals.ts'
import { openApp } from '../hubs/app.ts'
import { makeHub } from '../hubs/make-hub.ts'

const filesOf = (files: Record<string, string>): SiteFiles => ({
  read: async (path) => (files[path] === undefined ? undefined : new TextEncoder().encode(files[path])),
})
const read = (path: string, given: Partial<Hub> = {}, init: RequestInit = {}) =>
  openApp(() => makeHub(given))(new Request(`https://hub.example${path}`, init))
const errorOf = async (response: Response) => ({ status: response.status, ...(await response.json()) })

describe('when something fails', () => {
  const isAway = new HubError('unavailable', 'The catalogue cannot be read.', { retryAfterSeconds: 5 })
  const away = { siteFiles: { read: () => Promise.reject(isAway) } }
  const broken = { siteFiles: filesOf({ '/data/v1/lists/top/1.json': '<html>' }) }
  const fails = () => {
    throw new TypeError('secret detail at /srv/app')
  }
  test.each([
    ['unavailable files', away, '/api/v1/repos/a/b', 503, 'unavailable', '5'],
    ['an incomplete site', {}, '/api/v1/tags', 503, 'unavailable', '5'],
    ['a file that is not JSON', broken, '/api/v1/repos', 500, 'internal_error', null],
    ['a search that throws an error', { search: fails }, '/api/v1/repos?q=x', 500, 'internal_error', null],
    ['a rate limiter that throws an error', { limiter: { take: fails } }, '/api/v1/tags', 500, 'internal_error', null],
  ] as const)('%s', async (_, given, path, status, code, retryAfter) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const response = await read(path, given)
    expect(response.headers.get('Retry-After')).toBe(retryAfter)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    const text = await response.text()
    expect(JSON.parse(text).error.code).toBe(code)
    expect(response.status).toBe(status)
    expect(text).not.toContain('secret')
    log.mockRestore()
  })

  test('returns 503 for invalid settings instead of throwing', async () => {
    const ask = openApp(() => {
      throw new HubError('unavailable', 'The hub is not set up: SITE_URL: expected an address.', {
        retryAfterSeconds: 60,
      })
    })
    const response = await ask(new Request('https://hub.example/api/v1/tags'))
    expect(await errorOf(response)).toEqual({
      status: 503,
      error: { code: 'unavailable', message: 'The hub is not set up: SITE_URL: expected an address.' },
    })
  })

  test('logs one line per error, even if its message has line breaks', async () => {
    const lines: string[] = []
    const log = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
    await read('/api/v1/repos?q=x', {
      search: () => {
        throw new Error('two\nlines')
      },
    })
    log.mockRestore()
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('\n')
    expect(JSON.parse(lines[0] ?? '').cause).toBe('two\nlines')
  })
})

describe('raw request paths', () => {
  // tests/server/app.test.ts has more.
  test.each([
    ['/api/v1/repos/a%2Fb', 404],
    ['/api/v2/repos', 404],
  ])('%s is %i', async (path, status) => {
    const response = await read(path)
    expect(await errorOf(response)).toMatchObject({ status, error: { code: 'not_found' } })
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=30')
  })

  test('redirects upper case to lower case and keeps the query as sent', async () => {
    const response = await read('/api/v1/repos/ACME/Code-Review/raw?version=1.0.0&x=%20Y')
    expect(response.status).toBe(308)
    expect(response.headers.get('Location')).toBe('/api/v1/repos/acme/code-review/raw?version=1.0.0&x=%20Y')
  })
})

describe('what was renamed', () => {
  const prompt = (full_name: string, moved_to: string | null, digests: Record<string, string>) => ({
    [`/data/v1/repos/${full_name}.json`]: JSON.stringify({
      data: { full_name, moved_to, versions: Object.keys(digests), latest_version: '1.0.0', content: 'x', labels: {} },
    }),
    [`/data/v1/repos/${full_name}/versions.json`]: JSON.stringify({
      data: Object.entries(digests).map(([version, content_sha256]) => ({ version, content_sha256 })),
    }),
    [`/data/v1/repos/${full_name}/raw/1.0.0.txt`]: 'x',
  })
  const unlisted = (owner: string, ...moved: [name: string, moved_to: string | null][]) => ({
    [`/data/accounts/unlisted/${owner}.json`]: JSON.stringify({
      data: moved.map(([name, moved_to]) => ({ name, moved_to })),
    }),
    [`/data/v1/users/${owner}.json`]: '{"data":{"repos_count":0}}',
  })
  const siteFiles = filesOf({
    ...prompt('old/a', 'mid/a', { '1.0.0': 'd1' }),
    ...prompt('mid/a', 'fine/a', { '1.0.0': 'd1' }),
    ...prompt('fine/a', null, { '1.1.0': 'd2', '1.0.0': 'd1' }),
    ...prompt('other/a', 'fine/a', { '1.0.0': 'd9' }),
    ...prompt('short/a', 'fine/a', { '1.0.0': 'd1', '0.9.0': 'd0' }),
    ...prompt('gone/a', 'gone/b', { '1.0.0': 'd1' }),
    ...prompt('loop/a', 'loop/b', { '1.0.0': 'd1' }),
    ...prompt('loop/b', 'loop/a', { '1.0.0': 'd1' }),
    ...prompt('users/a', 'v1/a', { '1.0.0': 'd1' }),
    ...prompt('v1/a', null, { '1.0.0': 'd1' }),
    ...unlisted('users', ['a', 'v1/a']),
    ...unlisted('old', ['a', 'mid/a'], ['b', null]),
  })
  const locationOf = async (path: string) => {
    const { status, headers } = await read(path, { siteFiles })
    return status === 308 ? headers.get('Location') : status
  }

  //  request                                       answer
  test.each([
    ['/api/v1/repos/old/a', '/api/v1/repos/fine/a'],
    ['/api/v1/repos/old/a/raw?label=x&y=%20Z', '/api/v1/repos/fine/a/raw?label=x&y=%20Z'],
    ['/api/v1/repos/old/a/versions/1.1.0', '/api/v1/repos/fine/a/versions/1.1.0'],
    ['/api/v1/repos/users/a/raw', '/api/v1/repos/v1/a/raw'],
    ['/api/v1/users/users', '/api/v1/users/v1'],
    ['/api/v1/users/old', 200],
    ['/old/a/v/1.0.0?x=1', '/fine/a/v/1.0.0?x=1'],
    ['/users', '/v1'],
    ['/api/v1/repos/fine/a/raw', 200],
    // Other bytes, a version that is not there, a name without a prompt, and a circle.
    ...['other/a', 'short/a', 'gone/a', 'loop/a'].map((name) => [`/api/v1/repos/${name}/raw`, 200] as const),
  ] as const)('%s: %s', async (path, answer) => expect(await locationOf(path)).toBe(answer))
})

describe('CDN headers', () => {
  const files = filesOf({
    '/data/v1/repos/a/b.json': JSON.stringify({
      data: {
        full_name: 'a/b',
        latest_version: '1.0.0',
        versions: ['1.0.0'],
        content: '\ufeffx',
        labels: {},
        moved_to: null,
      },
    }),
    '/data/v1/repos/a/b/versions/1.0.0.json': '{"data":{}}',
    '/data/v1/repos/a/b/raw/1.0.0.txt': '\ufeffx',
    '/data/v1/tags.json': '{"data":[],"meta":{"page":1,"pages":0,"total":0}}',
  })
  test.each([
    ['/api/v1/repos/a/b', 'public, max-age=60, stale-while-revalidate=600', 'repo_a_b', null],
    ['/api/v1/repos/a/b/raw', 'public, max-age=60, stale-while-revalidate=600', 'repo_a_b', null],
    ['/api/v1/repos/a/b/raw?version=1.0.0', 'public, max-age=31536000, immutable', 'repo_a_b', 'version_repo_a_b'],
    ['/api/v1/repos/a/b/versions/1.0.0', 'public, max-age=31536000, immutable', 'repo_a_b', 'version_repo_a_b'],
    ['/api/v1/tags', 'public, max-age=60, stale-while-revalidate=600', null, null],
  ])('%s', async (path, cacheControl, tag, id) => {
    const { headers, status } = forNetlify(await read(path, { siteFiles: files }))
    expect(status).toBe(200)
    expect(headers.get('Cache-Control')).toBe(cacheControl)
    expect(headers.get('Netlify-CDN-Cache-Control')).toBe('public, durable, s-maxage=31536000')
    expect(headers.get('Netlify-Vary')).toBe('query=page|sort|q|tag|kind|version|label|at|key|from')
    expect(headers.get('Netlify-Cache-Tag')).toBe(tag)
    expect(headers.get('Netlify-Cache-ID')).toBe(id)
    expect(headers.get('No-Vary-Search')).toBe(
      'params, except=("page" "sort" "q" "tag" "kind" "version" "label" "at" "key" "from")',
    )
    expect(headers.get('Vary')).toBeNull()
  })

  test.each(['*', '"x", *', undefined])('a 304 to If-None-Match %s has no CDN headers', async (given) => {
    const etag = (await read('/api/v1/tags', { siteFiles: files })).headers.get('ETag') ?? ''
    const init = { headers: { 'If-None-Match': given ?? etag } }
    const { status, headers } = forNetlify(await read('/api/v1/tags', { siteFiles: files }, init))
    expect([status, headers.get('ETag')]).toEqual([304, etag])
    expect(headers.get('Cache-Control')).toBe('public, max-age=60, stale-while-revalidate=600')
    expect([...headers.keys()].filter((name) => /netlify|cdn/.test(name))).toEqual([])
  })

  test('every query parameter of a route is part of the cache key', () => {
    const named = new Set(ROUTES_WITH_SCHEMAS.flatMap(({ query }) => query.map(({ name }) => name)))
    expect([...VARYING_PARAMETERS].sort()).toEqual([...named].sort())
  })

  test('the CDN keeps the 404 of a repository for 30 s, under the tag of the repository', async () => {
    const { headers } = forNetlify(await read('/api/v1/repos/a/nothing', { siteFiles: files }))
    expect(headers.get('Netlify-CDN-Cache-Control')).toBe('public, s-maxage=30')
    expect(headers.get('Netlify-Cache-Tag')).toBe('repo_a_nothing')
  })

  test('keeps a byte order mark in the content', async () => {
    const response = await read('/api/v1/repos/a/b/raw', { siteFiles: files })
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0xef, 0xbb, 0xbf, 0x78])
  })
})

test('a check warns about a new name that is almost that of another prompt', async () => {
  const search = () => ({ findNear: async () => [{ owner: 'acme', name: 'code-review' }] })
  const hub = makeHub({ search } as unknown as Partial<Hub>)
  const check = async (fullName: string) => {
    const body = JSON.stringify({ content: 'Review it.\n' })
    const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }
    const request = new Request(`https://hub.example/api/v1/repos/${fullName}/check`, init)
    const [owner = '', name = ''] = fullName.split('/')
    const response = await handleCheck(request, { owner, name }, () => hub as CheckHub)
    const { data } = (await response.json()) as { data: { warnings: { code: string; message: string }[] } }
    return data.warnings.flatMap(({ code, message }) => (code === 'near_name' ? message : []))
  }
  expect(await check('evil/code-reviev')).toEqual([expect.stringContaining('almost that of acme/code-review')])
  expect(await check('other/code-review')).toEqual([])
})

describe('error responses without a catalogue', () => {
  test('returns 429 with Retry-After for requests limited by the platform', async () => {
    const response = respondRateLimited(new Request('https://hub.example/rate-limited'))
    expect(response.headers.get('Retry-After')).toBe('60')
    expect(await errorOf(response)).toMatchObject({ status: 429, error: { code: 'rate_limited' } })
  })
  test('returns 404 for an unknown data file', async () => {
    const response = respondNotFound(new Request('https://hub.example/data/v1/nothing.json'))
    expect(await errorOf(response)).toMatchObject({ status: 404, error: { code: 'not_found' } })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})
