// Tests our own host: which address is a file, a page or a part of the API, and that clients never see a thrown error.
import { describe, expect, test, vi } from 'vitest'
import type { SiteFiles } from '../../src/built/site-files.ts'
import { createHandler } from '../../src/hosts/node/http/answer.ts'
import { FILES_APP } from '../hubs/app.ts'

const texts: Record<string, string> = {
  '/index.html': 'home',
  '/acme/index.html': 'acme',
  '/data/v1/tags.json': '{}',
  '/api/index.html': 'never',
  '/assets/a.css': 'a {}',
}
const files: SiteFiles = {
  read: async (path) => (texts[path] === undefined ? undefined : new TextEncoder().encode(texts[path])),
}
const answer = createHandler(FILES_APP, () => ({ files }))
const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  answer(new Request(`http://localhost${path}`, { method, headers }), { network: '192.0.2.1' })

describe('routing', () => {
  test.each([
    ['GET', '/data/v1/tags.json', 200, '{}'],
    ['GET', '/', 200, 'home'],
    ['GET', '/acme', 200, 'acme'],
    ['GET', '/acme/', 200, 'acme'],
    ['HEAD', '/acme', 200, ''],
  ])('%s %s', async (method, path, status, text) => {
    const response = await ask(method, path)
    expect([response.status, await response.text()]).toEqual([status, text])
  })

  test.each(['/api', '/api/', '/data/v1/nothing.json', '/assets/b.css'])(
    'GET %s is a 404, which caches may keep for 30 s',
    async (path) => {
      const { status, headers } = await ask('GET', path)
      expect([status, headers.get('Cache-Control')]).toEqual([404, 'public, max-age=30'])
    },
  )
})

test('returns 304 for a page with a matching ETag', async () => {
  const etag = (await ask('GET', '/')).headers.get('ETag') ?? ''
  const again = await ask('GET', '/', { 'If-None-Match': etag })
  expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', etag])
})

test.each([
  ['/', 'text/html; charset=utf-8', 'public, max-age=0, must-revalidate'],
  ['/data/v1/tags.json', 'application/json; charset=utf-8', 'public, max-age=60, stale-while-revalidate=600'],
  ['/assets/a.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
])('%s has the right media type and Cache-Control', async (path, mediaType, cacheControl) => {
  const { headers } = await ask('GET', path)
  expect([headers.get('Content-Type'), headers.get('Cache-Control'), headers.get('X-Content-Type-Options')]).toEqual([
    mediaType,
    cacheControl,
    'nosniff',
  ])
})

test.each([
  ['DELETE', '/acme', 'GET, HEAD'],
  ['PROPFIND', '/api/v1/repos/acme/hello', 'GET, HEAD, OPTIONS, PATCH, DELETE'],
  ['PROPFIND', '/api/v1/repos/acme/hello/labels/production', 'PUT, DELETE, OPTIONS'],
])('rejects %s %s, with 405 and Allow: %s', async (method, path, allow) => {
  const { status, headers } = await ask(method, path)
  expect([status, headers.get('Allow')]).toEqual([405, allow])
})

test('returns 500 without details when something throws, and logs it', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const broken = { read: () => Promise.reject(new Error('secret detail')) }
  const response = await createHandler(FILES_APP, () => ({ files: broken }))(new Request('http://localhost/broken'), {
    network: '192.0.2.1',
  })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({
    error: { code: 'internal_error', message: 'Something went wrong on the hub. Try again later.' },
  })
  expect(log.mock.calls.flat().join()).toContain('secret detail')
  log.mockRestore()
})

test('a request keeps the site version it started with', async () => {
  const entered = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let label = 'old'
  const changing = createHandler<string>(
    {
      async fetch(_request, { hub }) {
        entered.resolve()
        await released.promise
        return new Response(hub)
      },
    },
    () => label,
  )
  const response = changing(new Request('http://localhost/slow'), { network: '192.0.2.1' })
  await entered.promise
  label = 'new'
  released.resolve()
  expect(await (await response).text()).toBe('old')
})
