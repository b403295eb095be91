// Tests who is a member of a GitHub organisation: an answer counts for less than a minute, an outage is bridged for a few,
// and what cannot be read denies.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openGitHubRequests } from '../../src/github/github-requests.ts'
import { type IsOrganisationMember, openOrganisations } from '../../src/github/organisations.ts'
import { openAdmission } from '../../src/hub/people.ts'
import { FAULTS } from './faults.ts'
import { type GitHubStandIn, ORGANISATION, startGitHubStandIn } from './stand-in.ts'

let standIn: GitHubStandIn
let ids: Record<string, string>
beforeAll(async () => {
  standIn = await startGitHubStandIn()
  const idOf = async (login: string) => String((await (await fetch(`${standIn.url}/users/${login}`)).json()).id)
  ids = { alice: await idOf('alice'), bob: await idOf('bob') }
})
afterAll(() => standIn?.close())

const account = (login: string, user_id = ids[login]!) => ({ login, user_id })
const change = async (method: 'PUT' | 'DELETE', login: string) => {
  const path = method === 'PUT' ? 'memberships' : 'members'
  const headers = { authorization: `token ${ORGANISATION.token}`, 'content-type': 'application/json' }
  const body = method === 'PUT' ? { body: '{"role":"member"}' } : {}
  const answer = await fetch(`${standIn.url}/orgs/${ORGANISATION.login}/${path}/${login}`, { method, headers, ...body })
  expect(answer.ok).toBe(true)
}

describe('one organisation', () => {
  let nowMs: number
  let isMember: IsOrganisationMember
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    nowMs = 0
    const credential = { kind: 'token', token: ORGANISATION.token } as const
    const ask = openGitHubRequests({ repository: '/', credential, apiUrl: standIn.url, callTimeoutMs: 2_000 })
    isMember = openOrganisations(ask, () => nowMs)
  })
  afterEach(async () => {
    standIn.forget()
    vi.restoreAllMocks()
    await change('PUT', 'alice')
  })
  const is = (login: string, id?: string) => isMember(account(login, id), ORGANISATION.login)
  const isDown = () =>
    standIn.script({
      on: 'rest',
      when: ({ name }) => name.includes('/memberships/'),
      fault: FAULTS.badGateway(false),
      times: 99,
    })

  test('admits a member, and nobody else', async () => {
    expect([await is('alice'), await is('bob')]).toEqual([true, false])
    expect(await isMember(account('alice'), 'no-such-org')).toBe(false)
  })

  test('compares the account’s ID, because a login may belong to somebody else by now', async () => {
    expect(await is('alice', '999999')).toBe(false)
  })

  test('asks once for many requests at once, and not again for 45 seconds', async () => {
    standIn.forget()
    expect(await Promise.all(Array.from({ length: 30 }, () => is('alice')))).toEqual(Array(30).fill(true))
    nowMs = 44_999
    await is('alice')
    expect(standIn.calls.filter(({ name }) => /^GET .*\/memberships\//.test(name))).toHaveLength(1)
  })

  test('somebody who leaves loses reading within a minute', async () => {
    expect(await is('alice')).toBe(true)
    await change('DELETE', 'alice')
    nowMs = 45_000
    expect(await is('alice')).toBe(false)
  })

  test('while GitHub is down, a member stays one for five minutes, then nobody is admitted', async () => {
    expect(await is('alice')).toBe(true)
    isDown()
    nowMs = 299_999
    expect(await is('alice')).toBe(true)
    nowMs = 300_000
    await expect(is('alice')).rejects.toMatchObject({ code: 'unavailable' })
    await expect(is('bob')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('while GitHub is down, it is asked about a person every five seconds at most', async () => {
    isDown()
    for (nowMs = 0; nowMs < 5_000; nowMs += 100) await expect(is('alice')).rejects.toThrow('Try again')
    expect(standIn.calls.filter(({ name }) => /^GET .*\/memberships\//.test(name))).toHaveLength(1)
  })
})

describe('READERS', () => {
  const SIGN_IN = { GITHUB_CLIENT_ID: 'x', GITHUB_CLIENT_SECRET: 'x', SESSION_SECRET: 'x'.repeat(32) }
  const OPENID = { SIGN_IN_ISSUER: 'https://login.example', SIGN_IN_CLIENT_ID: 'x', SIGN_IN_CLIENT_SECRET: 'x' }
  const admits = (readers: string, settings: Record<string, string> = { ...SIGN_IN, ...OPENID }) =>
    openAdmission(
      readConfig({
        ...settings,
        READ_ACCESS: 'members',
        READERS: readers,
        GITHUB_API_URL: standIn.url,
        READERS_GITHUB_TOKEN: ORGANISATION.token,
      }),
    )
  const oidc = { issuer: 'https://login.example', subject: 's1', email: 'ada@acme.example', name: null }
  const ada = { user_id: `oidc-${'a'.repeat(32)}`, login: 'alice', oidc }

  test('admits by organisation, login, email address and subject', async () => {
    expect(await admits(`github-org:${ORGANISATION.login}`)(account('alice'))).toBe(true)
    expect(await admits(`github-org:${ORGANISATION.login}`)(account('bob'))).toBe(false)
    expect(await admits('github:bob')(account('bob'))).toBe(true)
    expect(await admits('email:*@acme.example')(ada)).toBe(true)
    expect(await admits('email:*@acme.example')({ oidc })).toBe(true)
    expect(await admits('oidc:s1')(ada)).toBe(true)
  })

  test('never takes one provider’s names for those of the other', async () => {
    expect(await admits(`github:alice, github-org:${ORGANISATION.login}`)(ada)).toBe(false)
    expect(await admits('oidc:s1')({ ...ada, oidc: { ...oidc, issuer: 'https://evil.example' } })).toBe(false)
    expect(await admits('email:*@acme.example')({ ...ada, oidc: { ...oidc, email: null } })).toBe(false)
    // GitHub is no longer configured, so its sessions and tokens end.
    const only = { ...OPENID, SESSION_SECRET: 'x'.repeat(32) }
    expect(await admits('github:bob', only)(account('bob'))).toBe(false)
  })
})
