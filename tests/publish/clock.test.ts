// Checks that a wrong clock neither hides a published version nor misdates it: a machine's clock that is set back or
// ahead, alone or beside other machines.
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { openClock } from '../../src/server/publish/write-to-git.ts'
import { FAULTS } from '../github/faults.ts'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, openLocalWorld, type World } from '../hubs/worlds.ts'
import { judgeHistory } from './history.ts'

const WEEK_MS = 7 * 86_400_000
const clockOf = (shiftMs: number) => ({ ...openClock(), now: () => Date.now() + shiftMs })
const OLD = '---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\n---\nOld\n'
const FILES = { 'content/acme/code-review/versions/1.0.0.md': OLD }

let world: World
const standIn = await startGitHubStandIn()
afterAll(() => standIn.close())
afterEach(() => standIn.forget())

//  case
test.each([
  ['a week back', -WEEK_MS],
  ['a week ahead', WEEK_MS],
])(
  'with the clock %s, a version on GitHub is read at once on every machine, and has GitHub’s time',
  async (_, shiftMs) => {
    world = await openGitHubWorld(standIn, FILES)
    const wrong = await openHub(world, { clock: clockOf(shiftMs) })
    const right = await openHub(world, { state: wrong.state })
    for (const hub of [wrong, right]) await hub.build()
    const began = Date.now()
    const { status, data } = await wrong.publish({ content: 'New\n' })
    expect(status).toBe(201)
    for (const hub of [wrong, right]) {
      expect((await hub.readRepository('/raw')).text).toBe('New\n')
      expect((await hub.readRepository()).data.versions).toEqual(['1.0.1', '1.0.0'])
    }
    expect(Math.abs(Date.parse(String(data.published_at)) - began)).toBeLessThan(60_000)
    await right.publish({ content: 'Newer\n' })
    for (const hub of [wrong, right]) expect((await hub.readRepository('/raw')).text).toBe('Newer\n')
    for (const hub of [wrong, right]) {
      await hub.build()
      expect((await hub.readRepository('/raw')).text).toBe('Newer\n')
    }
  },
)

test('in a local repository, each version is read at once, before and after a build, while the clock is set ahead and back', async () => {
  world = openLocalWorld(FILES)
  let shiftMs = 0
  const hub = await openHub(world, { clock: { ...openClock(), now: () => Date.now() + shiftMs }, isRemembering: true })
  await hub.build()
  for (const [number, shift] of [0, WEEK_MS, -2 * WEEK_MS, 0].entries()) {
    shiftMs = shift
    for (const text of [`New ${number}\n`, `Newer ${number}\n`]) {
      expect((await hub.publish({ content: text })).status).toBe(201)
      expect((await hub.readRepository('/raw')).text).toBe(text)
    }
    await hub.build()
    expect((await hub.readRepository('/raw')).text).toBe(`Newer ${number}\n`)
  }
})

test.each([
  ['ahead', WEEK_MS],
  ['back', -WEEK_MS],
])('a clock that is set %s during a publish does not change how long it may take, nor its time', async (_, shiftMs) => {
  world = openLocalWorld(FILES)
  vi.useFakeTimers({ toFake: ['Date'] })
  const began = Date.now()
  const waits: number[] = []
  try {
    const hub = await openHub(world, {
      takeTurn(request, run) {
        waits.push(request.waitMs)
        return run()
      },
      limiter: {
        async take() {
          vi.setSystemTime(began + shiftMs)
          return 0
        },
      },
    })
    const { status, data } = await hub.publish({ content: 'New\n' })
    expect([status, waits.length]).toEqual([201, 1])
    // 25 s, without the 3 s of an attempt.
    expect(waits[0]).toBeGreaterThan(12_000)
    expect(waits[0]).toBeLessThanOrEqual(22_000)
    expect(Math.abs(Date.parse(String(data.published_at)) - began)).toBeLessThan(60_000)
  } finally {
    vi.useRealTimers()
  }
})

test('a lost response is recognised, although the machine’s clock is ahead', async () => {
  world = await openGitHubWorld(standIn)
  const hub = await openHub(world, { clock: clockOf(3_600_000) })
  standIn.script({ on: 'mutation', fault: FAULTS.cut(true) })
  expect(await hub.publish({ content: 'Once\n' })).toMatchObject({ status: 201, version: '1.0.0' })
  expect(await judgeHistory(world)).toHaveLength(1)
})
