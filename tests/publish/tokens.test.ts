// Tests who may publish: which tokens are valid, what they cover, when they expire, how often they may be used, and
// that they are never revealed.
import { createHash, hash } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { isToken } from '../../src/domain/access/token.ts'
import { HubError } from '../../src/domain/api/errors.ts'
import { limitInMemory } from '../../src/state/rate-limiter.ts'
import { recordTokenUse } from '../../src/state/tokens.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

const DAY_MS = 86_400_000
const NO_GOOD_TOKEN =
  'Publishing needs a valid token. Create one at https://hub.example/settings, and send it as "Authorization: Bearer hub_…".'
/** A token with a valid format and checksum that this hub never issued. */
const UNKNOWN = 'hub_000000000000000000000000000000002XhiBt'

/** Removes a token, as revoking it does. */
const revoke = (token: string) => hub.state.delete(`tokens/${createHash('sha256').update(token).digest('hex')}`)

let world: World
let hub: Hub
const said: string[] = []
beforeAll(async () => {
  world = openLocalWorld()
  hub = await openHub(world)
})
beforeEach(() => {
  said.length = 0
  for (const method of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => void said.push(parts.map(String).join(' ')))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

let count = 0
/** Publishes new content, so that no response is "unchanged". */
const publish = (sending: Parameters<Hub['publish']>[1] = {}, at = hub) => {
  count += 1
  return at.publish(
    {
      content: `Text ${count}
`,
    },
    sending,
  )
}

describe('401', () => {
  const withHeader = (value: string) => ({ token: null, headers: { Authorization: value } })
  //  case                               request
  test.each<[string, () => Parameters<Hub['publish']>[1]]>([
    ['no Authorization header', () => ({ token: null })],
    ['an empty Authorization header', () => withHeader('')],
    ['only Bearer', () => withHeader('Bearer ')],
    ['Basic', () => withHeader(`Basic ${Buffer.from(`x:${hub.token}`).toString('base64')}`)],
    ['another scheme', () => withHeader(`Token ${hub.token}`)],
    ['a token without a scheme', () => withHeader(hub.token)],
    ['two tokens', () => withHeader(`Bearer ${hub.token}, Bearer ${hub.token}`)],
    ['a token followed by a word', () => withHeader(`Bearer ${hub.token} x`)],
    ['a token of another service', () => ({ token: 'ghp_0123456789' })],
    ['a token that is one character too short', () => ({ token: hub.token.slice(0, -1) })],
    ['a token that is one character too long', () => ({ token: `${hub.token}0` })],
    ['a token in upper case', () => ({ token: hub.token.toUpperCase() })],
    ['a wrong checksum', () => ({ token: `${hub.token.slice(0, -1)}${hub.token.endsWith('0') ? '1' : '0'}` })],
    [
      'a changed character in the middle',
      () => ({ token: `hub_${hub.token[4] === 'a' ? 'b' : 'a'}${hub.token.slice(5)}` }),
    ],
    ['unknown', () => ({ token: UNKNOWN })],
    ['only in a cookie', () => ({ token: null, headers: { Cookie: `token=${hub.token}` } })],
    [
      'only in the query string',
      () => ({ token: null, path: `/api/v1/repos/acme/code-review/versions?token=${hub.token}` }),
    ],
  ])('%s', async (_, how) => {
    const request = how()
    const answer = await publish(request)
    expect([answer.status, answer.code, answer.message]).toEqual([401, 'unauthorized', NO_GOOD_TOKEN])
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    // A refused token is audited once, without a character of it; what is no token is not.
    expect(said.map((line) => ({ ...JSON.parse(line), time: '' }))).toEqual(
      request?.token
        ? [
            {
              time: '',
              level: 'audit',
              event: 'token_refused',
              reason: request.token === UNKNOWN ? 'unknown' : 'malformed',
            },
          ]
        : [],
    )
  })

  test('the unknown token used in these tests has a valid checksum', () => expect(isToken(UNKNOWN)).toBe(true))

  test('accepts the Bearer scheme in any case', async () => {
    expect((await publish({ token: null, headers: { Authorization: `bEARER  ${hub.token}` } })).status).toBe(201)
  })

  test('rejects a wrong format or checksum without querying the token store', async () => {
    const state = memoryState()
    const counting = await openHub(world, { state })
    const get = vi.spyOn(state, 'get')
    await publish({ token: `${hub.token.slice(0, -6)}000000` }, counting)
    await publish({ token: 'hub_short' }, counting)
    expect(get).not.toHaveBeenCalled()
    await publish({ token: UNKNOWN }, counting)
    expect(get.mock.calls).toEqual([[`tokens/${hash('sha256', UNKNOWN)}`]])
  })

  //  case                                    created          days   status
  test.each([
    ['one second before it expires', -DAY_MS + 1_000, 1, 201],
    ['at the moment it expires', -DAY_MS, 1, 401],
    ['long after it expired', -400 * DAY_MS, 365, 401],
    ['well before it expires', -80 * DAY_MS, 90, 201],
  ])('token expiry: %s', async (_, madeMs, days, status) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const made = new Date(Date.now() + madeMs)
    const answer = await publish({ token: await hub.makeToken({ days }, made) })
    expect(answer.status).toBe(status)
    if (status === 201) return
    const ended = new Date(made.getTime() + days * DAY_MS).toISOString()
    expect(answer.message).toBe(`This token expired at ${ended}. Create a new one at https://hub.example/settings.`)
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  test('a revoked token gets the same message as an unknown one', async () => {
    const token = await hub.makeToken()
    expect((await publish({ token })).status).toBe(201)
    await revoke(token)
    const answer = await publish({ token })
    expect([answer.status, answer.message]).toEqual([401, NO_GOOD_TOKEN])
    await revoke(token)
    expect((await publish({ token })).status).toBe(401)
  })
})

describe('scopes', () => {
  //  scope               to              status
  test.each([
    ['acme/*', 'acme/one', 201],
    ['acme/*', 'acme-2/one', 403],
    ['ac/*', 'acme/one', 403],
    ['acme/one', 'acme/one', 201],
    ['acme/one', 'acme/one-more', 403],
    ['acme/one', 'acme/on', 403],
  ])('token for %s publishing to %s: %i', async (scope, to, status) => {
    const answer = await publish({ token: await hub.makeToken({ scope }), to })
    expect([answer.status, answer.code]).toEqual([status, status === 403 ? 'forbidden' : undefined])
    if (status === 403)
      expect(answer.message).toBe(`This token covers ${scope}, not ${to}. Use a token for this repository.`)
  })
})

describe('a token holder', () => {
  const holder = { kind: 'person', user_id: '583231', login: 'octocat' } as const

  test('publishes to their own handle under their login', async () => {
    const answer = await publish({ token: await hub.makeToken({ scope: 'octocat/*', holder }), to: 'octocat/mine' })
    expect([answer.status, answer.data.published_by]).toEqual([201, 'octocat'])
  })

  test('publishes to an owner only while listed as its member', async () => {
    const token = await hub.makeToken({ scope: 'team/*', holder })
    const before = await publish({ token, to: 'team/ours' })
    expect([before.status, before.code]).toEqual([403, 'forbidden'])
    expect(before.message).toContain('content/team/index.md')
    await world.commitOutside({ 'content/team/index.md': '---\nmembers: [octocat-2, octocat]\n---\n' })
    const during = await publish({ token, to: 'team/ours' })
    expect([during.status, during.data.published_by]).toEqual([201, 'octocat'])
    await world.commitOutside({ 'content/team/index.md': '---\nmembers: [octocat-2]\n---\n' })
    expect((await publish({ token, to: 'team/ours' })).status).toBe(403)
    expect((await hub.publish({ content: 'x', dry_run: true }, { token, to: 'team/ours' })).status).toBe(403)
  })

  test('cannot publish to one owner as a member of another', async () => {
    await world.commitOutside({ 'content/others/index.md': '---\nmembers: [octocat]\n---\n' })
    expect((await publish({ token: await hub.makeToken({ scope: 'acme/*', holder }), to: 'acme/x' })).status).toBe(403)
  })

  test('an operator publishes as the owner', async () => {
    expect((await publish({ to: 'acme/operated' })).data.published_by).toBe('acme')
  })
})

describe('rate limits of 30 per minute', () => {
  test('all tokens of one person share a limit', async () => {
    const limited = await openHub(world, { limiter: limitInMemory({ requests: 30, windowMs: 60_000 }) })
    const alice = { kind: 'person', user_id: '1', login: 'alice' } as const
    const tokens = await Promise.all(Array.from({ length: 31 }, () => limited.makeToken({ holder: alice })))
    const statuses = []
    for (const token of tokens)
      statuses.push((await publish({ token, path: '/api/v1/repos/Acme/x/versions' }, limited)).status)
    expect(statuses).toEqual([...Array(30).fill(404), 429])
  })

  test('invalid tokens are limited by IP address; a valid token from the same address still works', async () => {
    const failures = limitInMemory({ requests: 30, windowMs: 60_000 })
    const limited = await openHub(world, { failedTokens: async () => failures })
    const guess = (token: string | null) => publish({ token, path: '/api/v1/repos/Acme/x/versions' }, limited)
    for (let number = 0; number < 30; number++) expect((await guess(number % 2 ? UNKNOWN : null)).status).toBe(401)
    const answer = await guess(UNKNOWN)
    expect([answer.status, answer.code, answer.headers.get('Retry-After')]).toEqual([429, 'rate_limited', '60'])
    expect(answer.message).toBe('Too many invalid tokens from this IP address. Check the token, and try again in 60 s.')
    expect((await guess(limited.token)).status).toBe(404)
  })

  test('the 31st request with a token is limited; another token is not', async () => {
    let nowMs = 1_000_000
    const limited = await openHub(world, { limiter: limitInMemory({ requests: 30, windowMs: 60_000 }, () => nowMs) })
    // A request rejected after the limit check counts, but publishes nothing.
    const attempt = (token = limited.token) => publish({ token, path: '/api/v1/repos/Acme/x/versions' }, limited)
    for (let number = 0; number < 30; number++) {
      nowMs += 1_000
      expect((await attempt()).status).toBe(404)
    }
    const answer = await attempt()
    expect([answer.status, answer.code, answer.headers.get('Retry-After')]).toEqual([429, 'rate_limited', '31'])
    expect(answer.message).toBe('You are publishing too often. Try again in 31 s.')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect((await attempt(await limited.makeToken())).status).toBe(404)
    expect((await attempt(UNKNOWN)).status).toBe(401)
    nowMs += 31_000
    expect((await attempt()).status).toBe(404)
    expect((await attempt()).status).toBe(429)
  })
})

describe('the token store', () => {
  test.each([
    ['truncated', (text: string) => text.slice(0, 40)],
    ['empty', () => ''],
    ['missing its holder', (text: string) => text.replace('"holder"', '"holders"')],
  ])('a record that is %s returns 401 and is logged without the token', async (_, bend) => {
    const state = memoryState()
    const bent = await openHub(world, { state })
    for (const [key, text] of state.texts) if (key.startsWith('tokens/')) state.texts.set(key, bend(text))
    const answer = await publish({}, bent)
    expect([answer.status, answer.message]).toEqual([401, NO_GOOD_TOKEN])
    expect(said.join()).toMatch(/The record tokens\/[0-9a-f]{64} is corrupt/)
    expect(said.join()).not.toContain(bent.token)
  })

  const away = async (): Promise<never> => {
    throw new HubError('unavailable', 'The store of tokens cannot be reached just now. Try again.', {
      retryAfterSeconds: 5,
      cause: new Error('connect ECONNREFUSED'),
    })
  }

  test('returns 503 with Retry-After when unreachable', async () => {
    const state = memoryState()
    const failing = await openHub(world, { state })
    state.get = away
    const answer = await publish({}, failing)
    expect([answer.status, answer.code, answer.headers.get('Retry-After')]).toEqual([503, 'unavailable', '5'])
    expect(answer.message).toBe('The store of tokens cannot be reached just now. Try again.')
    expect(answer.text).not.toContain('ECONNREFUSED')
  })

  test('publishing succeeds when only the last-used time cannot be saved', async () => {
    const state = memoryState()
    const failing = await openHub(world, { state })
    const { set } = state
    state.set = (key, text) => (key.startsWith('token-uses/') ? away() : set(key, text))
    expect((await publish({}, failing)).status).toBe(201)
  })

  test('updates the last-used time at most once an hour', async () => {
    const state = memoryState()
    const set = vi.spyOn(state, 'set')
    const start = Date.parse('2026-11-20T10:00:00Z')
    for (const minutes of [0, 1, 59, 60, 61]) await recordTokenUse(state, 'id', new Date(start + minutes * 60_000))
    expect(set.mock.calls).toEqual([
      ['token-uses/id', '2026-11-20T10:00:00.000Z', { expiresAt: Date.parse('2027-12-20T10:00:00Z') }],
      ['token-uses/id', '2026-11-20T11:00:00.000Z', { expiresAt: Date.parse('2027-12-20T11:00:00Z') }],
    ])
  })

  test('a record without permissions gives none', async () => {
    const state = memoryState()
    const other = await openHub(world, { state })
    const key = `tokens/${hash('sha256', other.token)}`
    const { permissions, ...rest } = JSON.parse((await state.get(key))!.value)
    expect(permissions).toEqual(['publish'])
    await state.set(key, JSON.stringify(rest))
    expect((await publish({}, other)).status).toBe(401)
  })

  test('stores a hash of the token, never the token itself', async () => {
    const state = memoryState()
    const other = await openHub(world, { state })
    await publish({}, other)
    const key = `tokens/${hash('sha256', other.token)}`
    expect(JSON.parse(state.texts.get(key) ?? '')).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      holder: { kind: 'operator' },
      name: 'test',
      last_four: other.token.slice(-4),
      scope: 'acme/*',
      permissions: ['publish'],
      created_at: expect.any(String),
      expires_at: expect.any(String),
    })
    for (const [each, text] of state.texts) expect(each + text).not.toContain(other.token)
  })
})

describe('tokens in responses and log lines', () => {
  test('never appear, whatever the result of a publish', async () => {
    const { token } = hub
    const noisy = await openHub(world, {
      freshState: {
        ...memoryState(),
        get: () => Promise.reject(new Error('away')),
        set: () => Promise.reject(new Error('away')),
      },
      purge: () => Promise.reject(new Error('away')),
    })
    await world.commitOutside({
      'content/acme/broken/index.md': 'no front matter',
      'content/acme/broken/versions/1.0.0.md': 'x',
    })
    const answers = [
      await publish({}, noisy),
      await publish({ to: 'acme/broken' }, noisy),
      await publish({ to: 'other/x' }, noisy),
      await publish({ to: 'Acme/x' }, noisy),
      await publish({ token: `${token.slice(0, -1)}_` }, noisy),
      await publish({ key: 'x' }, noisy),
      await noisy.publish({ content: token, title: token, nonsense: token, [token]: token, bump: token }, {}),
      await noisy.publish(`{"content": "${token}"`, {}),
      await noisy.publish('x', { headers: { 'Content-Type': `text/${token}` } }),
      await publish({ method: 'POST', path: '/api/v1/tags' }, noisy),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 502, 403, 404, 401, 400, 422, 400, 415, 405])
    const secrets = [token, noisy.token].map((each) => each.slice(4, 30))
    for (const { text, headers } of answers)
      for (const secret of secrets) expect(text + JSON.stringify([...headers])).not.toContain(secret)
    expect(said.length).toBeGreaterThan(0)
    for (const line of said) {
      expect(() => JSON.parse(line)).not.toThrow()
      for (const secret of secrets) expect(line).not.toContain(secret)
    }
  })
})
