// Checks that hubs with a shared database take turns on GitHub: no hub loses a race, each hub and publisher gets its
// turn, a killed hub loses its turn, and git still decides if the queue fails. Files that are published on one are read at
// once on the other.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openHubTurns } from '../../src/state/hub-turns.ts'
import { createPublishTurns, shareTurns } from '../../src/state/publish-turns.ts'
import { shareCopies } from '../../src/state/shared-copies.ts'
import type { OpenStateStore } from '../../src/state/state-entries.ts'
import { openPostgresState } from '../../src/state/state-postgres.ts'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { type PostgresServer, startPostgres } from '../hubs/postgres.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, openLocalWorld, type World } from '../hubs/worlds.ts'
import { consecutive, judgeHistory, sorted } from './history.ts'

let standIn: GitHubStandIn
let postgres: PostgresServer
beforeAll(async () => {
  ;[standIn, postgres] = await Promise.all([startGitHubStandIn(), startPostgres()])
})
afterAll(() => Promise.all([standIn?.close(), postgres?.close()]))

let world: World & { place: StandInRepository }
let url: string
const open: (() => unknown)[] = []
beforeEach(async () => {
  world = await openGitHubWorld(standIn)
  url = await postgres.createDatabase()
  standIn.forget()
})
afterEach(async () => {
  standIn.forget()
  for (const close of open.splice(0)) await close()
})

/** Opens a hub as another process would: with its own connections, its own queue and its own cache of copies. */
async function openMember(at: World = world): Promise<Hub & { state: OpenStateStore }> {
  const state = await openPostgresState(url)
  const copies = shareCopies(state)
  open.push(copies.close, state.close)
  const takeTurn = shareTurns(createPublishTurns(), openHubTurns(state))
  return { ...(await openHub(at, { state, copies, takeTurn })), state }
}
/** Publishes as the clients do: on a busy machine, a publish may wait for too long, which takes no call to GitHub. */
async function publishPatiently(hub: Hub, body: object, sending?: Parameters<Hub['publish']>[1]) {
  for (;;) {
    const answer = await hub.publish(body, sending)
    if (answer.status !== 503) return answer
  }
}
const openMembers = async () => [await openMember(), await openMember(), await openMember()] as const

test('three hubs with six publishes: one commit each, and no lost race', async () => {
  const hubs = await openMembers()
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => publishPatiently(hubs[index % 3]!, { content: `Text ${index}\n` })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
  expect(sorted(answers.map(({ version }) => version))).toEqual(consecutive(6))
  // The latest version comes from the records that all hubs share, so it takes no call, whichever hub published it.
  expect(standIn.counts()).toEqual({ query: 6, mutation: 6, rest: 0, all: 12 })
  expect(await judgeHistory(world)).toHaveLength(6)
})

test('each hub and each publisher waits for at most one turn of every hub at a time', async () => {
  const [one, two, three] = await openMembers()
  const other = await one.makeToken({ scope: 'beta/*' })
  // A turn is one publish, which takes longer than half a second, and on github.com four times as long.
  for (const [on, ms] of [
    ['query', 100],
    ['mutation', 475],
  ] as const)
    standIn.script({
      on,
      times: Infinity,
      fault: {
        kind: 'hold',
        applied: false,
        get until() {
          return sleep(ms)
        },
      },
    })
  const order: string[] = []
  const send = async (hub: Hub, name: string, token: string) => {
    const { status } = await publishPatiently(hub, { content: `${name}\n` }, { to: name, token })
    order.push(name)
    return status
  }
  const many = [one, two].flatMap((hub, at) =>
    Array.from({ length: 3 }, (_, number) => send(hub, `acme/p${at}-${number}`, hub.token)),
  )
  await expect.poll(() => standIn.counts().mutation).toBeGreaterThan(0)
  expect(await Promise.all([send(three, 'beta/new', other), send(one, 'beta/old', other)])).toEqual([201, 201])
  // One publish was running. Then each of the two hubs may have one before the new hub, and before the new publisher.
  expect(order.indexOf('beta/new')).toBeLessThanOrEqual(3)
  expect(order.indexOf('beta/old')).toBeLessThanOrEqual(6)
  expect(await Promise.all(many)).toEqual(Array(6).fill(201))
})

test('a hub whose turn was taken while it worked publishes nothing twice', async () => {
  const [one, two] = await openMembers()
  const held = Promise.withResolvers<void>()
  standIn.script({ on: 'mutation', fault: { kind: 'hold', applied: false, until: held.promise } })
  const slow = one.publish({ content: 'Slow\n' })
  await expect.poll(() => standIn.counts().mutation).toBe(1)
  // The row disappears, as after a restored backup, so the other hub takes a turn of its own.
  await two.state.delete('turns/branch')
  expect((await two.publish({ content: 'Fast\n' })).version).toBe('1.0.0')
  held.resolve()
  expect(await slow).toMatchObject({ status: 201, version: '1.0.1' })
  expect(await judgeHistory(world)).toHaveLength(2)
})

test('without the database, a publish returns 503 and commits nothing', async () => {
  const hub = await openMember()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const takeBranch = openHubTurns(hub.state)
  await postgres.stop()
  await expect(takeBranch(1_000)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  expect(await hub.publish({ content: 'Lost\n' })).toMatchObject({ status: 503, code: 'unavailable' })
  await postgres.start()
  expect(standIn.counts().mutation).toBe(0)
  await expect.poll(async () => (await hub.publish({ content: 'Found\n' })).status).toBe(201)
  vi.restoreAllMocks()
})

test('the files and the archive of a skill are read at once on another hub, and carried over to its next version', async () => {
  const local = openLocalWorld()
  const [one, other] = [await openMember(local), await openMember(local)]
  const api = '/api/v1/repos/acme/forms'
  const skill = { description: 'Fills in forms.' }
  // As much as a version may have, of bytes that no compression makes shorter in the database.
  const files = Array.from({ length: 4 }, (_, at) => ({
    path: `data/${at}.bin`,
    base64: Buffer.from(Array.from({ length: 249_000 }, (_, place) => (place * (at + 7) * 31) % 251)).toString(
      'base64',
    ),
  }))
  expect((await other.read(api)).status).toBe(404)
  const made = await one.publish({ content: 'x', skill, files }, { to: 'acme/forms' })
  expect([made.status, made.message]).toEqual([201, ''])
  for (const file of files) {
    const { status, bytes } = await other.read(`${api}/versions/1.0.0/files/${file.path}`)
    expect([status, bytes.toString('base64') === file.base64]).toEqual([200, true])
  }
  const archive = await other.read(`${api}/versions/1.0.0/archive`)
  expect(createHash('sha256').update(archive.bytes).digest('hex')).toBe(made.data.bundle_sha256)
  const next = await other.publish({ content: 'y' }, { to: 'acme/forms' })
  expect([next.status, next.message, next.version, next.data.files]).toEqual([
    201,
    '',
    '1.0.1',
    (made.data.files as { url: string }[]).map((file) => ({ ...file, url: file.url.replace('1.0.0', '1.0.1') })),
  ])
  const replaced = [{ path: 'a.txt', text: 'a' }]
  const changed = await one.publish({ content: 'y', files: replaced, bump: 'patch' }, { to: 'acme/forms' })
  expect(changed.version).toBe('1.0.2')
  expect((await other.read(`${api}/versions/1.0.2/files/a.txt`)).text).toBe('a')
  expect((await other.read(`${api}/versions/1.0.2/files/data/0.bin`)).status).toBe(404)
  expect((await other.read(`${api}/versions/1.0.1/files/data/0.bin`)).status).toBe(200)
})

describe('the queue of hubs', () => {
  test('a hub keeps its turn while it is alive, and a killed one loses it', async () => {
    const [state, other] = [await openPostgresState(url), await openPostgresState(url)]
    open.push(other.close)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await openHubTurns(state)(1_000)
    let isOver = false
    const next = openHubTurns(other)(60_000).finally(() => {
      isOver = true
    })
    const queue = async () => JSON.parse((await other.get('turns/branch'))?.value ?? '{}')
    await expect.poll(async () => (await queue()).waiting).toHaveLength(1)
    // For longer than a silent hub may keep its turn.
    for (let seconds = 0; seconds < 7; seconds++) {
      const { beat } = await queue()
      vi.advanceTimersByTime(1_000)
      await expect.poll(async () => (await queue()).beat).toBe(beat + 1)
    }
    const { holder } = await queue()
    expect(isOver).toBe(false)
    // It gives no further sign of life.
    await state.close()
    // The other hub sees the last sign of life at some moment, and waits from then on.
    await expect
      .poll(() => {
        vi.advanceTimersByTime(1_000)
        return isOver
      })
      .toBe(true)
    await next
    expect((await queue()).holder).not.toBe(holder)
  })

  test('a turn that does not come in time is given up, and the place in the queue with it', async () => {
    const [state, other] = [await openPostgresState(url), await openPostgresState(url)]
    open.push(state.close, other.close)
    const [first, second] = [openHubTurns(state), openHubTurns(other)]
    const end = await first(1_000)
    expect(await second(100)).toBeUndefined()
    await end?.()
    expect(JSON.parse((await state.get('turns/branch'))?.value ?? '')).toMatchObject({ holder: null, waiting: [] })
    expect(await second(100)).toBeTypeOf('function')
  })

  //  case                 row
  test.each([
    ['is not JSON', '{"half'],
    ['has another format', '{"holder":7}'],
  ])('starts again if the row %s', async (_, row) => {
    const state = await openPostgresState(url)
    open.push(state.close)
    await state.set('turns/branch', row)
    expect(await openHubTurns(state)(1_000)).toBeTypeOf('function')
  })
})
