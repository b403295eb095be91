// Tests sign-in with GitHub: missing, wrong and replayed `state` parameters, open redirects, renamed accounts, and
// GitHub errors.
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { safeReturnPath } from '../../src/account/sign-in.ts'
import { openProviders } from '../../src/hub/open-sign-in.ts'
import { FAULTS } from '../github/faults.ts'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { type Account, BASE_URL, type Jar, openAccount, signInCookie } from '../hubs/account.ts'

const standIn = await startGitHubStandIn({ redirectUris: [`${BASE_URL}/auth/callback`] })
afterAll(() => standIn?.close())
afterEach(() => {
  standIn.forget()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const open = (clientSecret = standIn.oauth.clientSecret): Account => {
  const settings = { oauthUrl: standIn.url, apiUrl: standIn.url, clientId: standIn.oauth.clientId, clientSecret }
  return openAccount({ signIn: openProviders({ github: settings, oidc: undefined }) })
}

/** Opens GitHub's sign-in page and approves the sign-in. @returns the callback URL on the hub */
const goToGithub = async (jar: Jar, login = 'alice', path = '/auth/sign-in'): Promise<URL> => {
  const address = new URL((await jar.ask(path)).headers.get('Location') ?? '')
  await fetch(address)
  const values = Object.fromEntries(address.searchParams)
  const form = { login, redirect_uri: values.redirect_uri, scope: '', state: values.state, client_id: values.client_id }
  const body = new URLSearchParams(form as Record<string, string>)
  const answer = await fetch(`${standIn.url}/login/oauth/callback`, { method: 'POST', body, redirect: 'manual' })
  return new URL(answer.headers.get('Location') ?? '')
}
const comeBack = (jar: Jar, way: URL) => jar.ask(way.pathname + way.search)

test('redirects to GitHub without a scope, with a new state and code challenge each time', async () => {
  const jar = open().openJar()
  const addresses = [await jar.ask('/auth/sign-in'), await jar.ask('/auth/sign-in')].map(
    ({ headers }) => new URL(headers.get('Location') ?? '').searchParams,
  )
  for (const query of addresses) {
    expect([...query.keys()].sort()).toEqual([
      ...['client_id', 'code_challenge', 'code_challenge_method', 'redirect_uri', 'response_type', 'state'],
    ])
    expect(query.get('redirect_uri')).toBe('https://hub.example/auth/callback')
    expect(query.get('code_challenge_method')).toBe('S256')
  }
  expect(new Set(addresses.flatMap((query) => [query.get('state'), query.get('code_challenge')])).size).toBe(4)
})

test('signs in by GitHub user ID and returns to the page it started from', async () => {
  const account = open()
  const jar = account.openJar()
  const answer = await comeBack(jar, await goToGithub(jar, 'alice', '/auth/sign-in?return_to=/acme/code-review?x=1'))
  expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/acme/code-review?x=1'])
  expect(account.state.texts.get('logins/alice')).toMatch(/^\d+$/)
  expect((await jar.ask('/settings')).text).toContain('Signed in as <strong>alice</strong>')
})

describe('state parameter of the GitHub callback', () => {
  //  case                     change to the callback URL or the cookie jar
  test.each([
    ['missing', (way: URL) => way.searchParams.delete('state')],
    ['empty', (way: URL) => way.searchParams.set('state', '')],
    ['made up', (way: URL) => way.searchParams.set('state', 'A'.repeat(43))],
    ['without its cookie', (_: URL, jar: Jar) => jar.cookies.clear()],
    [
      'with a forged cookie',
      (_: URL, jar: Jar) => changeCookie(jar, (cookie) => `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'E' : 'A'}`),
    ],
    [
      'with a cookie whose payload was replaced',
      (_: URL, jar: Jar) => changeCookie(jar, (cookie) => `e30.${cookie.split('.')[1]}`),
    ],
    ['older than ten minutes', () => vi.useFakeTimers({ now: Date.now() + 601_000, toFake: ['Date'] })],
  ])('%s: returns 400, does not call GitHub and signs nobody in', async (_, change) => {
    const account = open()
    const jar = account.openJar()
    const way = await goToGithub(jar)
    change(way, jar)
    standIn.forget()
    const answer = await comeBack(jar, way)
    expect([answer.status, answer.text.includes('400 invalid_request'), standIn.calls]).toEqual([400, true, []])
    expect([...account.state.texts.keys()]).toEqual([])
  })
  const changeCookie = (jar: Jar, change: (cookie: string) => string) => {
    const [name, cookie] = signInCookie(jar)
    jar.cookies.set(name, change(cookie))
  }

  test('in two tabs: both end where they began, in any order', async () => {
    const jar = open().openJar()
    const first = await goToGithub(jar, 'alice', '/auth/sign-in?return_to=/acme/one')
    const second = await goToGithub(jar, 'alice', '/auth/sign-in?return_to=/acme/two')
    const answers = [await comeBack(jar, first), await comeBack(jar, second)]
    expect(answers.map(({ headers }) => headers.get('Location'))).toEqual(['/acme/one', '/acme/two'])
    expect([...jar.cookies.keys()].filter((name) => name.includes('oauth'))).toEqual([])
    for (let tab = 0; tab < 9; tab++) await goToGithub(jar, 'alice')
    expect([...jar.cookies.keys()].filter((name) => name.includes('oauth'))).toHaveLength(4)
  })

  test('in tabs that start at the same moment: they rarely have the same cookie', async () => {
    const account = open()
    const jars = Array.from({ length: 20 }, () => account.openJar())
    for (const jar of jars) await jar.ask('/auth/sign-in')
    expect(new Set(jars.map((jar) => signInCookie(jar)[0])).size).toBeGreaterThan(1)
  })

  test('from another browser: returns 400', async () => {
    const account = open()
    const [victim, attacker] = [account.openJar(), account.openJar()]
    await goToGithub(victim)
    expect((await comeBack(victim, await goToGithub(attacker, 'bob'))).status).toBe(400)
  })

  test('replayed with its cookie restored and a valid code: returns 400', async () => {
    const account = open()
    const jar = account.openJar()
    const way = await goToGithub(jar)
    const [name, cookie] = signInCookie(jar)
    expect((await comeBack(jar, way)).status).toBe(303)
    expect((await comeBack(jar, way)).status).toBe(400)
    jar.cookies.set(name, cookie)
    // GitHub rejects a code that was already used. This fake accepts the code, as a compromised GitHub might.
    if (account.dependencies.signIn.kind === 'providers')
      account.dependencies.signIn.providers.github!.finish = async () => ({ person: { user_id: '4', login: 'bob' } })
    const answer = await comeBack(jar, way)
    expect([answer.status, answer.text.includes('already completed')]).toEqual([400, true])
  })

  //  case                     the code
  test.each([
    ['a valid code', (way: URL) => way],
    ['a made-up code', (way: URL) => way.searchParams.set('code', 'made-up')],
  ])('sent 40 times concurrently with %s: calls GitHub once', async (_, change) => {
    const jar = open().openJar()
    const way = await goToGithub(jar)
    change(way)
    const [name, cookie] = signInCookie(jar)
    standIn.forget()
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => {
        jar.cookies.set(name, cookie)
        return comeBack(jar, way)
      }),
    )
    expect(standIn.calls.filter(({ name }) => name === 'POST /login/oauth/access_token')).toHaveLength(1)
    expect(answers.filter(({ text }) => text.includes('sign-in was already completed'))).toHaveLength(39)
  })

  test('is remembered as used until its cookie expires, then deleted', async () => {
    const account = open()
    const kept = () => [...account.state.texts.keys()].filter((key) => key.startsWith('sign-ins/'))
    const first = account.openJar()
    await comeBack(first, await goToGithub(first))
    const before = kept()
    expect(before).toHaveLength(1)
    const second = account.openJar()
    vi.useFakeTimers({ now: Date.now() + 1_300_000, toFake: ['Date'] })
    await comeBack(second, await goToGithub(second))
    await account.state.removeExpired()
    expect(kept()).toHaveLength(1)
    expect(kept()).not.toEqual(before)
  })
})

//  return_to                        redirects to
test.each([
  ['/acme/code-review?tab=1#x', '/acme/code-review?tab=1#x'],
  ['/', '/'],
  ['https://evil.example/', '/settings'],
  ['//evil.example', '/settings'],
  ['/\\evil.example', '/settings'],
  ['\\\\evil.example', '/settings'],
  ['/\t/evil.example', '/settings'],
  ['/\n/evil.example', '/settings'],
  ['/x//evil.example', '/settings'],
  ['/..//evil.example', '/settings'],
  ['javascript:alert(1)', '/settings'],
  ['evil.example', '/settings'],
  ['', '/settings'],
  ['/ä', '/settings'],
  ['/x\r\nSet-Cookie: a=b', '/settings'],
  [`/${'x'.repeat(500)}`, '/settings'],
])('return_to %j redirects to %s', (given, expected) => expect(safeReturnPath(given)).toBe(expected))

test('refuses a login that now belongs to another GitHub user until a maintainer releases it', async () => {
  const account = open()
  await account.state.set('logins/alice', '999999')
  const jar = account.openJar()
  const answer = await comeBack(jar, await goToGithub(jar))
  expect([answer.status, jar.cookies.has('__Host-session')]).toEqual([403, false])
  await account.state.delete('logins/alice')
  expect((await comeBack(jar, await goToGithub(jar))).status).toBe(303)
})

describe('GitHub errors', () => {
  const json = (body: object) => ({ kind: 'answer', applied: false, status: 200, body: JSON.stringify(body) }) as const
  //  case                     on                                fault                                        status
  test.each([
    ['a used code', 'POST /login/oauth/access_token', json({ error: 'bad_verification_code' }), 400],
    [
      'rejected client credentials',
      'POST /login/oauth/access_token',
      json({ error: 'incorrect_client_credentials' }),
      503,
    ],
    ['an unknown error', 'POST /login/oauth/access_token', json({ error: 'teapot' }), 502],
    ['HTML', 'POST /login/oauth/access_token', FAULTS.html(false), 502],
    ['a dropped connection', 'POST /login/oauth/access_token', FAULTS.cut(true), 503],
    ['a bad gateway', 'GET /user', FAULTS.badGateway(false), 503],
    ['a user without an ID', 'GET /user', json({ login: 'alice' }), 502],
    ['a login that is not a valid handle', 'GET /user', json({ id: 7, login: 'alice_corp' }), 403],
    ['a rejected access token', 'GET /user', FAULTS.badCredentials(), 502],
  ] as const)('%s: signs nobody in and logs no secret', async (_, name, fault, status) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const jar = open().openJar()
    const way = await goToGithub(jar)
    standIn.script({ on: 'rest', when: (call) => call.name === name, fault })
    const answer = await comeBack(jar, way)
    expect([answer.status, jar.cookies.has('__Host-session')]).toEqual([status, false])
    const lines = JSON.stringify(log.mock.calls)
    for (const secret of ['sekret', way.searchParams.get('code') ?? '?', way.searchParams.get('state') ?? '?'])
      expect(lines + answer.text).not.toContain(secret)
  })

  test('returns 400 when the user denies access on GitHub', async () => {
    const jar = open().openJar()
    const way = await goToGithub(jar)
    way.searchParams.delete('code')
    way.searchParams.set('error', 'access_denied')
    expect((await comeBack(jar, way)).status).toBe(400)
  })
})
