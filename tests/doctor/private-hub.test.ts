// Tests what `npm run doctor -- --url` reports about a hub that only readers may read.
import { afterEach, expect, test } from 'vitest'
import { checkSetup } from '../../src/doctor/doctor.ts'
import { type MembersHub, openMembersHub } from '../hubs/members-hub.ts'

let hub: MembersHub
afterEach(() => hub?.stop())

async function check(hasToken: boolean) {
  const token = hub.readers['a token with read']!.headers.Authorization!.replace('Bearer ', '')
  const environment = hasToken ? { HUB_TOKEN: token } : {}
  const results = await checkSetup({ environment, root: process.cwd(), url: `http://127.0.0.1:${hub.port}` })
  return new Map(results.map((result) => [result.check, result]))
}

test('asks for a token, and then checks the hub as a reader', async () => {
  hub = await openMembersHub()
  const stranger = await check(false)
  expect(stranger.get('hub-reachable')).toMatchObject({ outcome: 'error' })
  expect(JSON.stringify(stranger.get('hub-reachable'))).toContain('Set HUB_TOKEN')
  const reader = await check(true)
  for (const name of ['hub-reachable', 'hub-readers']) expect([name, reader.get(name)?.outcome]).toEqual([name, 'ok'])
})

test('finds a header that everybody can send', async () => {
  hub = await openMembersHub({ TRUSTED_PROXIES: 'loopback' })
  const found = (await check(true)).get('hub-readers')
  expect(found?.outcome).toBe('error')
  expect(JSON.stringify(found)).toContain('Whoever sends the header X-Forwarded-User may read the hub')
})
