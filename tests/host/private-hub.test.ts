// Checks that a hub on loopback or in a private network serves only its own pages: no other site that a reader opens can
// read it, and no name that an attacker points at its IP address reaches it.
import { mkdtempSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalogue } from '../../scripts/bench/load-catalogue.ts'
import { openSite } from '../../scripts/bench/open-build.ts'
import { ADDRESSES } from '../../src/catalogue/published/addresses.ts'
import { readConfig } from '../../src/config.ts'
import { serveSites } from '../../src/hosts/node/builds/serve-sites.ts'
import { STARTING } from '../../src/hosts/node/health.ts'
import { openLocalStores } from '../../src/hosts/node/local-stores.ts'
import { openMetrics } from '../../src/hosts/node/metrics.ts'
import { writeSite } from '../hubs/mcp.ts'
import { freePort } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'

type Headers = Record<string, string>

const dir = temporaryFolder('hub-private-')
const stops: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

/** Serves the sample catalogue's data, with the real functions, under the given URL. @returns the port */
async function open(siteUrl: string, metricsPort?: string): Promise<number> {
  const config = readConfig({ SITE_URL: siteUrl, RATE_LIMIT_PER_MINUTE: '0', METRICS_PORT: metricsPort })
  const root = mkdtempSync(join(dir, 'hub-'))
  writeSite(loadCatalogue(config), join(root, 'dist'), config.contentDir)
  const site = openSite(join(root, 'dist'))
  const stores = await openLocalStores(config, root)
  const healthOf = () => ({ ...STARTING, status: 'ok', built_at: new Date().toISOString() }) as const
  const serving = { ...config, port: 0, listenAt: ['127.0.0.1'], healthOf, metrics: openMetrics() }
  const host = await serveSites({ site }, stores, serving)
  stops.push(
    () => host.stop(),
    async () => site.close(),
    () => stores.close(),
  )
  return (host.server.address() as AddressInfo).port
}

const READ = '/api/v1/repos/acme/code-review'
const LAN = 'http://prompts.lan'
let lan: number
let world: number
let metricsOfWorld: number
beforeAll(async () => {
  metricsOfWorld = await freePort()
  ;[lan, world] = [await open(LAN), await open('https://prompts.example.org', String(metricsOfWorld))]
})

function ask(port: number, path: string, headers: Headers = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Headers; text: string }>((done, fail) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) =>
      text(response).then(
        (said) => done({ status: response.statusCode ?? 0, headers: response.headers as Headers, text: said }),
        fail,
      ),
    )
    sent.on('error', fail).end()
  })
}

const OWN = { Host: 'prompts.lan' }
const cross = (mode: string, dest: string, site = 'cross-site') => ({
  ...OWN,
  'Sec-Fetch-Site': site,
  'Sec-Fetch-Mode': mode,
  'Sec-Fetch-Dest': dest,
})

describe('a request to a private hub', () => {
  test.each<[string, Headers, number]>([
    ['from a program', OWN, 200],
    ['with the port', { Host: 'prompts.lan:8888' }, 200],
    ['in upper case', { Host: 'PROMPTS.LAN' }, 200],
    ['to localhost', { Host: 'localhost:8888' }, 200],
    ['to IPv4 loopback', { Host: '127.0.0.1:1' }, 200],
    ['to IPv6 loopback', { Host: '[::1]:8888' }, 200],
    ['to an IP address', { Host: '192.168.1.20:8888' }, 200],
    ['to a name that someone points here', { Host: 'evil.example' }, 403],
    ['to a name that starts the same', { Host: 'prompts.lan.evil.example' }, 403],
    ['to another name of the network', { Host: 'wiki.lan' }, 403],
    ['to a name like an IP address', { Host: '127.0.0.1.evil.example' }, 403],
    ['from its own page', { ...OWN, Origin: LAN }, 200],
    ['from its own page at its IP address', { Host: '10.0.0.5:8888', Origin: 'http://10.0.0.5:8888' }, 200],
    ['from a program on the reader’s machine', { ...OWN, Origin: 'http://localhost:6274' }, 200],
    ['from a page of another site', { ...OWN, Origin: 'https://evil.example' }, 403],
    ['from another port of its host', { ...OWN, Origin: 'http://prompts.lan:3000' }, 403],
    ['from another host of the network', { ...OWN, Origin: 'http://wiki.lan' }, 403],
    ['from a page at a name that someone points here', { Host: 'evil.example', Origin: 'http://evil.example' }, 403],
    ['from a sandboxed page', { ...OWN, Origin: 'null' }, 403],
    ['from a form of its own, without a referrer', { ...OWN, Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['from an extension', { ...OWN, Origin: 'chrome-extension://abc' }, 403],
    ['from no origin', { ...OWN, Origin: 'not an origin' }, 403],
    ['by a link on another site', cross('navigate', 'document'), 200],
    ['by a frame of another site', cross('navigate', 'iframe'), 403],
    ['by a script of another site', cross('no-cors', 'script'), 403],
    ['by an image of another site', cross('no-cors', 'image'), 403],
    ['by an image of another host of the network', cross('no-cors', 'image', 'same-site'), 403],
    ['by its own script', cross('cors', 'empty', 'same-origin'), 200],
    ['by its own image', cross('no-cors', 'image', 'same-origin'), 200],
    ['by the address bar', cross('navigate', 'document', 'none'), 200],
  ])('%s', async (_, headers, status) => {
    const answer = await ask(lan, READ, headers)
    expect(answer.status).toBe(status)
    expect(answer.headers['access-control-allow-origin']).toBe(
      status === 200 && headers.Origin?.startsWith('http') ? headers.Origin : LAN,
    )
    expect(answer.headers.vary).toContain('Origin')
    if (status === 200) return
    expect(JSON.parse(answer.text).error.code).toBe('forbidden')
    expect(answer.text).toMatch(/set SITE_URL to|Omit the header/)
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test.each<[string, string, Headers, number]>([
    ['an IP address', '/healthz', { Host: '10.1.2.3:8888' }, 200],
    ['a name of the network', '/healthz', { Host: 'hub1:8888' }, 200],
    ['a name of the cluster', '/metrics', { Host: 'hub.default.svc.cluster.local' }, 200],
    ['a public name', '/healthz', { Host: 'evil.example' }, 403],
    ['a public name', '/metrics', { Host: 'evil.example' }, 403],
    ['a page of another site', '/metrics', { ...OWN, Origin: 'https://evil.example' }, 403],
  ])('by monitoring, from %s: %s', async (_, path, headers, status) => {
    expect((await ask(lan, path, headers)).status).toBe(status)
  })

  test.each(['/healthz', '/readyz', '/metrics'])(
    '%s has the same status for GET and HEAD, and no other method',
    async (path) => {
      const [found, head] = [await ask(lan, path, OWN), await ask(lan, path, OWN, 'HEAD')]
      expect([head.status, head.text, head.headers['content-type']]).toEqual([
        ...[found.status, '', found.headers['content-type']],
      ])
      for (const method of ['POST', 'OPTIONS', 'DELETE']) {
        const { status, headers } = await ask(lan, path, OWN, method)
        expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD'])
      }
    },
  )

  const filled = (path: string) =>
    path
      .replace('{owner}', 'acme')
      .replace('{name}', 'code-review')
      .replace('{version}', '1.0.0')
      .replace(/\{\w+\}/g, 'x')
      .replace('*', 'x')
  test('at every address is rejected for another site and for another host', async () => {
    const wrong: unknown[] = []
    for (const { path, methods } of ADDRESSES)
      for (const method of methods)
        for (const headers of [{ ...OWN, Origin: 'https://evil.example' }, { Host: 'evil.example' }]) {
          const { status, headers: sent } = await ask(lan, filled(path), headers, method)
          if (status !== 403 || ![undefined, LAN].includes(sent['access-control-allow-origin']))
            wrong.push([method, path, status, sent])
        }
    expect(wrong).toEqual([])
  })

  test('has no permission for all origins, even if it is malformed or has no file', async () => {
    for (const path of [READ, '/healthz', '/data/v1/index.json', '/data/v1/nothing.json', '/api', '/mcp', '/nothing']) {
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        const { headers } = await ask(lan, path, OWN, method)
        expect([undefined, LAN], `${method} ${path}`).toContain(headers['access-control-allow-origin'])
      }
    }
    const malformed = await ask(lan, READ, { ...OWN, 'X-Long': 'x'.repeat(30_000) })
    expect([malformed.status, malformed.headers['access-control-allow-origin']]).toEqual([400, LAN])
  })

  test('keeps conditional and compressed responses', async () => {
    const first = await ask(lan, READ, { ...OWN, 'Accept-Encoding': 'gzip' })
    expect([first.headers['content-encoding'], first.headers.vary]).toEqual(['gzip', 'Accept-Encoding, Origin'])
    const again = await ask(lan, READ, { ...OWN, 'If-None-Match': first.headers.etag! })
    expect([again.status, again.headers['access-control-allow-origin']]).toEqual([304, LAN])
  })
})

test.each<[string, Headers]>([
  ['another host', { Host: 'evil.example' }],
  ['another origin', { Origin: 'https://page.example' }],
  ['a script of another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
])('a public hub serves %s', async (_, headers) => {
  const answer = await ask(world, READ, headers)
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*'])
})

test.each<['metrics' | 'own', string, number]>([
  ['metrics', '/metrics', 200],
  ['metrics', '/healthz', 200],
  ['metrics', READ, 404],
  // As any address of a page, because this hub has no pages.
  ['own', '/metrics', 503],
  ['own', '/healthz', 200],
])('with METRICS_PORT, the %s port answers %s with %i', async (port, path, status) => {
  expect((await ask(port === 'own' ? world : metricsOfWorld, path)).status).toBe(status)
})

test('a hub without settings is private', () => {
  expect(readConfig({}).isPrivate).toBe(true)
  expect(readConfig({ SITE_URL: 'https://prompts.example.org' }).isPrivate).toBe(false)
  expect(readConfig({ SITE_URL: 'https://prompts.internal' }).isPrivate).toBe(true)
})
