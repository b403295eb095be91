// Tests how nginx and Varnish cache the hub's responses with the configurations in docs/running.md: one copy is stored
// per response, errors are not cached, and new publishes become visible in time.
import { createHash } from 'node:crypto'
import { createServer, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkSetup } from '../../src/doctor/doctor.ts'
import { createToken } from '../../src/state/tokens.ts'
import { poll } from '../e2e/client.ts'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { listen } from '../listen.ts'
import { words } from '../words.ts'
import { isInstalled, type Running, startNginx, startVarnish } from './programs.ts'

const TEXT = Array.from({ length: 300 }, (_, index) =>
  createHash('md5')
    .update(String(index % 40))
    .digest('hex'),
).join(' ')
const versionFile = (text: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${text}`
const CONTENT = {
  'content/acme/greet/versions/1.0.0.md': versionFile(TEXT),
  'content/acme/greet/versions/1.1.0.md': versionFile(`More. ${TEXT}`),
  'content/acme/other/versions/1.0.0.md': versionFile(TEXT),
}
const CACHES = [
  { name: 'nginx', program: 'nginx', start: (port: number, hub: number) => startNginx(port, [hub], '60s') },
  { name: 'Varnish', program: 'varnishd', start: startVarnish },
] as const

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
}

/** Sends the request as is, without adding headers, following redirects or decoding anything. */
const ask = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject).end()
  })
/** Sends a path exactly as given. @returns the body */
const readRaw = (base: string, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    request({ hostname, port, path, agent: false }, async (answer) =>
      resolve(Buffer.concat(await answer.toArray()).toString()),
    )
      .on('error', reject)
      .end()
  })
const decode = ({ headers, bytes }: Answer): Buffer => {
  const encoding = headers['content-encoding']
  return encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes
}

let hub: BuiltHub
/** The paths of the requests that reached the hub. */
const reached: string[] = []
beforeAll(async () => {
  if (!CACHES.some(({ program }) => isInstalled(program))) return
  hub = await startBuiltHub(await freePort(), { TRUSTED_PROXIES: 'loopback' }, CONTENT)
  hub.server.on('request', ({ url }) => reached.push(url ?? ''))
})
afterAll(() => hub?.stop())

describe.each(CACHES)('$name', ({ program, start }) => {
  const isHere = isInstalled(program)
  let cache: Running
  beforeAll(async () => {
    if (isHere) cache = await start(await freePort(), Number(new URL(hub.url).port))
  })
  afterAll(() => cache?.stop())
  /** Sends requests one after another, and returns those that reach the hub. */
  const count = async (paths: readonly string[], headers: Record<string, string> = {}) => {
    reached.length = 0
    for (const path of paths) await ask(cache.url + path, headers)
    return reached.filter((path) => !path.startsWith('/readyz')).length
  }

  test.skipIf(!isHere).each(words`
      /api/v1/repos/acme/greet /api/v1/repos?sort=new&page=1 /api/v1/repos/acme/greet/raw?version=1.0.0 /api/v1/tags
      /data/v1/index.json
    `)('fetches %s from the hub only once', async (path) => {
    expect(await count([path, path, path])).toBe(1)
  })

  test.skipIf(!isHere)('caches one copy per content encoding, and all clients read the same text', async () => {
    const path = '/api/v1/repos/acme/other/raw'
    const accepted = ['', 'gzip, deflate, br', 'br, gzip', 'gzip', 'gzip;q=0.8, deflate', 'br;q=0', 'identity']
    reached.length = 0
    const answers = await Promise.all(
      [...accepted, ...accepted].map((value) => ask(cache.url + path, value ? { 'Accept-Encoding': value } : {})),
    )
    for (const answer of answers) expect(decode(answer).toString()).toBe(TEXT)
    expect(answers.filter(({ headers }) => headers['content-encoding']).length).toBeGreaterThanOrEqual(8)
    expect(answers[5]!.headers['content-encoding']).not.toBe('br')
    expect(reached.filter((asked) => asked === path).length).toBeLessThanOrEqual(3)
    const head = await ask(cache.url + path, {}, 'HEAD')
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    const etag = String(answers[3]!.headers.etag)
    expect((await ask(cache.url + path, { 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(304)
  })

  test.skipIf(!isHere)('ignores unknown query parameters in the cache key', async () => {
    const path = '/api/v1/repos/acme/other/versions'
    expect(await count([path, `${path}?utm_source=x`, `${path}?a=1&b=2`])).toBe(1)
    const data = '/data/v1/tags.json'
    expect(await count([data, `${data}?utm_source=x`])).toBe(1)
  })

  test.skipIf(!isHere)('caches versions separately, also with extra or repeated query parameters', async () => {
    const raw = `${cache.url}/api/v1/repos/acme/greet/raw`
    const texts = []
    for (const query of words`
      ?version=1.0.0 ?version=1.1.0 ?x=1&version=1.0.0&y=2 ?version=1.0.0&version=1.1.0 ?version=1.1.0&version=1.0.0
    `)
      texts.push((await ask(raw + query)).bytes.toString())
    const [first, second] = [TEXT, `More. ${TEXT}`]
    expect(texts.map((text) => (text === first ? 1 : text === second ? 2 : text))).toEqual([1, 2, 1, 2, 1])
  })

  test.skipIf(!isHere)('does not cache errors, except 404', async () => {
    const [wrong, missing] = ['/api/v1/repos?page=0', '/api/v1/repos/acme/nothing']
    expect(await count([wrong, wrong])).toBe(2)
    expect(await count([missing, missing])).toBe(1)
    expect(await count(['/settings', '/settings'])).toBe(2)
  })

  test.skipIf(!isHere)('causes no warning that clients share one rate limit', async () => {
    expect(hub.logged()).not.toContain('share one limit')
  })
})

test.skipIf(!CACHES.every(({ program }) => isInstalled(program)))(
  'a new version is visible once the cached response expires, and the metrics never are',
  async () => {
    // This test shortens the cache lifetime of one minute to two seconds; the header tests check the real value.
    const hurried = createServer(async (incoming, outgoing) => {
      if (new URL(incoming.url ?? '', 'http://hub').pathname === '/metrics') {
        outgoing.setHeader('Cache-Control', 'no-store').end('secret figures')
        return
      }
      const body = incoming.method === 'POST' ? { body: Buffer.concat(await Array.fromAsync(incoming)) } : {}
      const { authorization = '', 'content-type': type = 'text/plain' } = incoming.headers
      const headers = { authorization, 'content-type': type }
      const answer = await fetch(hub.url + incoming.url, { method: incoming.method ?? 'GET', headers, ...body })
      const caching = (answer.headers.get('cache-control') ?? '').replace('max-age=60', 'max-age=2')
      outgoing.writeHead(answer.status, { 'cache-control': caching, 'content-type': 'application/json' })
      outgoing.end(Buffer.from(await answer.arrayBuffer()))
    })
    const port = Number(new URL(await listen(hurried)).port)
    const caches = [await startNginx(await freePort(), [port]), await startVarnish(await freePort(), port)]
    const path = '/api/v1/repos/acme/greet'
    const latest = async (url: string) => JSON.parse((await ask(url + path)).bytes.toString()).data.latest_version
    expect(await Promise.all(caches.map(({ url }) => latest(url)))).toEqual(['1.1.0', '1.1.0'])
    const { token } = await createToken(
      hub.state,
      { holder: { kind: 'operator' }, name: 'test', scope: 'acme/*', days: 1 },
      new Date(),
    )
    const published = await fetch(`${caches[0]!.url}${path}/versions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ content: 'Hello again.' }),
    })
    expect(published.status).toBe(201)
    expect(await latest(hub.url)).toBe('1.1.1')
    await Promise.all(
      caches.map(({ url }) =>
        poll(`${url} shows it`, 60_000, async () => ((await latest(url)) === '1.1.1' ? true : undefined)),
      ),
    )
    for (const { url } of caches)
      for (const path of words`
        /metrics /metrics/ /metrics?x=1 //metrics /./metrics /%2e/metrics /a/../metrics /a/%2E%2e/metrics /%6detrics
      `)
        expect([path, await readRaw(url, path)]).toEqual([path, expect.not.stringContaining('secret figures')])
    await Promise.all(caches.map(({ stop }) => stop()))
    hurried.close()
  },
)

test.skipIf(!isInstalled('nginx'))(
  'through nginx as documented, the doctor finds only another address, and a new version is visible seconds later',
  async () => {
    const nginx = await startNginx(await freePort(), [Number(new URL(hub.url).port)])
    const address = nginx.url.replace('127.0.0.1', 'localhost')
    const examined = await checkSetup({ environment: {}, root: process.cwd(), url: address })
    expect(examined.filter(({ outcome }) => outcome === 'error').map(({ check }) => check)).toEqual(['hub-address'])
    const path = '/api/v1/repos/acme/quick'
    const holder = { kind: 'operator' } as const
    const { token } = await createToken(hub.state, { holder, name: 'test', scope: 'acme/*', days: 1 }, new Date())
    const publish = (content: string) =>
      fetch(`${nginx.url}${path}/versions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ content }),
      })
    for (const content of ['First.', 'Second.']) {
      expect((await publish(content)).status).toBe(201)
      // Sooner than Cache-Control allows.
      const raw = async () => (await ask(`${nginx.url}${path}/raw`)).bytes.toString()
      await expect.poll(raw, { timeout: 50_000, interval: 200 }).toBe(content)
    }
    await nginx.stop()
  },
)

test.skipIf(!isInstalled('nginx'))('nginx asks the hub again with the ETag, and stores nothing private', async () => {
  const nginx = await startNginx(await freePort(), [Number(new URL(hub.url).port)])
  const conditional: boolean[] = []
  const note = ({ url, headers }: { url?: string; headers: Record<string, unknown> }) => {
    if (url === '/api/v1/repos/acme/other/versions/1.0.0') conditional.push('if-none-match' in headers)
  }
  hub.server.on('request', note)
  const address = `${nginx.url}/api/v1/repos/acme/other/versions/1.0.0`
  await ask(address)
  let again = await ask(address)
  while (conditional.length < 2) again = await ask(address)
  hub.server.off('request', note)
  expect([again.status, JSON.parse(again.bytes.toString()).data.version, conditional]).toEqual([
    200,
    '1.0.0',
    [false, true],
  ])
  await nginx.stop()
})

test.skipIf(!isInstalled('nginx'))(
  'nginx sends each repository to one process and spreads them over all processes',
  async () => {
    const counts = new Map<number, Set<string>>()
    const servers = await Promise.all(
      [0, 1, 2].map(async (index) => {
        const server = createServer((incoming, outgoing) => {
          const repository = /^\/api\/v1\/repos\/([^/]+\/[^/]+)/.exec(incoming.url ?? '')?.[1]
          if (repository) counts.set(index, (counts.get(index) ?? new Set()).add(repository))
          outgoing.setHeader('Cache-Control', 'no-store').end('{}')
        })
        await listen(server)
        return server
      }),
    )
    const ports = servers.map((server) => (server.address() as { port: number }).port)
    const nginx = await startNginx(await freePort(), ports)
    for (let index = 0; index < 30; index++) {
      for (const [rest, method] of [
        ['', 'GET'],
        ['/versions', 'POST'],
        ['/raw?version=1.0.0', 'GET'],
      ] as const)
        await ask(`${nginx.url}/api/v1/repos/acme/r${index}${rest}`, {}, method)
    }
    const all = [...counts.values()].flatMap((repositories) => [...repositories])
    expect([counts.size, all.length, new Set(all).size]).toEqual([3, 30, 30])
    await nginx.stop()
    for (const server of servers) server.close()
  },
)
