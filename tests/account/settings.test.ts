// Tests the settings that sign-in requires: an error names each missing setting, and local sign-in is available only in
// local mode.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { handleAccount } from '../../src/account/handle-account.ts'
import { makeSharedKey, openLocalKeys } from '../../src/account/local-keys.ts'
import type { AccountDeps } from '../../src/account/visit.ts'
import { readConfig } from '../../src/config.ts'
import { openLocalStores } from '../../src/hosts/node/local-stores.ts'
import { connectAccount } from '../../src/hub/connect-account.ts'
import type { ServerHub } from '../../src/hub/open-hub.ts'
import { openPublishHub } from '../../src/hub/open-publish-hub.ts'
import { openPageCache } from '../../src/server/page-cache.ts'
import { fieldOf, openAccount } from '../hubs/account.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { loadPageCode } from '../hubs/page-code.ts'

const GITHUB = {
  GITHUB_CLIENT_ID: 'Iv1.abc',
  GITHUB_CLIENT_SECRET: 'sekret',
  SESSION_SECRET: 'a secret of the tests, long enough',
}
const NAMES = [
  ...Object.keys(GITHUB),
  'SITE_URL',
  'URL',
  'NETLIFY_LOCAL',
  'GITHUB_OAUTH_URL',
  'OIDC_ISSUER',
  'OIDC_JWKS_URL',
]
const before = { ...process.env }
beforeEach(() => {
  for (const name of NAMES) delete process.env[name]
})
afterEach(() => {
  process.env = { ...before }
})

const nothing = () => {
  throw new Error('nobody asks')
}
const hub: ServerHub = {
  files: { read: nothing },
  search: nothing,
  pages: { code: await loadPageCode(), broken: new Map(), cache: openPageCache(), purge: nothing },
  fresh: { find: nothing, listNames: async () => [], keep: nothing },
  nextOrder: nothing,
  state: memoryState(),
  localKeys: openLocalKeys(() => {}),
  localGit: { readFolder: nothing, readBlob: nothing, listFolder: nothing, commit: nothing },
}

/** Sends a request and returns the response. @param on `host` for our own Node server, or `platform` for Netlify */
const ask = async (
  path: string,
  { on = 'host', client = '127.0.0.1', at = 'http://localhost:8888', headers = {}, method = 'GET' } = {},
) => {
  const request = new Request(at + path, { method, headers: { Accept: 'application/json', ...headers } })
  const answer = await handleAccount(request, () =>
    connectAccount(request, on === 'host' ? { client, hub } : { client }),
  )
  return { status: answer.status, text: await answer.text() }
}
const link = () => `/auth/local?key=${hub.localKeys.current()}`

describe('local sign-in with no settings', () => {
  test('lets anyone with the sign-in link sign in with any username', async () => {
    expect((await ask(link())).text).toContain('Sign in')
    expect((await ask('/auth/callback?code=x&state=y')).status).toBe(404)
  })

  //  case                                                     path                      status
  test.each([
    ['the account page', '/settings', 200],
    ['the sign-in URL', '/auth/sign-in', 200],
    ['the sign-in form', '/auth/local', 403],
    ['the form with a made-up key', `/auth/local?key=${'A'.repeat(43)}`, 403],
    ['the form with an empty key', '/auth/local?key=', 403],
  ])('without the sign-in link, %s asks the user to open it', async (_, path, status) => {
    const answer = await ask(path)
    expect(answer.status).toBe(status)
    expect(answer.text).toContain('open the link that <code>npm start</code> printed')
    expect(answer.text).not.toContain('name="handle"')
  })

  test('refuses a request through a reverse proxy that adds no headers', async () => {
    // nginx forwards requests like this one if it has only `proxy_pass http://localhost:8888`.
    const answer = await ask('/auth/local', { at: 'http://localhost:8888', headers: { Host: 'localhost:8888' } })
    expect([answer.status, answer.text.includes('name="handle"')]).toEqual([403, false])
  })
})

test('a sign-in link works once, and a new link is printed after each sign-in', async () => {
  const told: string[] = []
  const keys = openLocalKeys((key) => told.push(key))
  const account = openAccount({ signIn: { kind: 'local', keys } })
  const first = keys.current()
  const jars = [account.openJar(), account.openJar()]
  await jars[1]!.ask('/auth/sign-in?return_to=/acme/review')
  const pages = await Promise.all(jars.map((jar) => jar.ask(`/auth/local?key=${first}`)))
  const send = (index: number, handle: string) =>
    jars[index]!.ask('/auth/local', {
      form: { state: fieldOf(pages[index]!.text, '/auth/local', 'state'), key: first, handle },
    })
  // A sign-in key works only once, but an attempt with an invalid username does not use it up.
  expect((await send(0, 'not a handle')).status).toBe(422)
  expect((await send(0, 'alice')).status).toBe(303)
  const late = await send(1, 'mallory')
  expect([late.status, late.text.includes('href="/auth/sign-in?return_to=%2Facme%2Freview"')]).toEqual([403, true])
  expect(told).toEqual([keys.current()])
  expect(told).not.toContain(first)
  expect((await jars[1]!.ask(`/auth/local?key=${first}`)).status).toBe(403)
  expect((await jars[1]!.ask(`/auth/local?key=${keys.current()}`)).status).toBe(200)
})

test('a key that another process made works once, until it expires', async () => {
  let now = Date.parse('2026-11-28T10:00:00Z')
  const state = memoryState(undefined, () => now)
  const told: string[] = []
  const hubs = [openLocalKeys((key) => told.push(key), state), openLocalKeys(() => {}, state)]
  const key = await makeSharedKey(state, new Date(now))
  expect((await state.list('')).keys.join()).not.toContain(key)
  expect(await Promise.all(hubs.map((keys) => keys.isGood(key)))).toEqual([true, true])
  expect((await Promise.all(hubs.map((keys) => keys.spend(key)))).filter(Boolean)).toEqual([true])
  expect(await Promise.all(hubs.map((keys) => keys.isGood(key)))).toEqual([false, false])
  for (const wrong of [null, '', 'x', hubs[1]!.current()]) expect(await hubs[0]!.spend(wrong)).toBe(false)
  const late = await makeSharedKey(state, new Date(now))
  now += 901_000
  expect(await hubs[0]!.isGood(late)).toBe(false)
  expect(told).toEqual([])
})

describe('local sign-in is disabled', () => {
  //  case                                settings
  test.each([
    ['for a hub with a SITE_URL', { SITE_URL: 'https://hub.example' }],
    ['under the Netlify dev server', { NETLIFY_LOCAL: 'true' }],
    ['with only some of the GitHub settings', { GITHUB_CLIENT_ID: 'x' }],
  ])('%s', async (_, settings) => {
    Object.assign(process.env, settings)
    for (const [path, method] of [
      ['/auth/sign-in', 'GET'],
      [link(), 'GET'],
      ['/auth/local', 'POST'],
    ] as const) {
      const { status, text } = await ask(path, { method })
      expect([404, 503]).toContain(status)
      expect(text).not.toContain('handle')
    }
  })

  test('returns 404 when GitHub sign-in is configured', async () => {
    Object.assign(process.env, GITHUB)
    expect((await ask('/auth/local', { method: 'POST' })).status).toBe(404)
  })

  test('on Netlify, returns 404 with all settings and 503 when one is missing', async () => {
    Object.assign(process.env, GITHUB, { SITE_URL: 'https://hub.example' })
    expect((await ask('/auth/local', { on: 'platform', method: 'POST', at: 'http://localhost' })).status).toBe(404)
    // Settings are read once per environment object, so the test replaces the object.
    process.env = { ...process.env, GITHUB_CLIENT_ID: '' }
    expect((await ask('/auth/local', { on: 'platform', method: 'POST', at: 'http://localhost' })).status).toBe(503)
  })

  test('tokens of local users stop working once local sign-in is disabled', async () => {
    const local = { user_id: 'local-alice', login: 'alice' }
    const request = new Request('http://localhost:8888/')
    const restart = () => openPublishHub(request, { client: '', hub: { ...hub, state: { ...hub.state } } })
    expect(await (await restart()).findHolder(local)).toEqual(local)
    process.env = { ...process.env, ...GITHUB }
    expect(await (await restart()).findHolder(local)).toBe(undefined)
    process.env = { SITE_URL: 'https://hub.example' }
    expect(await (await restart()).findHolder(local)).toBe(undefined)
  })
})

describe('missing or invalid settings are named in the response', () => {
  test.each(['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'])(
    '%s missing: returns 503, self-hosted and on Netlify',
    async (name) => {
      Object.assign(process.env, GITHUB)
      delete process.env[name]
      for (const on of ['host', 'platform']) {
        const { status, text } = await ask('/settings', { on })
        expect([on, status, text.includes(name), text.includes('sekret')]).toEqual([on, 503, true, false])
      }
      await expect(openLocalStores(readConfig(process.env))).rejects.toThrow(name)
    },
  )

  test('SESSION_SECRET: returns 503 when it is empty or too short', async () => {
    for (const value of ['', 'short']) {
      Object.assign(process.env, GITHUB, { SESSION_SECRET: value })
      const { status, text } = await ask('/settings')
      expect([value, status, text.includes('SESSION_SECRET')]).toEqual([value, 503, true])
    }
  })

  test('names all required settings on Netlify', async () => {
    const { status, text } = await ask('/settings', { on: 'platform' })
    expect(status).toBe(503)
    for (const name of Object.keys(GITHUB)) expect(text).toContain(name)
  })

  test('rejects a SITE_URL without https', async () => {
    Object.assign(process.env, GITHUB, { SITE_URL: 'http://hub.lan' })
    expect((await ask('/settings')).text).toContain('SITE_URL')
  })

  test('a self-hosted hub without sign-in explains how to create tokens instead', async () => {
    process.env.SITE_URL = 'https://hub.example'
    const { status, text } = await ask('/settings')
    expect([status, text.includes('npm run token'), text.includes('/docs/settings')]).toEqual([200, true, true])
  })
})

test('while the pages are being bundled, returns 503 with Retry-After, and signs nobody in', async () => {
  const pages = { ...hub.pages!, code: undefined }
  const request = new Request(`http://localhost:8888${link()}`, { headers: { Accept: 'text/html' } })
  const answer = await handleAccount(request, () => connectAccount(request, { client: '', hub: { ...hub, pages } }))
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5'])
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(await answer.text()).toContain('The pages are being prepared.')
})

describe('rate limit of the account pages', () => {
  const ADDRESSES = ['/settings', '/settings/tokens', '/auth/sign-in', '/auth/callback?code=x&state=y', '/auth/nowhere']
  test.each(ADDRESSES)('%s over the limit: returns 429 and does not look up the session', async (path) => {
    const limiter = { take: (key: string) => (key === '192.0.2.1' ? 17 : 0) }
    const accounts = new Proxy({} as AccountDeps['accounts'], { get: nothing })
    const jar = openAccount({ limiter, accounts }).openJar()
    jar.cookies.set('__Host-session', 'A'.repeat(43))
    const answer = await jar.ask(path)
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '17'])
    expect(answer.text).toContain('Too many requests from this IP address')
  })

  test('applies the read limit to each client address, also when self-hosted', async () => {
    const { limiter, clientAddress } = await connectAccount(new Request('http://localhost:8888/settings'), {
      client: '2001:db8:1:2::/64',
      hub,
    })
    expect(clientAddress).toBe('2001:db8:1:2::/64')
    const waits = Array.from({ length: 121 }, () => limiter.take(clientAddress))
    expect(waits.slice(0, 120)).toEqual(Array(120).fill(0))
    expect(waits[120]).toBeGreaterThan(0)
  })
})

test('GitHub settings default to github.com', () => {
  const { oidc, signIn } = readConfig(GITHUB)
  expect(oidc).toEqual({
    issuer: 'https://token.actions.githubusercontent.com',
    jwksUrl: 'https://token.actions.githubusercontent.com/.well-known/jwks',
  })
  expect(signIn).toMatchObject({
    kind: 'providers',
    github: { oauthUrl: 'https://github.com', apiUrl: 'https://api.github.com' },
    oidc: undefined,
  })
  expect(() => readConfig({ OIDC_ISSUER: 'https://x.example/' })).toThrow('OIDC_ISSUER')
})
