// Checks that publishers on GitHub take turns: a publisher who sends twelve publishes at once delays every other
// publisher by only a few publishes.
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { openClock } from '../../src/server/publish/attempts.ts'
import { createPublishTurns } from '../../src/state/publish-turns.ts'
import { delayCalls } from '../github/delays.ts'
import { type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, type World } from '../hubs/worlds.ts'
import { judgeHistory } from './history.ts'

let world: World & { place: StandInRepository }
const standIn = await startGitHubStandIn()
afterAll(() => standIn.close())
beforeEach(async () => {
  world = await openGitHubWorld(standIn, {}, 60_000)
  standIn.forget()
})
afterEach(() => standIn.forget())

test('four publishes wait for at most five of another owner’s twelve concurrent ones', async () => {
  // On a busy machine, the last of them would wait for longer than a publish may take. Here, that time never ends.
  const nowMs = Date.now()
  const turns = createPublishTurns()
  const hub = await openHub(world, {
    clock: { ...openClock(), now: () => nowMs },
    takeTurn: (request, work) => turns({ ...request, waitMs: 600_000 }, work),
  })
  const other = await hub.makeToken({ scope: 'beta/*' })
  delayCalls(standIn, 20)
  const order: string[] = []
  const send = async (owner: string, number: number, token: string) => {
    const answer = await hub.publish({ content: `Text ${number}\n` }, { to: `${owner}/notes`, token })
    order.push(owner)
    return answer.status
  }
  const first = Array.from({ length: 12 }, (_, number) => send('acme', number, hub.token))
  // The twelve publishes are already in the queue when the other owner's publish arrives.
  await expect.poll(() => standIn.counts().all).toBeGreaterThan(0)
  const second = Array.from({ length: 4 }, (_, number) => send('beta', number, other))
  expect(await Promise.all(second)).toEqual([201, 201, 201, 201])
  expect(order.filter((owner) => owner === 'acme').length).toBeLessThanOrEqual(5)
  expect(await Promise.all(first)).toEqual(Array(12).fill(201))
  standIn.forget()
  expect(await judgeHistory(world)).toHaveLength(16)
})
