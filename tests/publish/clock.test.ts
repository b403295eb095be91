// Checks that a wrong clock neither hides a published version nor misdates it: a machine's clock that is set back or
// ahead, alone or beside other machines.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { openClock } from '../../src/server/publish/attempts.ts'
import { poll } from '../e2e/client.ts'
import { FAULTS } from '../github/faults.ts'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { openMachines } from '../hubs/machines.ts'
import { openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, openLocalWorld, type World } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'
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
describe.each([
  ['a week back', -WEEK_MS],
  ['a week ahead', WEEK_MS],
])('with the clock %s', (_, shiftMs) => {
  test('on GitHub: the version is read at once on every machine, and has GitHub’s time', async () => {
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
  })

  test('in a local repository: the version is read at once, before and after a build', async () => {
    world = openLocalWorld(FILES)
    const hub = await openHub(world, { clock: clockOf(shiftMs), isRemembering: true })
    await hub.build()
    for (const text of ['New\n', 'Newer\n']) {
      expect((await hub.publish({ content: text })).status).toBe(201)
      expect((await hub.readRepository('/raw')).text).toBe(text)
    }
    await hub.build()
    expect((await hub.readRepository('/raw')).text).toBe('Newer\n')
  })
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

describe('npm start with a local repository', () => {
  const dir = temporaryFolder('hub-clock-')
  const opened = openMachines()
  afterAll(() => opened.close())

  test('serves each version at once, while its clock is set ahead and back', async () => {
    world = openLocalWorld({ ...FILES, 'content/acme/index.md': '---\nname: Acme\n---\n' })
    const file = join(dir, 'clock')
    const setClock = (shiftMs: number) => writeFileSync(file, String(shiftMs))
    setClock(0)
    const machine = opened.make({
      CONTENT_DIR: await world.contentDir(),
      CLOCK_FILE: file,
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_REQUESTS: 'off',
    })
    const token = machine.makeToken('acme')
    const NODE_OPTIONS = `--import=${pathToFileURL('tests/hubs/shifted-clock.ts')}`
    const { base, run } = await machine.start({ NODE_OPTIONS })
    try {
      const read = async (path: string) => (await fetch(base + path)).text()
      for (const [number, shiftMs] of [0, WEEK_MS, -2 * WEEK_MS, 0].entries()) {
        setClock(shiftMs)
        const content = `Text ${number}\n`
        const answer = await fetch(`${base}/api/v1/repos/acme/code-review/versions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ content }),
        })
        expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
        // The copy must be used for as long as no build contains the version.
        for (let reads = 0; reads < 5; reads++) expect(await read('/api/v1/repos/acme/code-review/raw')).toBe(content)
        await poll('the build has it', 60_000, async () =>
          (await read('/data/v1/repos/acme/code-review/raw.txt')) === content ? true : undefined,
        )
        expect(await read('/api/v1/repos/acme/code-review/raw')).toBe(content)
      }
    } finally {
      await run.end()
    }
  })
})
