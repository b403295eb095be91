// Tests what `npm run doctor -- --url` reports about a hub that only readers may read.
import { expect, test } from 'vitest'
import { checkSetup } from '../../src/doctor/doctor.ts'
import { type MembersHub, PROXY } from '../hubs/members-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { startFront } from './front.ts'

/** Adds the tests of a private hub. */
export function testDoctorOfMembers(hub: MembersHub): void {
  const check = async (hasToken: boolean, port = hub.port) => {
    const token = hub.readers['a token with read']!.headers.Authorization!.replace('Bearer ', '')
    const environment = hasToken ? { HUB_TOKEN: token } : {}
    const results = await checkSetup({ environment, root: process.cwd(), url: `http://localhost:${port}` })
    return new Map(results.map((result) => [result.check, result]))
  }

  test('the doctor asks for a token, and then checks the hub as a reader', async () => {
    const stranger = await check(false)
    expect(stranger.get('hub-reachable')).toMatchObject({ outcome: 'error' })
    expect(JSON.stringify(stranger.get('hub-reachable'))).toContain('Set HUB_TOKEN')
    const reader = await check(true)
    for (const name of ['hub-reachable', 'hub-readers']) expect([name, reader.get(name)?.outcome]).toEqual([name, 'ok'])
  })

  test('the doctor finds a header that everybody can send, because the proxy passes it on', async () => {
    const port = await freePort()
    const front = await startFront(port, hub.port, PROXY)
    const found = (await check(true, port)).get('hub-readers')
    await front.close()
    expect(found?.outcome).toBe('error')
    expect(JSON.stringify(found)).toContain('Whoever sends the header X-Forwarded-User may read the hub')
  })
}
