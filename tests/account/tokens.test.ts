// Tests personal tokens: the form, the list, and how permissions change over time.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasBoundLogin } from '../../src/state/sessions.ts'
import { createToken, findToken, recordTokenUse } from '../../src/state/tokens.ts'
import { type Account, fieldOf, type Jar, openAccount, sendTokenForm, tokenOn } from '../hubs/account.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

let account: Account
let alice: Jar
beforeEach(async () => {
  account = openAccount({ ownersOf: async ({ login }) => (login === 'alice' ? ['acme', 'alice'] : [login]) })
  alice = await account.signIn('alice')
})

describe('creating a token', () => {
  test('shows the token once and never stores it in plain text', async () => {
    const answer = await sendTokenForm(alice)
    const token = tokenOn(answer.text)
    expect([answer.status, token.length]).toEqual([200, 42])
    expect(JSON.stringify([...account.state.texts])).not.toContain(token.slice(4))
    expect((await alice.ask('/settings/tokens')).text).not.toContain(token.slice(4))
  })

  test('submitting the same form twice creates one token', async () => {
    const page = (await alice.ask('/settings/tokens')).text
    const form = fieldOf(page, '/settings/tokens', 'form')
    const answers = [await sendTokenForm(alice, { form }), await sendTokenForm(alice, { form })]
    expect(answers.map(({ status, text }) => [status, tokenOn(text) !== ''])).toEqual([
      [200, true],
      [422, false],
    ])
    expect((await account.dependencies.accounts.listTokens('local-alice', new Date())).length).toBe(1)
  })

  //  case                         fields                                    message
  test.each([
    ['no name', { name: ' ' }, 'Name: expected some text'],
    ['a name that is too long', { name: 'x'.repeat(65) }, 'Name: expected at most 64 characters'],
    ['a name with a line break', { name: 'a\nb' }, 'Name: expected no control characters'],
    ['no lifetime', { days: '' }, 'Expires after (days): expected a whole number'],
    [
      'a lifetime that is too short',
      { days: '0' },
      'Expires after (days): expected a whole number of days from 1 to 365',
    ],
    ['a lifetime that is too long', { days: '366' }, 'Expires after (days): expected a whole number'],
    ['a fraction of a day', { days: '1.5' }, 'Expires after (days): expected a whole number'],
    ['a number in exponent notation', { days: '1e1' }, 'Expires after (days): expected a whole number'],
    ['another user’s owner', { owner: 'mallory' }, 'Owner: you cannot publish to mallory'],
    ['a reserved owner', { owner: 'settings' }, 'Owner: expected an owner that you may publish to'],
    ['no owner', { owner: '' }, 'Owner: expected an owner that you may publish to'],
    ['a wildcard for all owners', { owner: '*' }, 'Owner: expected an owner that you may publish to'],
    [
      'a path as the repository',
      { repository: '../x' },
      'Repository: expected lower-case letters, digits and single hyphens, or nothing',
    ],
    [
      'an upper-case repository',
      { repository: 'Code' },
      'Repository: expected lower-case letters, digits and single hyphens, or nothing',
    ],
    ['a made-up form ID', { form: 'x' }, 'This form: expected the unchanged form ID; reload the page'],
  ])('%s: returns 422 with a message and keeps the typed values', async (_, fields, told) => {
    const answer = await sendTokenForm(alice, { name: 'my "laptop"', ...fields })
    expect([answer.status, tokenOn(answer.text)]).toEqual([422, ''])
    expect(answer.text).toContain(told)
    expect(answer.text).toContain('role="alert"')
    if (!('name' in fields)) expect(answer.text).toContain('value="my &quot;laptop&quot;"')
    expect((await account.dependencies.accounts.listTokens('local-alice', new Date())).length).toBe(0)
  })

  test('allows at most 50 active tokens; revoking one frees a slot', async () => {
    for (let made = 0; made < 50; made++) expect((await sendTokenForm(alice)).status).toBe(200)
    expect((await sendTokenForm(alice)).status).toBe(422)
    const id = fieldOf((await alice.ask('/settings/tokens')).text, '/settings/tokens/revoke', 'id')
    const csrf = fieldOf((await alice.ask('/settings/tokens')).text, '/settings/tokens/revoke', 'csrf')
    await alice.ask('/settings/tokens/revoke', { form: { csrf, id } })
    expect((await sendTokenForm(alice)).status).toBe(200)
  })
})

describe('revoked and expired tokens', () => {
  const DAY_MS = 86_400_000
  const startMs = Date.now()
  const person = { user_id: 'local-alice', login: 'alice' }
  const make = (number: number, daysAgo: number) =>
    createToken(
      account.state,
      { holder: { kind: 'person', ...person }, name: `t${number}`, scope: 'alice/*', days: 1 },
      new Date(startMs - daysAgo * DAY_MS - number),
    )
  const countOf = (prefix: string) => [...account.state.texts.keys()].filter((key) => key.startsWith(prefix)).length

  test('revoking a token removes all its records', async () => {
    const token = tokenOn((await sendTokenForm(alice)).text)
    const page = (await alice.ask('/settings/tokens')).text
    const [id, csrf] = ['id', 'csrf'].map((field) => fieldOf(page, '/settings/tokens/revoke', field))
    await recordTokenUse(account.state, id ?? '', new Date())
    expect((await alice.ask('/settings/tokens/revoke', { form: { csrf: csrf ?? '', id: id ?? '' } })).status).toBe(303)
    expect(await findToken(account.state, token)).toBeUndefined()
    expect(['tokens/', 'users/', 'token-uses/'].map(countOf)).toEqual([0, 0, 0])
    expect((await alice.ask('/settings/tokens')).text).toContain(
      'You have no <span class="chip">{{tokens}}</span> yet.',
    )
  })

  test('a form that is submitted twice at the same time makes one token, which is in the list', async () => {
    const form = randomUUID()
    const answers = await Promise.all([1, 2].map(() => sendTokenForm(alice, { form })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(['tokens/', 'users/'].map(countOf)).toEqual([1, 1])
    const [token] = answers.map(({ text }) => tokenOn(text)).filter((text) => text !== '')
    const [listed] = await account.dependencies.accounts.listTokens('local-alice', new Date())
    expect(await findToken(account.state, token!)).toMatchObject({ id: listed!.id })
  })

  test('cleans up 1,500 expired tokens over several page views, a few calls at a time', async () => {
    for (let number = 0; number < 1_500; number++) await make(number, 3)
    await sendTokenForm(alice, { name: 'the good one' })
    let most = 0
    let atOnce = 0
    let calls = 0
    for (const name of ['get', 'set', 'delete'] as const) {
      const call: (...given: never[]) => Promise<unknown> = account.state[name]
      account.state[name] = async (...given: unknown[]): Promise<never> => {
        calls += 1
        most = Math.max(most, ++atOnce)
        // Waits for one turn of the event loop, so that concurrent requests really overlap.
        await new Promise((next) => setImmediate(next))
        const value = await call(...(given as never[]))
        atOnce -= 1
        return value as never
      }
    }
    const costs: number[] = []
    for (let views = 0; views < 12; views++) {
      calls = 0
      expect((await alice.ask('/settings/tokens')).status).toBe(200)
      costs.push(calls)
    }
    expect(most).toBeLessThanOrEqual(16)
    expect(Math.max(...costs)).toBeLessThanOrEqual(1_200)
    expect((await alice.ask('/settings/tokens')).text).toContain('the good one')
    calls = 0
    await alice.ask('/settings/tokens')
    expect(calls).toBeLessThanOrEqual(200)
    expect(countOf('users/local-alice/')).toBeLessThanOrEqual(50)
    expect(countOf('tokens/')).toBe(countOf('users/local-alice/'))
  })

  test('lists active tokens and the most recently expired ones, 50 in total', async () => {
    for (let number = 0; number < 60; number++) await make(number, 3)
    for (let made = 0; made < 3; made++) await sendTokenForm(alice, { name: `good ${made}` })
    const { text } = await alice.ask('/settings/tokens')
    expect(text.match(/class="ended"/g)).toHaveLength(47)
    expect(text).toContain('>t0 ')
    expect(text).not.toContain('>t59 ')
    expect(countOf('users/local-alice/')).toBe(50)
  })
})

test("users cannot see or revoke tokens of other users, even if they send the token's ID", async () => {
  await sendTokenForm(alice)
  const [token] = await account.dependencies.accounts.listTokens('local-alice', new Date())
  const bob = await account.signIn('bob')
  await sendTokenForm(bob, { owner: 'bob' })
  const page = (await bob.ask('/settings/tokens')).text
  const csrf = fieldOf(page, '/settings/tokens/revoke', 'csrf')
  expect(page).not.toContain(token?.id)
  for (const id of [token?.id ?? '', '', '../x', `../local-alice/${token?.id}`])
    expect((await bob.ask('/settings/tokens/revoke', { form: { csrf, id } })).status).toBe(404)
  expect(await account.dependencies.accounts.listTokens('local-alice', new Date())).toHaveLength(1)
})

describe('publishing with a personal token', () => {
  let world: World
  let hub: Hub
  const MEMBERS = (...logins: string[]) => ({ 'content/acme/index.md': `---\nmembers: [${logins.join(', ')}]\n---\n` })
  beforeAll(() => {
    world = openLocalWorld(MEMBERS('alice'))
  })
  const person = { kind: 'person', user_id: '7', login: 'alice' } as const
  let serial = 0
  const publishTo = async (to: string, token: string) => {
    serial += 1
    const { status, code } = await hub.publish({ content: `Text ${serial}.` }, { to, token })
    return [status, code]
  }
  beforeEach(async () => {
    hub = await openHub(world, {
      findHolder: async (given) => ((await hasBoundLogin(hub.state, given)) ? given : undefined),
    })
    await hub.state.set('logins/alice', '7')
  })

  test('the user appears as an owner after the first publish', async () => {
    const token = await hub.makeToken({ scope: 'alice/*', holder: person })
    expect(await publishTo('alice/first', token)).toEqual([201, undefined])
    expect((await hub.build()).has('/data/v1/users/alice.json')).toBe(true)
  })

  //  case                                   scope            to                  status code
  test.each([
    ['an owner that the user is a member of', 'acme/*', 'acme/greet', 201, undefined],
    ['the repository in the scope', 'alice/notes', 'alice/notes', 201, undefined],
    ['another repository whose name starts the same', 'alice/notes', 'alice/notes-2', 403, 'forbidden'],
    ['another owner whose name starts the same', 'alice/*', 'alice-2/notes', 403, 'forbidden'],
    ['another owner of the same user', 'alice/*', 'acme/greet', 403, 'forbidden'],
    ['another user’s owner, whatever the scope says', 'mallory/*', 'mallory/x', 403, 'forbidden'],
  ])('%s', async (_, scope, to, status, code) => {
    expect(await publishTo(to, await hub.makeToken({ scope, holder: person }))).toEqual([status, code])
  })

  test('is refused after the membership ends, and allowed again when it is restored', async () => {
    const token = await hub.makeToken({ scope: 'acme/*', holder: person })
    expect((await publishTo('acme/greet', token))[0]).toBe(201)
    await world.commitOutside(MEMBERS('bob'))
    expect(await publishTo('acme/greet', token)).toEqual([403, 'forbidden'])
    await world.commitOutside(MEMBERS('alice', 'bob'))
    expect((await publishTo('acme/greet', token))[0]).toBe(201)
  })

  test('is refused when the login belongs to another user or was released by a maintainer', async () => {
    const token = await hub.makeToken({ scope: 'alice/*', holder: person })
    await hub.state.set('logins/alice', '8')
    expect(await publishTo('alice/notes', token)).toEqual([403, 'forbidden'])
    await hub.state.delete('logins/alice')
    expect(await publishTo('alice/notes', token)).toEqual([403, 'forbidden'])
  })

  test('returns 401 for an expired token', async () => {
    const made = await hub.makeToken({ scope: 'alice/*', holder: person, days: 1 }, new Date(Date.now() - 86_400_001))
    expect(await publishTo('alice/notes', made)).toEqual([401, 'unauthorized'])
  })

  test('rejects content that contains a token, without repeating the token in the response', async () => {
    const token = await hub.makeToken({ scope: 'alice/*', holder: person })
    const answer = await hub.publish({ content: `Use ${token} here.` }, { to: 'alice/leak', token })
    expect([answer.status, answer.text.includes('content'), answer.text.includes(token)]).toEqual([422, true, false])
  })
})
