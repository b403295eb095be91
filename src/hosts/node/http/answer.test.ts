// Tests compression on our own host: the same bytes after decoding, the right headers for every kind of response, and
// which responses stay uncompressed.
import { hash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { FILES_APP } from '../../../../tests/hubs/app.ts'
import type { SiteFiles } from '../../../built/site-files.ts'
import { respondNotFound } from '../../../server/refusals.ts'
import { type MadeResponse, respondWith } from '../../../server/respond.ts'
import { type App, createHandler, openCompressor } from './answer.ts'

const prose = (seed: string, words: number) =>
  Array.from({ length: words }, (_, index) => hash('sha256', `${seed} ${index % 97}`).slice(0, 7)).join(' ')
const texts: Record<string, string> = {
  '/index.html': `<p>${prose('home', 600)}</p>`,
  '/data/v1/tags.json': JSON.stringify({ data: prose('tags', 900) }),
  '/data/v1/small.json': '{}',
  '/assets/a.css': `a { content: '${prose('style', 900)}' }`,
  '/assets/a.svg': `<svg>${prose('image', 300)}</svg>`,
  '/assets/a.woff2': prose('font', 900),
}
const bytesOf = new Map(Object.entries(texts).map(([path, text]) => [path, new TextEncoder().encode(text)]))
const files: SiteFiles = { read: async (path) => bytesOf.get(path) }
const content = new TextEncoder().encode(prose('content', 2_000))
const secret = prose('account', 900)
const api = vi.fn((request: Request) =>
  new URL(request.url).pathname === '/api/raw'
    ? respondWith(request, {
        bytes: content,
        mediaType: 'text/plain',
        cache: 'immutable',
        subject: { owner: 'a', name: 'b' },
        hasDigest: true,
      })
    : respondNotFound(request),
)
const app: App<{ hub: { files: SiteFiles } }> = {
  fetch(request, place) {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/api/')) return api(request)
    const headers = { 'Cache-Control': 'no-store', 'Content-Type': 'text/html', 'Content-Length': '1' }
    return pathname === '/settings' ? new Response(secret, { headers }) : FILES_APP.fetch(request, place)
  },
}
const open = () => {
  const answer = createHandler(app, () => ({ files }))
  return async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await answer(new Request(`http://localhost${path}`, { method, headers }), { network: '192.0.2.1' })
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  }
}
const DECODE = { br: brotliDecompressSync, gzip: gunzipSync }

const PATHS = ['/', '/data/v1/tags.json', '/assets/a.css', '/assets/a.svg', '/api/raw'] as const

describe.each(['br', 'gzip'] as const)('%s', (encoding) => {
  test.each(PATHS)('%s: same content and matching headers for GET, HEAD and conditional requests', async (path) => {
    const ask = open()
    const plain = await ask(path)
    const head = await ask(path, { 'Accept-Encoding': encoding }, 'HEAD')
    const packed = await ask(path, { 'Accept-Encoding': encoding })
    const again = await ask(path, { 'Accept-Encoding': encoding })
    expect(DECODE[encoding](packed.bytes).equals(plain.bytes)).toBe(true)
    expect(again.bytes.equals(packed.bytes)).toBe(true)
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length)
    expect([head.status, packed.status]).toEqual([plain.status, plain.status])
    expect(plain.headers.get('Content-Encoding')).toBeNull()
    for (const { headers } of [head, packed]) {
      expect(headers.get('Content-Encoding')).toBe(encoding)
      expect(headers.get('Content-Length')).toBe(String(packed.bytes.length))
      expect(headers.get('ETag')).toBe(plain.headers.get('ETag')?.replace(/"$/, `-${encoding}"`))
    }
    expect(head.bytes.length).toBe(0)
    for (const { headers } of [plain, head, packed]) {
      expect(headers.get('Vary')).toBe('Accept-Encoding')
      expect(headers.get('Content-Type')).toBe(plain.headers.get('Content-Type'))
      expect(headers.get('Cache-Control')).toBe(plain.headers.get('Cache-Control'))
    }
    if (plain.status !== 200) return
    for (const { headers } of [plain, packed]) {
      const etag = headers.get('ETag') ?? ''
      const known = await ask(path, { 'Accept-Encoding': encoding, 'If-None-Match': `"other", W/${etag}` })
      expect([known.status, known.bytes.length, known.headers.get('ETag')]).toEqual([304, 0, etag])
      expect([known.headers.get('Vary'), known.headers.get('Content-Encoding')]).toEqual(['Accept-Encoding', null])
    }
  })
})

//  Accept-Encoding                                     Content-Encoding
test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['*', 'br'],
  ['identity', null],
  ['', null],
  ['deflate', null],
  ['gzip;q=0.5, identity;q=1', null],
  ['br;q=0, gzip;q=0', null],
  ['x'.repeat(300), null],
  ['gzip;q=nonsense', null],
])('Accept-Encoding: %s → %s', async (accepted, encoding) => {
  expect((await open()('/', { 'Accept-Encoding': accepted })).headers.get('Content-Encoding')).toBe(encoding)
})

test('ignores an ETag with an unknown encoding suffix', async () => {
  const ask = open()
  const etag = (await ask('/')).headers.get('ETag') ?? ''
  expect((await ask('/', { 'If-None-Match': etag.replace(/"$/, '-zip"') })).status).toBe(200)
})

test.each([
  ['too small to benefit', '/data/v1/small.json'],
  ['already compressed', '/assets/a.woff2'],
  ['private to one user', '/settings'],
  ['a short error', '/api/nothing'],
])('not compressed: %s', async (_, path) => {
  expect((await open()(path, { 'Accept-Encoding': 'br' })).headers.get('Content-Encoding')).toBeNull()
})

test('concurrent requests get a complete response, compressed or plain', async () => {
  const ask = open()
  const all = await Promise.all(
    PATHS.flatMap((path) => Array.from({ length: 20 }, () => ask(path, { 'Accept-Encoding': 'br' }))),
  )
  for (const { headers, bytes } of all) expect(headers.get('Content-Length')).toBe(String(bytes.length))
  expect(all.filter(({ headers }) => headers.get('Content-Encoding') === 'br').length).toBeGreaterThan(60)
})

test('Repr-Digest is sent only with the bytes it describes, Unencoded-Digest also with compressed ones', async () => {
  const ask = open()
  const plain = await ask('/api/raw')
  const digest = `sha-256=:${hash('sha256', plain.bytes, 'base64')}:`
  const packed = await ask('/api/raw', { 'Accept-Encoding': 'br' })
  expect(packed.bytes).not.toEqual(plain.bytes)
  const head = await ask('/api/raw', { 'Accept-Encoding': 'gzip' }, 'HEAD')
  const same = await ask('/api/raw', { 'Accept-Encoding': 'br', 'If-None-Match': packed.headers.get('ETag')! })
  const sent = [plain, packed, head, same].map(({ status, headers }) => [
    ...[status, headers.get('Content-Encoding')],
    ...[headers.get('Repr-Digest'), headers.get('Unencoded-Digest')],
  ])
  expect(sent).toEqual([
    [200, null, digest, digest],
    [200, 'br', null, digest],
    [200, 'gzip', null, digest],
    [304, null, null, digest],
  ])
})

test('sends CDN-Cache-Control and No-Vary-Search for shared caches', async () => {
  const ask = open()
  const [changing, immutable] = [await ask('/data/v1/tags.json'), await ask('/api/raw')]
  expect(changing.headers.get('CDN-Cache-Control')).toBe('public, max-age=60')
  expect(immutable.headers.get('CDN-Cache-Control')).toBeNull()
  expect(changing.headers.get('No-Vary-Search')).toBe('params')
})

test('answers preflight requests for data files, and for no page', async () => {
  const ask = open()
  const data = await ask('/data/v1/tags.json', {}, 'OPTIONS')
  expect([data.status, data.headers.get('Access-Control-Allow-Headers')]).toEqual([
    204,
    '*, Authorization, Content-Type, Idempotency-Key, If-None-Match',
  ])
  expect((await ask('/', {}, 'OPTIONS')).status).toBe(405)
})

test.each(['br', 'gzip'])('%s: what is kept holds no more memory than its bytes', async (encoding) => {
  const request = new Request('http://localhost/api/raw', { headers: { 'Accept-Encoding': encoding } })
  const { parts }: MadeResponse = api(request)
  const { bytes } = await openCompressor().compress(request, parts!)
  expect(bytes!.length).toBeLessThan(content.length)
  expect(bytes!.buffer.byteLength).toBe(bytes!.length)
})
