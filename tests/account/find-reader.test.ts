// Tests when the guard of a private hub checks rights, when it remembers them, and that it admits nobody without a check.
import { describe, expect, test } from 'vitest'
import type { ReaderChecks } from '../../src/account/find-reader.ts'
import { HubError } from '../../src/domain/api/errors.ts'
import { guardReaders, openRights } from '../../src/hosts/node/members-guard.ts'
import { isLoginBlocked } from '../../src/state/blocks.ts'
import { limitInMemory, UNLIMITED } from '../../src/state/rate-limiter.ts'
import { openPeople } from '../../src/state/sessions.ts'
import { createToken, findToken } from '../../src/state/tokens.ts'
import { memoryState } from '../hubs/memory-state.ts'

const OCTOCAT = { user_id: '7', login: 'octocat' }
const SOURCE = { network: '192.0.2.1', isProxied: false }
const PROXY = { ...SOURCE, isProxied: true }
const START = Date.parse('2026-11-25T10:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1000)
const asking = (headers: Record<string, string>) => new Request('https://hub.example/', { headers })

function open(given: Partial<ReaderChecks> = {}) {
  const rights = openRights()
  const inner = memoryState(undefined, () => START)
  let reads = 0
  const counted = {
    ...inner,
    get: (key: string) => {
      reads += 1
      return inner.get(key)
    },
  }
  const state = rights.watch(counted)
  const people = openPeople(state)
  const deps: ReaderChecks = {
    baseUrl: 'https://hub.example',
    readSession: (request) => request.headers.get('Cookie') ?? undefined,
    findSession: (secret, now) => people.findSession(secret, now),
    findToken: (token) => findToken(state, token),
    findHolder: async (person) => person,
    isBlocked: async () => false,
    verifyJob: async () => {
      throw new HubError('unauthorized', 'no')
    },
    spendJob: async () => true,
    admits: () => true,
    proxyHeader: 'x-user',
    isLoginBlocked: (login) => isLoginBlocked(state, login),
    trustedIn: async () => [],
    failures: UNLIMITED,
    ...given,
  }
  const { readers } = rights.open(deps)
  return { readers, inner, people, state, reads: () => reads }
}

describe('rights', () => {
  test('are checked once in ten seconds, without another read of the store', async () => {
    const { readers, people, reads } = open()
    const request = asking({ Cookie: await people.openSession(OCTOCAT, at(0)) })
    expect(await readers.isReader(request, SOURCE, at(0))).toBe(true)
    const before = reads()
    for (const seconds of [0, 1, 9]) expect(await readers.isReader(request, SOURCE, at(seconds))).toBe(true)
    expect(reads()).toBe(before)
    expect(await readers.isReader(request, SOURCE, at(10))).toBe(true)
    expect(reads()).toBeGreaterThan(before)
  })

  test.each(['session', 'token'])('of a %s that another process ends are gone after ten seconds', async (kind) => {
    const { readers, people, inner } = open()
    const secret = await people.openSession(OCTOCAT, at(0))
    const wish = { holder: { kind: 'operator' }, name: 'x', scope: 'acme/*', days: 1 } as const
    const { token } = await createToken(inner, wish, at(0))
    const request = asking(kind === 'session' ? { Cookie: secret } : { Authorization: `Bearer ${token}` })
    expect(await readers.isReader(request, SOURCE, at(0))).toBe(true)
    for (const key of [...(await inner.list('sessions/')).keys, ...(await inner.list('tokens/')).keys])
      await inner.delete(key)
    expect(await readers.isReader(request, SOURCE, at(10))).toBe(false)
  })

  test('that this process takes away are gone at once', async () => {
    const { readers, people } = open()
    const secret = await people.openSession(OCTOCAT, at(0))
    const request = asking({ Cookie: secret })
    expect(await readers.isReader(request, SOURCE, at(0))).toBe(true)
    await people.endAllSessions(OCTOCAT.user_id)
    expect(await readers.isReader(request, SOURCE, at(0))).toBe(false)
  })

  test('that are taken away during a check are not remembered', async () => {
    const waiting = Promise.withResolvers<void>()
    let isFirst = true
    const { readers, people } = open({
      admits: async () => {
        if (!isFirst) return false
        isFirst = false
        await waiting.promise
        return true
      },
    })
    const request = asking({ Cookie: await people.openSession(OCTOCAT, at(0)) })
    const first = readers.isReader(request, SOURCE, at(0))
    await new Promise((done) => setImmediate(done))
    readers.forget()
    waiting.resolve()
    await first
    await expect(readers.isReader(request, SOURCE, at(0))).rejects.toThrow('may not read this hub')
  })

  test('end with the session, even within ten seconds', async () => {
    const { readers, people } = open()
    const request = asking({ Cookie: await people.openSession(OCTOCAT, at(0)) })
    const end = 7 * 86_400
    expect(await readers.isReader(request, SOURCE, at(end - 2))).toBe(true)
    expect(await readers.isReader(request, SOURCE, at(end))).toBe(false)
  })

  test('of a session from a sign-in that was under way during a block do not begin', async () => {
    const { readers, inner, people } = open()
    await inner.set('blocks/ids/7', '{}')
    const request = asking({ Cookie: await people.openSession(OCTOCAT, at(0)) })
    expect(await readers.isReader(request, SOURCE, at(0))).toBe(false)
  })

  test.each(['x', '-1', '0.5'])('of a session admit nobody if its generation is %s', async (generation) => {
    const { readers, inner, people } = open()
    const request = asking({ Cookie: await people.openSession(OCTOCAT, at(0)) })
    await inner.set('generations/7', generation)
    await expect(readers.isReader(request, SOURCE, at(0))).rejects.toThrow('is not a number')
  })

  test('that cannot be checked admit nobody', async () => {
    const findSession = async () => {
      throw new HubError('unavailable', 'The database does not respond.')
    }
    const { readers } = open({ findSession })
    await expect(readers.isReader(asking({ Cookie: 'a' }), SOURCE, at(0))).rejects.toThrow('does not respond')
  })
})

describe('a proxy', () => {
  test('is believed only if the connection comes from it', async () => {
    const { readers } = open()
    const request = asking({ 'X-User': 'jo' })
    expect(await readers.isReader(request, PROXY, at(0))).toBe(true)
    // The answer to the proxy is remembered, but not for others.
    expect(await readers.isReader(request, SOURCE, at(0))).toBe(false)
  })

  test.each(['eve, jo', '', ' ', 'jo;admin', '-jo'])('that names “%s” vouches for nobody', async (name) => {
    const { readers } = open()
    expect(await readers.isReader(asking({ 'X-User': name }), PROXY, at(0))).toBe(false)
  })

  test('does not vouch for somebody whom the operator has blocked, whatever the case', async () => {
    const { readers, inner } = open()
    await inner.set('blocks/logins/jo', '{}')
    const check = readers.isReader(asking({ 'X-User': 'Jo' }), PROXY, at(0))
    await expect(check).rejects.toThrow('jo is blocked on this hub')
  })
})

describe('a password', () => {
  const basic = (text: string) => ({ Authorization: `Basic ${btoa(text)}` })

  test('that cannot be a token is nobody’s, and no client must wait for it', async () => {
    const { readers } = open({ failures: limitInMemory({ requests: 1, windowMs: 60_000 }) })
    for (const text of ['jo:secret', 'jo:', ':', `jo:hub_${'0'.repeat(37)}`, 'jo:a.b', 'jo:a.b.c d'])
      for (let count = 0; count < 3; count++)
        expect([text, await readers.isReader(asking(basic(text)), SOURCE, at(0))]).toEqual([text, false])
  })

  test('that is a token reads, and writes nothing; with a session, the session counts', async () => {
    const { readers, inner, people, reads } = open()
    const wish = { holder: { kind: 'operator' }, name: 'x', scope: 'acme/*', days: 1 } as const
    const { token } = await createToken(inner, wish, at(0))
    const headers = basic(`jo:${token}`)
    const ask = (method: string, path = '/') =>
      readers.isReader(new Request(`https://hub.example${path}`, { method, headers }), SOURCE, at(0))
    expect([await ask('GET'), await ask('HEAD'), await ask('POST', '/acme/skills.git/git-upload-pack')]).toEqual([
      ...[true, true, true],
    ])
    expect([await ask('POST'), await ask('PUT'), await ask('DELETE', '/git-upload-pack')]).toEqual([
      ...[false, false, false],
    ])
    for (const key of (await inner.list('tokens/')).keys) await inner.delete(key)
    readers.forget()
    const both = asking({ ...headers, Cookie: await people.openSession(OCTOCAT, at(0)) })
    const before = reads()
    expect(await readers.isReader(both, SOURCE, at(0))).toBe(true)
    const [withBoth, alone] = [reads() - before, reads()]
    readers.forget()
    await readers.isReader(asking({ Cookie: both.headers.get('Cookie')! }), SOURCE, at(0))
    expect(withBoth).toBe(reads() - alone)
  })
})

test('after many unknown tokens and sessions, a client must wait, but a reader at the same address need not', async () => {
  const { readers, people } = open({ failures: limitInMemory({ requests: 3, windowMs: 60_000 }) })
  const wrong = () => readers.isReader(asking({ Cookie: 'wrong' }), SOURCE, at(0))
  for (let count = 0; count < 3; count++) expect(await wrong()).toBe(false)
  await expect(wrong()).rejects.toMatchObject({ code: 'rate_limited' })
  const request = asking({ Cookie: await people.openSession(OCTOCAT, at(0)) })
  expect(await readers.isReader(request, SOURCE, at(0))).toBe(true)
  expect(await readers.isReader(asking({}), SOURCE, at(0))).toBe(false)
})

test('the sign-in page of the guard sees neither cookie nor token of somebody who is no reader', async () => {
  const { readers, people } = open()
  const guard = guardReaders(
    async ({ headers }) => Response.json([headers.get('Cookie'), headers.get('Authorization'), headers.get('Accept')]),
    { readers, baseUrl: 'https://hub.example', hasMetrics: false },
  )
  const ask = async (Cookie: string) => {
    const headers = { Cookie, Authorization: 'Bearer none', Accept: 'text/html' }
    const request = new Request('https://hub.example/settings', { headers })
    return (await guard(request, { ...SOURCE, ip: SOURCE.network })).json()
  }
  expect(await ask('unknown')).toEqual([null, null, 'text/html'])
  const secret = await people.openSession(OCTOCAT, new Date())
  expect(await ask(secret)).toEqual([secret, 'Bearer none', 'text/html'])
})
