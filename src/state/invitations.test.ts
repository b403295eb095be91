// Tests who gets in with an invitation, and who no longer does.
import { expect, test } from 'vitest'
import { memoryState } from '../../tests/hubs/memory-state.ts'
import { DEVICE_MINUTES, INVITATION_HOURS, invite, openInvitations } from './invitations.ts'
import { blockPerson, forgetPerson, signOutPerson, unblockPerson } from './people.ts'
import { openPeople } from './sessions.ts'
import type { StateStore } from './state-store.ts'
import { openWebhooks } from './webhooks.ts'

const NOW = new Date('2026-11-29T10:00:00Z')
const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)

async function open() {
  const state = memoryState()
  const { person, key } = await invite(state, 'ada', NOW)
  return { state, person, key, invitations: openInvitations(state) }
}

test('opening a link uses nothing up, and of many who use it at once, one gets in', async () => {
  const { invitations, key, person } = await open()
  for (let times = 0; times < 3; times++) expect(await invitations.find(key, NOW)).toEqual(person)
  const spent = await Promise.all(Array.from({ length: 8 }, () => invitations.spend(key, NOW)))
  expect(spent.filter((one) => one !== undefined)).toEqual([person])
  expect([await invitations.find(key, NOW), await invitations.spend(key, NOW)]).toEqual([undefined, undefined])
})

//  what happens before the link is used
test.each<[string, (state: StateStore) => Promise<unknown>]>([
  ['a newer link', (state) => invite(state, 'ada', NOW)],
  ['a sign-out by the operator', (state) => signOutPerson(state, 'ada')],
  ['a block', (state) => blockPerson(state, 'ada', NOW)],
  ['a block that ended', async (state) => [await blockPerson(state, 'ada', NOW), await unblockPerson(state, 'ada')]],
  ['forgetting', (state) => forgetPerson(state, 'ada')],
  [
    'forgetting, and another invitation of the login',
    async (state) => [await forgetPerson(state, 'ada'), await invite(state, 'ada', NOW)],
  ],
])('%s ends a link', async (_, happen) => {
  const { state, invitations, key } = await open()
  await happen(state)
  expect([await invitations.find(key, NOW), await invitations.spend(key, NOW)]).toEqual([undefined, undefined])
})

test('a forgotten person is not named by the webhooks that they set', async () => {
  const { state } = await open()
  const webhooks = openWebhooks(state)
  const set = (id: string, by: string) =>
    webhooks.set({ owner: 'acme', id }, { url: 'https://ci.example.com/', events: ['label.moved'] }, { by, now: NOW })
  await set('hers', 'ada')
  await set('other', 'adam')
  const before = await webhooks.find({ owner: 'acme', id: 'hers' })
  await forgetPerson(state, 'ada')
  expect(await webhooks.find({ owner: 'acme', id: 'hers' })).toEqual({ ...before, created_by: null })
  expect(await webhooks.find({ owner: 'acme', id: 'other' })).toMatchObject({ created_by: 'adam' })
})

test('a link ends in time, and one for a device sooner', async () => {
  const { invitations, key, person } = await open()
  expect(await invitations.find(key, later(INVITATION_HOURS * 60 - 1))).toEqual(person)
  expect(await invitations.find(key, later(INVITATION_HOURS * 60))).toBeUndefined()
  const device = await invitations.addDevice(person, NOW)
  expect(await invitations.find(key, NOW)).toBeUndefined()
  expect(await invitations.find(device, later(DEVICE_MINUTES - 1))).toEqual(person)
  expect(await invitations.spend(device, later(DEVICE_MINUTES))).toBeUndefined()
})

test.each([null, '', 'ada', 'ada.', `ada.${'A'.repeat(43)}`, `bob.${'A'.repeat(43)}`, `a/../b.${'A'.repeat(43)}`])(
  'a guess signs nobody in: %s',
  async (key) => {
    const { invitations } = await open()
    expect([await invitations.find(key, NOW), await invitations.spend(key, NOW)]).toEqual([undefined, undefined])
  },
)

test('a login of somebody else cannot be invited, and a forgotten person’s session ends', async () => {
  const { state, invitations, key, person } = await open()
  const people = openPeople(state)
  expect(await people.bindLogin({ user_id: '583231', login: 'octocat' })).toBe(true)
  await expect(invite(state, 'octocat', NOW)).rejects.toThrow('signed in with a provider')
  expect(await people.bindLogin({ user_id: '583231', login: 'ada' })).toBe(false)
  await invitations.spend(key, NOW)
  const secret = await people.openSession(person, NOW)
  expect((await people.findSession(secret, NOW))?.person).toEqual(person)
  await forgetPerson(state, 'ada')
  expect(await people.findSession(secret, NOW)).toBeUndefined()
})
