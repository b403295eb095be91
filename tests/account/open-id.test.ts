// Tests sign-in with an OpenID Connect provider: a real one, and the attacks and faults that a front before it makes.
import { generateKeyPair } from 'jose'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { Person } from '../../src/domain/access/person.ts'
import { openProviders } from '../../src/hub/open-sign-in.ts'
import { BASE_URL, fieldOf, type Jar, openAccount, signInCookie } from '../hubs/account.ts'
import { CLIENT, type OpenIdProvider, signIdToken, startOpenIdProvider } from '../oidc/provider.ts'

let log: ReturnType<typeof vi.spyOn>
const provider = await startOpenIdProvider([`${BASE_URL}/auth/callback/oidc`])
afterAll(() => provider?.close())
afterEach(() => {
  for (const ending of ENDINGS) provider.tamper(ending)
  vi.restoreAllMocks()
})
const ENDINGS = ['/token', '/me', '/jwks', '/.well-known/openid-configuration']

let hubs = 0
/** Opens a hub. Each has settings of its own, so that it asks the provider about itself again. */
const open = (given: Parameters<typeof openAccount>[0] = {}, issuer = provider.issuer) => {
  log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const oidc = { issuer, ...CLIENT, number: ++hubs }
  return openAccount({ signIn: openProviders({ github: undefined, oidc }), ...given })
}

const start = async (jar: Jar, path = '/auth/sign-in') => {
  const answer = await jar.ask(path)
  expect([answer.status, answer.text]).toEqual([303, ''])
  return new URL(answer.headers.get('Location') ?? '')
}
/** Signs in at the provider. @returns the callback URL on the hub */
const goThere = async (jar: Jar, login = 'ada', path?: string) => provider.signIn(await start(jar, path), login)
const comeBack = (jar: Jar, way: URL) => jar.ask(way.pathname + way.search)
const isSignedIn = (jar: Jar) => jar.cookies.has('__Host-session')

test('redirects with PKCE, state and nonce, all new each time, and asks for the email address', async () => {
  const jar = open().openJar()
  const queries = [await start(jar), await start(jar)].map(({ searchParams }) => searchParams)
  for (const query of queries) {
    expect(query.get('scope')).toBe('openid profile email')
    expect(query.get('redirect_uri')).toBe('https://hub.example/auth/callback/oidc')
    expect(query.get('response_type')).toBe('code')
    expect(query.get('code_challenge_method')).toBe('S256')
  }
  const values = ['state', 'nonce', 'code_challenge'].flatMap((name) => queries.map((query) => query.get(name)))
  expect(new Set(values).size).toBe(6)
})

test('signs in, keeps what the provider says, and returns to the page it started from', async () => {
  const account = open()
  const jar = account.openJar()
  const answer = await comeBack(jar, await goThere(jar, 'ada', '/auth/sign-in?return_to=/acme/review?x=1'))
  expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/acme/review?x=1'])
  const page = (await jar.ask('/settings')).text
  expect(page).toContain('Signed in as <strong>ada-acme</strong>')
  expect((await jar.ask('/settings/session')).text).toContain('ada@acme.example')
  const userId = account.state.texts.get('logins/ada-acme')
  expect(userId).toMatch(/^oidc-[0-9a-f]{32}$/)
  expect(JSON.parse(account.state.texts.get(`identities/${userId}`) ?? '')).toEqual({
    issuer: provider.issuer,
    subject: 'ada',
    email: 'ada@acme.example',
    name: 'Ada Example',
  })
})

test('an unverified email address gives neither a login nor rights, and the subject still signs in', async () => {
  const seen: unknown[] = []
  const ownersOf = async ({ oidc }: Person) => {
    seen.push(oidc)
    return []
  }
  const account = open({ ownersOf })
  const jar = account.openJar()
  expect((await comeBack(jar, await goThere(jar, 'mallory'))).status).toBe(303)
  expect((await jar.ask('/settings')).text).toMatch(/Signed in as <strong>user-[0-9a-f]{12}</)
  expect(seen).toEqual([{ issuer: provider.issuer, subject: 'mallory', email: null, name: 'Mallory Example' }])
})

test('two accounts with the same beginning of their addresses get two logins, and keep them', async () => {
  const account = open()
  const other = await startOpenIdProvider([`${BASE_URL}/auth/callback/oidc`], {
    claimsOf: () => ({ email: 'ada@acme.example.org', email_verified: true }),
  })
  const jars = [account.openJar(), account.openJar(), account.openJar()] as const
  await comeBack(jars[0], await goThere(jars[0]))
  account.dependencies.signIn = openProviders({ github: undefined, oidc: { issuer: other.issuer, ...CLIENT } })
  const way = await other.signIn(await start(jars[1]), 'ada')
  await comeBack(jars[1], way)
  await comeBack(jars[2], await other.signIn(await start(jars[2]), 'ada'))
  await other.close()
  const logins = await Promise.all(
    jars.map(async (jar) => /Signed in as <strong>([^<]*)/.exec((await jar.ask('/settings')).text)?.[1]),
  )
  // The first session is of a provider that is no longer configured.
  expect(logins).toEqual([undefined, 'ada-acme-2', 'ada-acme-2'])
})

describe('who is not admitted', () => {
  test('by READERS: 403 with a way out, and nothing is stored', async () => {
    const account = open({ admits: async () => false })
    const jar = account.openJar()
    const way = await goThere(jar, 'ada', '/auth/sign-in?return_to=/acme/review?x=1')
    await start(jar)
    const answer = await comeBack(jar, way)
    expect([answer.status, isSignedIn(jar)]).toEqual([403, false])
    expect(answer.text).toContain('Ask the operator of this hub to add you to its readers')
    expect(answer.text).toContain('href="/auth/sign-in?return_to=%2Facme%2Freview%3Fx%3D1">Sign in again</a>')
    expect([...account.state.texts.keys()].filter((key) => !key.startsWith('sign-ins/'))).toEqual([])
  })

  test('because the operator blocked the login', async () => {
    const account = open()
    await account.state.set('blocks/logins/ada-acme', '2026-11-25T00:00:00Z')
    const jar = account.openJar()
    expect((await comeBack(jar, await goThere(jar))).text).toContain('ada-acme is blocked on this hub')
    expect(isSignedIn(jar)).toBe(false)
  })
})

describe('attacks on the callback', () => {
  //  case                         change to the callback URL or the cookie jar
  test.each([
    ['no state', (way: URL) => way.searchParams.delete('state')],
    ['a made-up state', (way: URL) => way.searchParams.set('state', 'A'.repeat(43))],
    ['no cookie', (_: URL, jar: Jar) => jar.cookies.clear()],
    ['the issuer of another provider (mix-up)', (way: URL) => way.searchParams.set('iss', 'https://evil.example')],
    ['no issuer, though the provider promises one', (way: URL) => way.searchParams.delete('iss')],
    ['an error of the provider', (way: URL) => way.searchParams.set('error', 'access_denied')],
    ['a made-up code', (way: URL) => way.searchParams.set('code', 'A'.repeat(43))],
  ])('%s: signs nobody in, and the page is no 500', async (_, change) => {
    const account = open()
    const jar = account.openJar()
    const way = await goThere(jar)
    change(way, jar)
    const answer = await comeBack(jar, way)
    expect([400, 502]).toContain(answer.status)
    expect([
      isSignedIn(jar),
      [...account.state.texts.keys()].filter((key) => /^(?:sess|ident|login)/.test(key)),
    ]).toEqual([false, []])
  })

  test('the state of another browser', async () => {
    const account = open()
    const [victim, attacker] = [account.openJar(), account.openJar()]
    await goThere(victim)
    expect((await comeBack(victim, await goThere(attacker, 'bob'))).status).toBe(400)
    expect(isSignedIn(victim)).toBe(false)
  })

  test('a replayed answer, even with its cookie restored', async () => {
    const jar = open().openJar()
    const way = await goThere(jar)
    const [name, cookie] = signInCookie(jar)
    expect((await comeBack(jar, way)).status).toBe(303)
    jar.cookies.set(name, cookie)
    expect((await comeBack(jar, way)).text).toContain('already completed')
  })

  test('a code that another browser’s sign-in received (code injection): PKCE refuses it', async () => {
    const account = open()
    const [jar, other] = [account.openJar(), account.openJar()]
    const [way, stolen] = [await goThere(jar), await goThere(other, 'bob')]
    way.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expect((await comeBack(jar, way)).status).toBe(400)
    expect(isSignedIn(jar)).toBe(false)
  })

  test('an answer at the callback of the other provider', async () => {
    const github = { oauthUrl: provider.issuer, apiUrl: provider.issuer, ...CLIENT }
    const oidc = { issuer: provider.issuer, ...CLIENT }
    const jar = open({ signIn: openProviders({ github, oidc }) }).openJar()
    const way = await goThere(jar, 'ada', '/auth/sign-in?provider=oidc')
    expect((await jar.ask(`/auth/callback${way.search}`)).status).toBe(400)
  })

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example'])('return_to %s stays here', async (to) => {
    const jar = open().openJar()
    const way = await goThere(jar, 'ada', `/auth/sign-in?return_to=${encodeURIComponent(to)}`)
    expect((await comeBack(jar, way)).headers.get('Location')).toBe('/settings')
  })
})

describe('forged ID tokens', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  //  case                             the forged token
  test.each<[string, Parameters<OpenIdProvider['forgeIdToken']>[0]]>([
    ['another nonce', (claims, key) => signIdToken({ ...claims, nonce: 'of somebody else' }, key)],
    ['no nonce', ({ nonce: _, ...claims }, key) => signIdToken(claims, key)],
    ['another issuer', (claims, key) => signIdToken({ ...claims, iss: 'https://evil.example' }, key)],
    ['another client', (claims, key) => signIdToken({ ...claims, aud: 'another-client' }, key)],
    ['expired', (claims, key) => signIdToken({ ...claims, exp: now() - 3_600, iat: now() - 7_200 }, key)],
    ['a subject of 256 characters', (claims, key) => signIdToken({ ...claims, sub: 'x'.repeat(256) }, key)],
    ['no subject', ({ sub: _, ...claims }, key) => signIdToken(claims, key)],
    ['alg none', (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`],
    ['no signature', (claims) => `${encode({ alg: 'RS256', kid: 'key-1' })}.${encode(claims)}.`],
    ['another key', async (claims) => signIdToken(claims, (await generateKeyPair('RS256')).privateKey)],
    ['no token at all', () => ''],
  ])('%s: 502, and nobody is signed in', async (_, forge) => {
    const account = open()
    const jar = account.openJar()
    const way = await goThere(jar)
    provider.tamper('/token', provider.forgeIdToken(forge))
    const answer = await comeBack(jar, way)
    expect([answer.status, isSignedIn(jar)]).toEqual([502, false])
    expect(answer.text).toContain('sent an unexpected response. Try again in a few minutes.')
    expect([...account.state.texts.keys()].filter((key) => /^(?:sess|ident|login)/.test(key))).toEqual([])
  })

  test('the same front without a forgery signs in', async () => {
    const jar = open().openJar()
    const way = await goThere(jar)
    provider.tamper(
      '/token',
      provider.forgeIdToken((claims, key) => signIdToken(claims, key)),
    )
    expect([(await comeBack(jar, way)).status, isSignedIn(jar)]).toEqual([303, true])
  })

  test('user information about somebody else: 502', async () => {
    const jar = open().openJar()
    const way = await goThere(jar)
    provider.tamper('/me', async () => Response.json({ sub: 'bob', email: 'bob@acme.example', email_verified: true }))
    expect([(await comeBack(jar, way)).status, isSignedIn(jar)]).toEqual([502, false])
  })
})

describe('a provider that fails', () => {
  const LONG = JSON.stringify({ long: 'x'.repeat(1_000_000) })
  const never = () => new Promise<undefined>(() => {})
  //  case                 at                                     its answer                                  status
  test.each<[string, string, () => Promise<Response | undefined>, number]>([
    ['500', '/.well-known/openid-configuration', async () => new Response('', { status: 500 }), 503],
    ['404', '/.well-known/openid-configuration', async () => new Response('', { status: 404 }), 503],
    [
      'another issuer',
      '/.well-known/openid-configuration',
      async () => Response.json({ issuer: 'https://evil.example' }),
      503,
    ],
    ['1 MB', '/.well-known/openid-configuration', async () => new Response(LONG), 503],
    ['a redirect', '/.well-known/openid-configuration', async () => Response.redirect('http://169.254.169.254/'), 503],
    ['500', '/token', async () => new Response('', { status: 500 }), 503],
    ['1 MB', '/token', async () => new Response(LONG, { headers: { 'content-type': 'application/json' } }), 502],
    ['a redirect', '/token', async () => Response.redirect('http://169.254.169.254/'), 502],
    ['HTML', '/token', async () => new Response('<p>', { headers: { 'content-type': 'text/html' } }), 502],
    ['an unknown client', '/token', async () => Response.json({ error: 'invalid_client' }, { status: 401 }), 503],
    ['a used code', '/token', async () => Response.json({ error: 'invalid_grant' }, { status: 400 }), 400],
    ['keys of 1 MB', '/jwks', async () => new Response(LONG), 502],
    ['user information of 1 MB', '/me', async () => new Response(LONG), 502],
    ['no answer in time', '/token', never, 503],
  ])('%s at %s', async (_, ending, answer, status) => {
    const jar = open().openJar()
    const isEarly = ending.startsWith('/.well-known')
    const way = isEarly ? undefined : await goThere(jar)
    provider.tamper(ending, answer)
    const start = AbortSignal.timeout.bind(AbortSignal)
    if (answer === never) vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => start(ms / 50))
    const said = await (way ? comeBack(jar, way) : jar.ask('/auth/sign-in'))
    expect([said.status, isSignedIn(jar)]).toEqual([status, false])
    expect(said.text).toMatch(/Try again|Sign in again|Correct SIGN_IN_ISSUER|is wrong/)
    const lines = JSON.stringify(log.mock.calls)
    for (const secret of [CLIENT.clientSecret, way?.searchParams.get('code'), way?.searchParams.get('state')])
      if (secret) expect(lines + said.text).not.toContain(secret)
  })

  //  what                           SIGN_IN_ISSUER    the document's issuer        what the message names
  test.each<[string, string, unknown, string]>([
    ['a slash at the end', '/hub', '/hub/', '/hub/'],
    ['another path', '/hub', '/other', '/other'],
    ['a line feed and 300 letters', '/hub', `/\n${'x'.repeat(300)}`, '/?xxx'],
  ])('names the issuer of the document, if it is another: %s', async (_, ours, theirs, named) => {
    const { issuer } = provider
    provider.tamper('/.well-known/openid-configuration', async () => Response.json({ issuer: `${issuer}${theirs}` }))
    const { status, text } = await open({}, `${issuer}${ours}`).openJar().ask('/auth/sign-in')
    const document = `${issuer}${ours}/.well-known/openid-configuration`
    expect([status, text]).toEqual([503, expect.stringContaining(`${document} describes the issuer ${issuer}${named}`)])
    expect(text).toContain(`, not ${issuer}${ours}. Correct SIGN_IN_ISSUER.`)
    expect(text).not.toContain('x'.repeat(100))
  })

  test('says that there is no issuer, if the document names none', async () => {
    provider.tamper('/.well-known/openid-configuration', async () => Response.json({ issuer: { a: 1 } }))
    const { status, text } = await open().openJar().ask('/auth/sign-in')
    expect([status, text]).toEqual([
      503,
      expect.stringContaining('/.well-known/openid-configuration describes no issuer.'),
    ])
  })

  test('Microsoft’s addresses for all tenants are refused, because they let everybody in', async () => {
    // Microsoft cannot be asked here, so this is the part of its metadata that counts.
    const endpoints = { authorization_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize' }
    const metadata = { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0', ...endpoints }
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(metadata))
    const jar = open({}, 'https://login.microsoftonline.com/common/v2.0').openJar()
    const answer = await jar.ask('/auth/sign-in')
    expect([answer.status, answer.text.includes('Correct SIGN_IN_ISSUER')]).toEqual([503, true])
  })

  test('that is down: 503 with a way out', async () => {
    const jar = open({}, 'http://127.0.0.1:9').openJar()
    const answer = await jar.ask('/auth/sign-in')
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5'])
    expect(answer.text).toContain('127.0.0.1:9 cannot be reached. Try again in a few seconds.')
  })
})

describe('signing out', () => {
  const signOut = async (jar: Jar) => {
    const csrf = fieldOf((await jar.ask('/settings/session')).text, '/auth/sign-out', 'csrf')
    return jar.ask('/auth/sign-out', { form: { csrf } })
  }

  test('ends the session here, and offers to end it at the provider, which returns here', async () => {
    const jar = open().openJar()
    await comeBack(jar, await goThere(jar))
    const answer = await signOut(jar)
    expect([answer.status, isSignedIn(jar)]).toEqual([200, false])
    const href = /href="(http:[^"]*\/session\/end[^"]*)"/.exec(answer.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(new URL(href).searchParams.get('post_logout_redirect_uri')).toBe(`${BASE_URL}/settings?done=signed-out`)
    expect((await fetch(href)).status).toBe(200)
  })

  test('does not fail because the provider is down', async () => {
    const account = open()
    const jar = account.openJar()
    await comeBack(jar, await goThere(jar))
    account.dependencies.signIn = openProviders({
      github: undefined,
      oidc: { issuer: provider.issuer, ...CLIENT, clientSecret: 'new' },
    })
    provider.tamper('/.well-known/openid-configuration', async () => new Response('', { status: 500 }))
    const answer = await signOut(jar)
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/settings?done=signed-out'])
    expect(isSignedIn(jar)).toBe(false)
  })
})

describe('with two providers', () => {
  const both = () => {
    const github = { oauthUrl: 'https://github.com', apiUrl: 'https://api.github.com', ...CLIENT }
    return openProviders({ github, oidc: { issuer: provider.issuer, ...CLIENT } })
  }

  test('a page asks which, and keeps the page to return to', async () => {
    const jar = open({ signIn: both() }).openJar()
    const { status, text } = await jar.ask('/auth/sign-in?return_to=/acme/review?x=1')
    expect(status).toBe(200)
    const links = [...text.matchAll(/href="(\/auth\/sign-in[^"]*)"[^>]*>([^<]*)</g)].map(([, href, words]) => [
      href,
      words,
    ])
    const back = 'return_to=%2Facme%2Freview%3Fx%3D1'
    expect(links).toEqual([
      [`/auth/sign-in?provider=github&amp;${back}`, 'Continue with GitHub'],
      [`/auth/sign-in?provider=oidc&amp;${back}`, `Continue with ${new URL(provider.issuer).host}`],
    ])
    const github = await start(jar, '/auth/sign-in?provider=github')
    expect(github.origin).toBe('https://github.com')
  })
})

test('writes audit lines for a sign-in, a refusal and a sign-out, without secrets or email addresses', async () => {
  const account = open()
  const jar = account.openJar()
  const way = await goThere(jar)
  await comeBack(jar, way)
  const csrf = fieldOf((await jar.ask('/settings/session')).text, '/auth/sign-out', 'csrf')
  await jar.ask('/auth/sign-out', { form: { csrf } })
  account.dependencies.admits = async () => false
  await comeBack(jar, await goThere(jar))
  const lines = log.mock.calls.map(([line]: unknown[]) => JSON.parse(String(line)))
  const audit = lines.filter(({ level }: { level: string }) => level === 'audit')
  const who = { login: 'ada-acme', user_id: expect.stringMatching(/^oidc-/) }
  expect(audit).toEqual([
    { time: expect.any(String), level: 'audit', event: 'sign_in', ...who, by: 'oidc' },
    { time: expect.any(String), level: 'audit', event: 'sign_out', ...who, everywhere: false },
    {
      time: expect.any(String),
      level: 'audit',
      event: 'sign_in_refused',
      subject: 'ada',
      by: 'oidc',
      reason: 'not_a_reader',
    },
  ])
  expect(JSON.stringify(lines)).not.toMatch(/acme\.example|eyJ/)
})
