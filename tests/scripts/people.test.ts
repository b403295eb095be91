// Checks `npm run people`: an operator lists people, ends their sessions and tokens, and blocks them. Every hub that
// shares the state applies it to the next request.

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../../src/domain/access/person.ts'
import { openPeople } from '../../src/state/sessions.ts'
import { listKeys, type OpenStateStore } from '../../src/state/state-entries.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import { createToken, findToken, openTokens } from '../../src/state/tokens.ts'
import { openAccount } from '../hubs/account.ts'
import { openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { runScript } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const MALLORY: Person = { user_id: '666', login: 'mallory' }
const ALICE: Person = { user_id: '7', login: 'alice' }

let dir: string
let state: OpenStateStore
beforeAll(async () => {
  dir = temporaryFolder('hub-people-')
  state = await openSqliteState(join(dir, '.hub/state.db'))
})
afterAll(() => state.close())

const run = (...args: string[]) => runScript('scripts/people.ts', args, { cwd: dir })
const signIn = async (person: Person) => {
  await openPeople(state).bindLogin(person)
  return openPeople(state).openSession(person, new Date())
}
const makeToken = async (person: Person) =>
  (
    await createToken(
      state,
      { holder: { kind: 'person', ...person }, name: 'laptop', scope: `${person.login}/*`, days: 9 },
      new Date(),
    )
  ).token
const hasSession = async (secret: string) => (await openPeople(state).findSession(secret, new Date())) !== undefined

test('sign-out ends the sessions and tokens of one person, who can sign in again', async () => {
  expect(await run('list')).toEqual({ code: 0, stdout: 'Nobody has signed in.\n', stderr: '' })
  const [his, hers] = [await signIn(MALLORY), await signIn(ALICE)]
  const [hisToken, herToken] = [await makeToken(MALLORY), await makeToken(ALICE)]
  expect(await run('sign-out', 'Mallory')).toEqual({
    code: 0,
    stdout: 'Signed out: mallory. Their sessions ended, and 1 token was revoked.\n',
    stderr: expect.stringMatching(
      /^\{"time":"[^"]+","level":"audit","event":"token_revoked",[^\n]+\n\{"time":"[^"]+","level":"audit","event":"person_signed_out","login":"mallory","tokens":1\}\n$/,
    ),
  })
  expect([await hasSession(his), await hasSession(hers)]).toEqual([false, true])
  expect([await findToken(state, hisToken), await findToken(state, herToken)]).toEqual([
    undefined,
    expect.objectContaining({ name: 'laptop' }),
  ])
  expect(await hasSession(await signIn(MALLORY))).toBe(true)
})

test('block ends sessions and tokens, and keeps the person out until unblock', async () => {
  const world = openLocalWorld()
  const hub = await openHub(world, { state })
  const send = (token: string) => hub.publish({ content: `${Math.random()}\n` }, { to: 'mallory/notes', token })
  const session = await signIn(MALLORY)
  const token = await makeToken(MALLORY)
  expect((await send(token)).status).toBe(201)
  expect(await run('block', 'mallory')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Blocked: mallory\./) })
  expect((await run('list')).stdout).toMatch(/^mallory +666 +- +0 +\d{4}-\d\d-\d\d$/m)
  expect((await run('list')).stdout).toMatch(/^alice +7 +- +1 +-$/m)
  expect(await hasSession(session)).toBe(false)
  expect(await send(token)).toMatchObject({ status: 401, code: 'unauthorized' })
  // As if the token and the session had been made at the same moment.
  const late = { token: await makeToken(MALLORY), session: await openPeople(state).openSession(MALLORY, new Date()) }
  expect(await send(late.token)).toMatchObject({ status: 403, message: expect.stringContaining('mallory is blocked') })
  expect(await hasSession(late.session)).toBe(false)
  // On GitHub, a login can be changed, but not the account's ID.
  const renamed = { ...MALLORY, login: 'innocent' }
  expect(await openPeople(state).isBlocked(renamed)).toBe(true)
  expect(await openPeople(state).isBlocked(ALICE)).toBe(false)
  expect(await run('unblock', 'mallory')).toEqual({
    code: 0,
    stdout: 'Unblocked: mallory. Tokens must be created again.\n',
    stderr: expect.stringMatching(/^\{[^\n]+"event":"person_unblocked","login":"mallory"\}\n$/),
  })
  expect(await openPeople(state).isBlocked(renamed)).toBe(false)
  expect((await send(await makeToken(MALLORY))).status).toBe(201)
})

test('a login can be blocked before its first sign-in', async () => {
  expect((await run('block', 'nobody-yet')).code).toBe(0)
  expect((await run('list')).stdout).toMatch(/^nobody-yet +- +- +0 +\d{4}-\d\d-\d\d$/m)
  expect(await openPeople(state).isBlocked({ user_id: '1234', login: 'nobody-yet' })).toBe(true)
})

test('a blocked person cannot sign in, and sees why', async () => {
  const account = openAccount({ accounts: { ...openPeople(state), ...openTokens(state) } })
  await state.set('blocks/logins/mallory', '2026-11-25T00:00:00Z')
  const jar = account.openJar()
  const page = (await jar.ask(account.signInPath())).text
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  const answer = await jar.ask('/auth/local', {
    form: { state: field('state'), key: field('key'), handle: 'mallory' },
  })
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('mallory is blocked on this hub')])
  expect([...jar.cookies.keys()].some((name) => name.endsWith('session'))).toBe(false)
})

describe('a person of an OpenID Connect provider', () => {
  const ADA = { issuer: 'https://login.example', subject: 'a1', email: 'ada@acme.example', name: 'Ada' }
  const signInAsAda = async () => {
    const person = await openPeople(state).keepIdentity(ADA)
    return {
      person,
      session: await openPeople(state).openSession(person, new Date(), 'an ID token for ada@acme.example'),
    }
  }

  test('is listed with the email address, which commands take too', async () => {
    const { person, session } = await signInAsAda()
    const token = await makeToken(person)
    expect((await run('list')).stdout).toMatch(/^ada-acme +oidc-[0-9a-f]{32} +ada@acme\.example +1 +-$/m)
    expect((await run('block', 'Ada@acme.example')).stdout).toMatch(
      /^Blocked: ada-acme\. Their sessions ended, and 1 token was/,
    )
    expect([await hasSession(session), await findToken(state, token)]).toEqual([false, undefined])
    const { session: again } = await signInAsAda()
    expect(await hasSession(again)).toBe(false)
    expect((await run('unblock', 'ada-acme')).code).toBe(0)
  })

  test('is forgotten: nothing names the person any more, old sessions stay ended, and the login is free', async () => {
    const { person, session } = await signInAsAda()
    const token = await makeToken(person)
    expect((await run('forget', 'ada-acme')).stdout).toMatch(/^Forgotten: ada-acme\./)
    expect([await hasSession(session), await findToken(state, token)]).toEqual([false, undefined])
    expect((await run('list')).stdout).not.toContain('ada')
    const values = await Array.fromAsync(listKeys(state, ''), async (key) => `${key} ${(await state.get(key))?.value}`)
    expect(values.filter((text) => text.includes('acme.example') || text.includes('"a1"'))).toEqual([])
    const { person: back } = await signInAsAda()
    expect([back, await hasSession(session)]).toEqual([person, false])
    expect((await run('forget', 'nobody-here')).stderr).toContain('Nobody has signed in as nobody-here')
  })
})

describe('rejected with the usage', () => {
  //  arguments
  test.each([[[]], [['block', 'nobody@acme.example']]])('%j', async (args) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('Usage: npm run people')
  })

  test('unblock of somebody who is not blocked', async () => {
    expect(await run('unblock', 'alice')).toMatchObject({ code: 1, stderr: expect.stringContaining('is not blocked') })
  })
})

test('--help describes every command', async () => {
  const { code, stdout } = await run('--help')
  expect(code).toBe(0)
  for (const part of ['list', 'sign-out', 'block', 'unblock', 'forget']) expect(stdout).toContain(`  ${part} `)
})
