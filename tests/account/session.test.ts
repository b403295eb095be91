// Tests sessions: forged, expired, swapped and revoked cookies, and cross-site requests.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fieldOf, type Jar, openAccount, sendTokenForm, tokenOn } from '../hubs/account.ts'

afterEach(() => vi.useRealTimers())

const SESSION = '__Host-session'
const isSignedIn = async (jar: Jar) => (await jar.ask('/settings')).text.includes('Signed in as')

test('sets the cookies HttpOnly, SameSite=Lax and Secure, with a __Host- prefix', async () => {
  const account = openAccount()
  const jar = account.openJar()
  const page = await jar.ask(account.signInPath())
  expect(page.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-oauth(?:-\d)?=[\w-]+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
    ),
  ])
  const answer = await jar.ask('/auth/local', {
    form: {
      state: fieldOf(page.text, '/auth/local', 'state'),
      key: fieldOf(page.text, '/auth/local', 'key'),
      handle: 'alice',
    },
  })
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure$/),
    // Scripts can read this cookie. It contains no secret.
    '__Host-signed-in=1; Path=/; SameSite=Lax; Max-Age=604800; Secure',
    expect.stringMatching(/^__Host-oauth(?:-\d)?=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0; Secure$/),
  ])
})

test('uses cookie names without the __Host- prefix on http://localhost', async () => {
  const account = openAccount({ baseUrl: 'http://localhost:8888' })
  const [cookie] = (await account.openJar().ask(account.signInPath())).headers.getSetCookie()
  expect(cookie).toMatch(/^oauth(?:-\d)?=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
})

describe('rejected session cookies', () => {
  //  case                    change to the cookie jar of a signed-in user
  test.each([
    ['missing', (jar: Jar) => jar.cookies.clear()],
    ['forged', (jar: Jar) => jar.cookies.set(SESSION, 'A'.repeat(43))],
    ['truncated', (jar: Jar) => jar.cookies.set(SESSION, jar.cookies.get(SESSION)?.slice(1) ?? '')],
    ['a path as the value', (jar: Jar) => jar.cookies.set(SESSION, '../tokens/x')],
    ['sent twice', (jar: Jar) => jar.cookies.set(SESSION, `${'B'.repeat(43)}; ${SESSION}=${jar.cookies.get(SESSION)}`)],
    ['sent twice, ours first', (jar: Jar) => jar.cookies.set(SESSION, `${jar.cookies.get(SESSION)}; ${SESSION}=x`)],
    ['under the cookie name for plain HTTP', (jar: Jar) => rename(jar, 'session')],
    ['under the name of the sign-in cookie', (jar: Jar) => rename(jar, '__Host-oauth')],
  ])('%s', async (_, change) => {
    const jar = await openAccount().signIn('alice')
    expect(await isSignedIn(jar)).toBe(true)
    change(jar)
    expect(await isSignedIn(jar)).toBe(false)
  })

  const rename = (jar: Jar, name: string) => {
    jar.cookies.set(name, jar.cookies.get(SESSION) ?? '')
    jar.cookies.delete(SESSION)
  }

  test('older than seven days, even if in use; the session record is deleted', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const account = openAccount()
    const jar = await account.signIn('alice')
    vi.setSystemTime(Date.now() + 7 * 86_400_000 - 1000)
    expect(await isSignedIn(jar)).toBe(true)
    vi.setSystemTime(Date.now() + 2000)
    expect(await isSignedIn(jar)).toBe(false)
    await account.state.removeExpired()
    expect([...account.state.texts.keys()].filter((key) => key.startsWith('sessions/'))).toEqual([])
  })

  test('from a local sign-in, after the hub switches to GitHub sign-in', async () => {
    const account = openAccount()
    const jar = await account.signIn('alice')
    const nobodyAsks = () => Promise.reject(new Error('nobody asks'))
    account.dependencies.signIn = {
      kind: 'providers',
      providers: { github: { name: 'GitHub', start: nobodyAsks, finish: nobodyAsks } },
    }
    expect(await isSignedIn(jar)).toBe(false)
  })
})

describe('signing out', () => {
  const send = async (jar: Jar, where: string) => {
    const csrf = fieldOf((await jar.ask('/settings/session')).text, where, 'csrf')
    return jar.ask(where, { form: { csrf } })
  }

  test('ends the session in the store too: the old cookie no longer works', async () => {
    const jar = await openAccount().signIn('alice')
    const cookie = jar.cookies.get(SESSION) ?? ''
    const answer = await send(jar, '/auth/sign-out')
    expect([answer.status, answer.headers.get('Location'), jar.cookies.size]).toEqual([
      303,
      '/settings?done=signed-out',
      0,
    ])
    jar.cookies.set(SESSION, cookie)
    expect(await isSignedIn(jar)).toBe(false)
  })

  test('everywhere ends all sessions of that user and of no other user', async () => {
    const account = openAccount()
    const [here, there, bob] = await Promise.all(['alice', 'alice', 'bob'].map((handle) => account.signIn(handle)))
    await send(here!, '/auth/sign-out-everywhere')
    expect(await Promise.all([here!, there!, bob!].map(isSignedIn))).toEqual([false, false, true])
    expect(await isSignedIn(await account.signIn('alice'))).toBe(true)
  })

  test('signing in again ends the previous session, which prevents session fixation', async () => {
    const account = openAccount()
    const jar = await account.signIn('mallory')
    const planted = jar.cookies.get(SESSION) ?? ''
    const { text } = await jar.ask(account.signInPath())
    const [state, key] = [fieldOf(text, '/auth/local', 'state'), fieldOf(text, '/auth/local', 'key')]
    await jar.ask('/auth/local', { form: { state, key, handle: 'alice' } })
    expect(jar.cookies.get(SESSION)).not.toBe(planted)
    jar.cookies.set(SESSION, planted)
    expect(await isSignedIn(jar)).toBe(false)
  })
})

describe('cross-site requests', () => {
  //  case                                     headers
  test.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['an origin that starts with ours', { Origin: 'https://hub.example.evil.example' }],
    ['plain HTTP', { Origin: 'http://hub.example' }],
    ['an opaque origin (null)', { Origin: 'null' }],
    ['no Origin header', { Origin: null }],
    ['Sec-Fetch-Site: cross-site', { Origin: 'https://hub.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { Origin: 'https://hub.example', 'Sec-Fetch-Site': 'same-site' }],
  ])('%s: returns 403 and changes nothing', async (_, headers) => {
    const account = openAccount()
    const jar = await account.signIn('alice')
    const page = (await jar.ask('/settings/tokens')).text + (await jar.ask('/settings/session')).text
    const before = account.state.texts.size
    for (const action of [
      '/settings/tokens',
      '/settings/tokens/revoke',
      '/auth/sign-out',
      '/auth/sign-out-everywhere',
    ]) {
      const csrf = fieldOf(page, action, 'csrf')
      const answer = await jar.ask(action, { form: { csrf, name: 'x', owner: 'alice', days: '1' }, headers })
      expect([action, answer.status, answer.text.includes('403 forbidden')]).toEqual([action, 403, true])
    }
    expect(account.state.texts.size).toBe(before)
    expect(await isSignedIn(jar)).toBe(true)
  })

  //  case                             CSRF token in the form
  test.each([
    ['no CSRF token', async () => ''],
    ['a made-up token', async () => 'A'.repeat(43)],
    [
      'a token from another form',
      async (jar: Jar) => fieldOf((await jar.ask('/settings/session')).text, '/auth/sign-out', 'csrf'),
    ],
    [
      'a token from another session',
      async (_: Jar, other: Jar) => fieldOf((await other.ask('/settings/tokens')).text, '/settings/tokens', 'csrf'),
    ],
  ])('%s: returns 403', async (_, take) => {
    const account = openAccount()
    const [jar, other] = [await account.signIn('alice'), await account.signIn('alice')]
    const answer = await sendTokenForm(jar, { csrf: await take(jar, other) })
    expect([answer.status, tokenOn(answer.text)]).toEqual([403, ''])
  })

  test('returns 403 when nobody is signed in; a GET changes nothing', async () => {
    const account = openAccount()
    expect((await account.openJar().ask('/settings/tokens', { form: { csrf: 'x' } })).status).toBe(403)
    const jar = await account.signIn('alice')
    const before = new Map(account.state.texts)
    for (const path of [
      '/settings',
      '/settings/session',
      '/settings/tokens',
      '/settings/tokens/revoke',
      '/auth/sign-out',
      '/auth/local',
    ])
      await jar.ask(path)
    expect(account.state.texts).toEqual(before)
    expect((await jar.ask('/auth/sign-out')).status).toBe(405)
  })

  test('returns 415 for a non-form content type', async () => {
    const jar = await openAccount().signIn('alice')
    const answer = await jar.ask('/settings/tokens', { form: { csrf: 'x' }, headers: { 'Content-Type': 'text/plain' } })
    expect(answer.status).toBe(415)
  })
})

test('sends no-store and a strict Content-Security-Policy with every response', async () => {
  const jar = await openAccount().signIn('alice')
  for (const answer of [await jar.ask('/settings'), await sendTokenForm(jar), await jar.ask('/auth/nothing')]) {
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'; script-src 'self'")
    expect(answer.headers.get('Content-Security-Policy')).toContain("form-action 'self'")
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull()
  }
})

describe('who is signed in, for scripts of pages', () => {
  const TOKEN = expect.stringMatching(/^[\w-]{43}$/)
  const ask = async (jar: Jar, headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' }) =>
    jar.ask('/auth/session', { headers: { Accept: '*/*', ...headers } })

  test('returns the username, the owners and the CSRF token of the forms, and is never cached', async () => {
    const account = openAccount({ ownersOf: async ({ login }) => [login, 'acme'] })
    const jar = await account.signIn('alice')
    const { status, headers, text } = await ask(jar)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { data: { login: 'alice', owners: ['alice', 'acme'], csrf: TOKEN, sign_out_csrf: TOKEN } },
    ])
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
    expect(headers.get('Access-Control-Allow-Origin')).toBe(null)
    expect(text).not.toContain(jar.cookies.get(SESSION))
    // On plain http, browsers send no Sec-Fetch-Site.
    expect((await ask(jar, {})).status).toBe(200)
  })

  test('returns null without a session, and removes the cookie that makes scripts ask', async () => {
    const jar = await openAccount().signIn('alice')
    jar.cookies.set(SESSION, 'A'.repeat(43))
    const { status, text } = await ask(jar)
    expect([status, JSON.parse(text), [...jar.cookies.keys()]]).toEqual([200, { data: null }, []])
  })

  test.each(['cross-site', 'same-site', 'none'])('rejects a request that is %s', async (site) => {
    const { status, text } = await ask(await openAccount().signIn('alice'), { 'Sec-Fetch-Site': site })
    expect([status, JSON.parse(text).error.code]).toEqual([403, 'forbidden'])
  })
})

test('a form with more fields than any page has is refused before it is parsed, because that takes more than linear time', async () => {
  const jar = await openAccount().signIn('alice')
  const csrf = fieldOf((await jar.ask('/settings/session')).text, '/auth/sign-out', 'csrf')
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, '']))
  const refused = await jar.ask('/auth/sign-out', { form: { csrf, ...fields(100) } })
  expect([refused.status, await isSignedIn(jar)]).toEqual([400, true])
  expect(refused.text).toContain('more than 100 fields')
  const done = await jar.ask('/auth/sign-out', { form: { csrf, ...fields(99) } })
  expect([done.status, await isSignedIn(jar)]).toEqual([303, false])
})

test.each(['a%FFb', 'a%C3', '%ED%A0%80', '100%'])('a form with %s, which is not UTF-8, is refused', async (text) => {
  const jar = await openAccount().signIn('alice')
  const csrf = fieldOf((await jar.ask('/settings/session')).text, '/auth/sign-out', 'csrf')
  const refused = await jar.ask('/auth/sign-out', { form: `csrf=${csrf}&x=${text}` })
  expect([refused.status, await isSignedIn(jar)]).toEqual([400, true])
  expect(refused.text).toContain('The form is not percent-encoded UTF-8.')
  const form = `csrf=${csrf}&x=a%C3%A9+b`
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded; charset=iso-8859-1' }
  expect((await jar.ask('/auth/sign-out', { form, headers })).status).toBe(415)
  expect((await jar.ask('/auth/sign-out', { form })).status).toBe(303)
})
