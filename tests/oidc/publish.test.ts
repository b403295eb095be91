// Tests trusted publishing: a trusted workflow publishes without a secret, and every other token gets the right error.
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openJobVerifier } from '../../src/account/providers/job-verifier.ts'
import { useOnce } from '../../src/state/single-use.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { type Hub, type HubOptions, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'
import { AUDIENCE, CLAIMS, ISSUER, type Issuer, startIssuer } from './issuer.ts'

const OWNER = `---
trusted_publishers:
  - repository: Octo/Prompts
    repository_id: 1001
    repository_owner_id: 2002
    workflow: publish.yml
    repos: [code-review, summary]
  - repository: octo/staged
    repository_id: 1003
    repository_owner_id: 2002
    workflow: release.yaml
    environment: production
---
`
const STAGED = {
  repository: 'octo/staged',
  repository_id: '1003',
  job_workflow_ref: 'octo/staged/.github/workflows/release.yaml@refs/tags/v1',
}
const BODY = { content: 'Review {{code}}.' }

let issuer: Issuer
let world: World
let hub: Hub
const state = memoryState()
/** Returns the keys under which used tokens are stored. */
const remembered = (store = state) => [...store.texts.keys()].filter((key) => key.startsWith('jti/'))
const openJobHub = async (jwksUrl = issuer.jwksUrl, options: HubOptions = {}) =>
  openHub(world, {
    state,
    ...options,
    verifyJob: await openJobVerifier({ issuer: ISSUER, jwksUrl, audience: AUDIENCE }),
    spendJob: ({ jti, request, endsMs }) => useOnce(state, { kind: 'jti', id: jti, use: request, endsMs }),
  })
beforeAll(async () => {
  issuer = await startIssuer()
  world = openLocalWorld({ 'content/acme/index.md': OWNER, 'content/other/index.md': '---\nname: Other\n---\n' })
  hub = await openJobHub()
})
afterAll(() => issuer?.close())
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

test('publishes with provenance, shows it in the API and fetches the signing keys once', async () => {
  const answer = await hub.publish(BODY, { token: await issuer.sign() })
  const provenance = {
    issuer: 'https://token.actions.githubusercontent.com',
    repository: 'octo/prompts',
    workflow: 'octo/prompts/.github/workflows/publish.yml@refs/heads/main',
    ref: 'refs/heads/main',
    sha: 'a'.repeat(40),
    run_id: '30433642',
  }
  expect([answer.status, answer.data]).toMatchObject([201, { published_by: 'acme', provenance }])
  const read = await hub.readRepository(`/versions/${answer.version}`)
  expect(read.data).toMatchObject({ provenance })
  for (let round = 0; round < 5; round++)
    expect((await hub.publish(BODY, { token: await issuer.sign() })).status).toBe(200)
  expect(issuer.fetches()).toBe(1)
  const built = (await hub.build()).get('/data/v1/repos/acme/code-review/versions/1.0.0.json')
  expect(JSON.parse(built ?? '{}')).toMatchObject({ data: { provenance } })
})

test('a job that a blocked person triggered may not publish', async () => {
  const token = () => issuer.sign({ actor: 'Mallory', actor_id: '666' })
  await state.set('blocks/ids/666', '2026-11-25T00:00:00Z')
  expect(await hub.publish({ content: 'By mallory\n' }, { token: await token() })).toMatchObject({
    status: 403,
    message: 'mallory is blocked on this hub. Contact the operator of this hub.',
  })
  await state.delete('blocks/ids/666')
  expect((await hub.publish({ content: 'By mallory\n' }, { token: await token() })).status).toBe(201)
})

const now = () => Math.floor(Date.now() / 1000)

describe('invalid tokens return 401', () => {
  //  case                                   token
  test.each<[string, () => Promise<string> | string]>([
    ['garbage', () => 'a.b.c'],
    ['no signature', async () => `${(await issuer.sign()).split('.').slice(0, 2).join('.')}.`],
    ['alg none', async () => `${encode({ alg: 'none' })}.${(await issuer.sign()).split('.')[1]}.`],
    ['HS256 with the public key', () => issuer.signWithPublicKey()],
    ['PS256 with the right key', () => issuer.signBy('PS256')],
    ['RS512 with the right key', () => issuer.signBy('RS512')],
    ['an unknown kid', () => issuer.sign({}, { kid: 'key-2' })],
    ['a wrong key with a known kid', () => issuer.signWithAnother()],
    ['a changed payload', async () => swapPayload(await issuer.sign(), await issuer.sign())],
    [
      'an unknown critical header',
      async () =>
        `${encode({ alg: 'RS256', kid: 'key-1', crit: ['x'], x: 1 })}.${(await issuer.sign()).split('.').slice(1).join('.')}`,
    ],
    ['another issuer', () => issuer.sign({ iss: 'https://evil.example' })],
    ['an issuer with a trailing slash', () => issuer.sign({ iss: `${ISSUER}/` })],
    ['another audience', () => issuer.sign({ aud: 'https://other.example' })],
    ['an audience that starts like ours', () => issuer.sign({ aud: `${AUDIENCE}/` })],
    ['our audience in a list', () => issuer.sign({ aud: [AUDIENCE] })],
    ['a list of two audiences', () => issuer.sign({ aud: [AUDIENCE, 'https://other.example'] })],
    ['expired', () => issuer.sign({ exp: now() - 10 })],
    ['not yet valid', () => issuer.sign({ nbf: now() + 60 })],
    ['issued in the future', () => issuer.sign({ iat: now() + 60 })],
    ['older than 15 minutes', () => issuer.sign({ iat: now() - 1000, nbf: now() - 1000 })],
    ['expiring in 1e300', () => issuer.sign({ exp: 1e300 })],
    ['expiring at a fraction of a second', () => issuer.sign({ exp: now() + 300.5 })],
    ['valid from 1e300', () => issuer.sign({ nbf: 1e300 })],
    ['issued at 1e300', () => issuer.sign({ iat: 1e300 })],
    ['issued at -1e300', () => issuer.sign({ iat: -1e300 })],
    ['expiring at a time in words', () => issuer.sign({ exp: '9999999999' })],
    ['longer than 8192 characters', () => issuer.sign({ ref: 'x'.repeat(8200) })],
    ['a repository that is not a string', () => issuer.sign({ repository: 7 })],
    ['a ref with a line break', () => issuer.sign({ ref: 'refs/heads/main\nx' })],
    ...words`
      iss aud exp nbf iat jti repository repository_id repository_owner_id job_workflow_ref workflow_ref event_name
      ref sha run_id
    `.map((claim): [string, () => Promise<string>] => [`without ${claim}`, () => issuer.sign({ [claim]: undefined })]),
  ])('%s', async (_, make) => {
    const answer = await hub.publish({ content: 'Not to be published.' }, { token: await make() })
    expect([answer.status, answer.code]).toEqual([401, 'unauthorized'])
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  test('ignores key URLs and keys in the token header', async () => {
    const asked = issuer.fetches()
    const answer = await hub.publish(BODY, {
      token: await issuer.sign(
        {},
        { jku: 'http://127.0.0.1:1/jwks', kid: 'key-3', jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } },
      ),
    })
    expect([answer.status, issuer.fetches()]).toEqual([401, asked])
  })

  test.each([{ nbf: now() + 600 }, { iat: now() + 600 }])(
    'names the clocks for a token of the future: %j',
    async (claims) => {
      const { message } = await hub.publish(BODY, { token: await issuer.sign(claims) })
      expect(message).toBe(
        'This OIDC token is not valid yet. Compare the clock of the hub with that of the issuer, then request a new one.',
      )
    },
  )

  test('waits for the keys of an issuer whose answer is too long, an error or a redirect', async () => {
    const keys = await (await fetch(issuer.jwksUrl)).text()
    for (const [status, body] of [
      [200, `${keys}${' '.repeat(262_144)}`],
      [500, keys],
      [302, keys],
      [200, '{}'],
    ] as const) {
      issuer.answer(status, body)
      const answer = await (await openJobHub()).publish({ ...BODY, dry_run: true }, { token: await issuer.sign() })
      expect([status, answer.status, answer.headers.get('Retry-After')]).toEqual([status, 503, '5'])
    }
    issuer.answer(200, keys)
    const answer = await (await openJobHub()).publish({ ...BODY, dry_run: true }, { token: await issuer.sign() })
    expect(answer.status).toBe(200)
  })
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const swapPayload = (one: string, other: string) =>
  [one.split('.')[0], other.split('.')[1], one.split('.')[2]].join('.')

describe('untrusted jobs return 403 and name the failing claim', () => {
  const REF = 'job_workflow_ref'
  const runs = (file: string) => ({ [REF]: `${file}@refs/heads/main` })
  // src/domain/access/trusted-publisher.test.ts has more.
  //  case, claims, claim in the message, prompt
  test.each<[string, Record<string, unknown>, string, string?]>([
    ['another repository', { repository: 'octo/other', [REF]: CLAIMS[REF] }, 'repository'],
    ['another workflow', runs('octo/prompts/.github/workflows/other.yml'), REF],
    ['a prompt that is not listed', {}, 'repos', 'acme/code-reviews'],
    ['an owner without trusted publishers', {}, 'no workflow is trusted', 'other/code-review'],
    ['another environment', { ...STAGED, environment: 'staging' }, 'environment', 'acme/anything'],
    ...words`pull_request_target wish`.map((event_name): [string, Record<string, unknown>, string] => [
      event_name,
      { event_name },
      'event_name',
    ]),
  ])('%s', async (_, claims, named, to = 'acme/code-review') => {
    const answer = await hub.publish({ content: 'Not to be published.' }, { token: await issuer.sign(claims), to })
    expect([answer.status, answer.code]).toEqual([403, 'forbidden'])
    expect(answer.message).toContain(named)
  })

  test('accepts the right environment, whatever the format of `sub`', async () => {
    const token = await issuer.sign({
      ...STAGED,
      environment: 'production',
      sub: 'octo@2002/staged@1003:something%3Anew',
    })
    expect((await hub.publish(BODY, { token, to: 'acme/anything' })).status).toBe(201)
  })
})

describe('a token is valid for a single request', () => {
  test('accepts a retry of the same request', async () => {
    const token = await issuer.sign()
    const body = { content: 'Once.' }
    expect([(await hub.publish(body, { token })).status, (await hub.publish(body, { token })).status]).toEqual([
      201, 200,
    ])
  })

  test('rejects a second use with another body or repository, and all but one of concurrent uses', async () => {
    const token = await issuer.sign()
    expect((await hub.publish({ content: 'First.' }, { token })).status).toBe(201)
    expect((await hub.publish({ content: 'Second.' }, { token })).status).toBe(401)
    expect((await hub.publish({ content: 'First.' }, { token, to: 'acme/summary' })).status).toBe(401)
    const another = await issuer.sign()
    const answers = await Promise.all(['A.', 'B.', 'C.'].map((content) => hub.publish({ content }, { token: another })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
  })

  test('rejects a second use of a prompt file with another query, such as a publish after its dry run', async () => {
    const token = await issuer.sign()
    const send = (query: string) =>
      hub.publish('A file.', {
        token,
        path: `/api/v1/repos/acme/code-review/versions${query}`,
        headers: { 'Content-Type': 'text/markdown' },
      })
    expect((await send('?dry_run=true')).status).toBe(200)
    expect((await send('')).status).toBe(401)
    expect((await send('?dry_run=true&skill=Does%20more.')).status).toBe(401)
    expect((await send('?dry_run=true')).status).toBe(200)
  })

  test('accepts only one of several concurrent uses across instances on a slow store', async () => {
    const shared = memoryState(() => new Promise((resolve) => setTimeout(resolve, Math.random() * 10)))
    for (let round = 0; round < 20; round++) {
      const uses = Array.from({ length: 4 }, (_, number) => useOf(`j${round}`, `${number}`))
      const passed = await Promise.all(uses.map((use) => useOnce(shared, use)))
      expect(passed.filter(Boolean)).toHaveLength(1)
    }
  })

  test('accepts only one of several concurrent uses across processes on one machine', async () => {
    const directory = temporaryFolder('hub-state-')
    const path = join(directory, 'state.db')
    const stores = await Promise.all([openSqliteState(path), openSqliteState(path)])
    const passed = await Promise.all(
      Array.from({ length: 20 }, (_, number) => useOnce(stores[number % 2]!, useOf('x', `${number}`))),
    )
    expect(passed.filter(Boolean).length).toBe(1)
    await Promise.all(stores.map(({ close }) => close()))
  })

  test('fails when the store is unavailable', async () => {
    const broken = { ...state, get: () => Promise.reject(new Error('down')) }
    await expect(useOnce(broken, useOf('x', 'y'))).rejects.toThrow('down')
  })

  test('can be used again when the store failed to record its use', async () => {
    const store = memoryState()
    const { add } = store
    store.add = () => Promise.reject(new Error('full'))
    await expect(useOnce(store, useOf('x', 'y'))).rejects.toThrow('full')
    store.add = add
    expect(await useOnce(store, useOf('x', 'y'))).toBe(true)
    expect(await useOnce(store, useOf('x', 'other'))).toBe(false)
  })
})

describe('stored records of used tokens', () => {
  test('stores no record for untrusted, rate limited or invalid requests', async () => {
    const before = remembered()
    const untrusted = await openJobHub()
    for (let sent = 0; sent < 5; sent++)
      expect((await untrusted.publish(BODY, { token: await issuer.sign({ repository_id: '9' }) })).status).toBe(403)
    const limited = await openJobHub(issuer.jwksUrl, { limiter: { take: () => 60 } })
    expect((await limited.publish(BODY, { token: await issuer.sign() })).status).toBe(429)
    expect((await hub.publish({ content: '' }, { token: await issuer.sign() })).status).toBe(422)
    expect(remembered()).toEqual(before)
  })

  test('keeps each record until its token expires', async () => {
    let time = 1_800_000_000_000
    const store = memoryState(undefined, () => time)
    const endsMs = time + 300_000
    const spend = (use: string) => useOnce(store, { kind: 'jti', id: 'a', use, endsMs })
    expect(await spend('one')).toBe(true)
    time = endsMs - 1
    await store.removeExpired()
    expect([await spend('other'), await spend('one')]).toEqual([false, true])
    time = endsMs
    expect(await store.removeExpired()).toBe(1)
    expect(remembered(store)).toEqual([])
  })
})

const ENDS_MS = Date.now() + 600_000
const useOf = (id: string, use: string) => ({ kind: 'jti', id, use, endsMs: ENDS_MS }) as const
