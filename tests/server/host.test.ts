// Tests our own host: which function gets a request, when a file takes precedence, and that clients never see a thrown
// error.
import { describe, expect, test, vi } from 'vitest'
import {
  createHandler,
  type HostContext,
  type HostedFunction,
  routeFunctions,
} from '../../packages/node-server/run-functions.ts'
import type { SiteFiles } from '../../src/ports/site-files.ts'

interface Site {
  files: SiteFiles
  label: string
}

const say = (text: string, config: HostedFunction<HostContext<Site>>['config']): HostedFunction<HostContext<Site>> => ({
  default: (_request, { ip, hub }) => new Response(`${text} ${ip} ${hub.label}`),
  config,
})
const functions = [
  say('read', { path: ['/api', '/api/*'], method: ['GET', 'HEAD'] }),
  say('publish', { path: ['/api', '/api/*'], method: 'POST' }),
  say('data', { path: '/data/*', preferStatic: true }),
  say('one', { path: '/one' }),
  { default: () => Promise.reject(new Error('secret detail')), config: { path: '/broken' } },
]
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
const answer = createHandler(routeFunctions(functions), () => ({ files, label: 'site' }))
const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  answer(new Request(`http://localhost${path}`, { method, headers }), '192.0.2.1')

describe('routing', () => {
  test.each([
    ['GET', '/api', 200, 'read 192.0.2.1 site'],
    ['GET', '/api/', 200, 'read 192.0.2.1 site'],
    ['GET', '/api/v1/repos', 200, 'read 192.0.2.1 site'],
    ['POST', '/api/v1/repos', 200, 'publish 192.0.2.1 site'],
    ['GET', '/one/', 200, 'one 192.0.2.1 site'],
    ['GET', '/data/v1/tags.json', 200, '{}'],
    ['GET', '/data/v1/nothing.json', 200, 'data 192.0.2.1 site'],
    ['GET', '/', 200, 'home'],
    ['GET', '/acme', 200, 'acme'],
    ['GET', '/acme/', 200, 'acme'],
    ['HEAD', '/acme', 200, ''],
  ])('%s %s', async (method, path, status, text) => {
    const response = await ask(method, path)
    expect([response.status, await response.text()]).toEqual([status, text])
  })

  test.each(['/nothing', '/apiary', '/assets/b.css', '/%2e%2e/%2e%2e/etc/passwd'])(
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
  ['PROPFIND', '/api/v1/repos/acme/hello', 'GET, HEAD, OPTIONS, PATCH'],
  ['PROPFIND', '/api/v1/repos/acme/hello/labels/production', 'PUT, DELETE, OPTIONS'],
])('rejects %s %s, which no function takes, with 405 and Allow: %s', async (method, path, allow) => {
  const { status, headers } = await ask(method, path)
  expect([status, headers.get('Allow')]).toEqual([405, allow])
})

test('returns 500 without details when a function throws, and logs them', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const response = await ask('GET', '/broken')
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
  const slow: HostedFunction<HostContext<Site>> = {
    default: async (_request, { hub }) => {
      entered.resolve()
      await released.promise
      return new Response(hub.label)
    },
    config: { path: '/slow' },
  }
  let label = 'old'
  const changing = createHandler(routeFunctions([slow]), () => ({ files, label }))
  const response = changing(new Request('http://localhost/slow'), '192.0.2.1')
  await entered.promise
  label = 'new'
  released.resolve()
  expect(await (await response).text()).toBe('old')
})
