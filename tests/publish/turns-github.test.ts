// Checks that publishers on GitHub take turns: a publisher who sends thirty publishes at once delays every other
// publisher by only a few publishes.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, type World } from '../hubs/worlds.ts'
import { judgeHistory } from './history.ts'

let standIn: GitHubStandIn
let world: World & { place: StandInRepository }
beforeAll(async () => {
  standIn = await startGitHubStandIn()
})
afterAll(() => standIn.close())
beforeEach(async () => {
  world = await openGitHubWorld(standIn)
  standIn.forget()
})
afterEach(() => {
  standIn.forget()
  world.close()
})

/** Makes each call take as long as on github.com, divided by a factor. See docs/notes/github.md section 5. */
function delayCalls(factor: number): void {
  for (const [on, seconds] of [
    ['query', 0.4],
    ['mutation', 1.9],
  ] as const)
    standIn.script({
      on,
      times: Infinity,
      fault: {
        kind: 'hold',
        applied: false,
        get until() {
          return sleep((seconds * 1000) / factor)
        },
      },
    })
}

test('four publishes wait for at most five of another owner’s thirty concurrent ones', async () => {
  const hub = await openHub(world)
  const other = await hub.makeToken({ scope: 'beta/*' })
  delayCalls(20)
  const order: string[] = []
  const send = async (owner: string, number: number, token: string) => {
    const answer = await hub.publish({ content: `Text ${number}\n` }, { to: `${owner}/notes`, token })
    order.push(owner)
    return answer.status
  }
  const first = Array.from({ length: 30 }, (_, number) => send('acme', number, hub.token))
  // The thirty publishes are already in the queue when the other owner's publish arrives.
  await expect.poll(() => standIn.counts().all).toBeGreaterThan(0)
  const second = Array.from({ length: 4 }, (_, number) => send('beta', number, other))
  expect(await Promise.all(second)).toEqual([201, 201, 201, 201])
  expect(order.filter((owner) => owner === 'acme').length).toBeLessThanOrEqual(5)
  expect(await Promise.all(first)).toEqual(Array(30).fill(201))
  standIn.forget()
  expect(await judgeHistory(world)).toHaveLength(34)
})
