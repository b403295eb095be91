// Checks that hubs with a shared database take turns on GitHub: no hub loses a race, each hub and publisher gets its
// turn, a killed hub loses its turn, and git still decides if the queue fails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openHubTurns } from '../../src/state/hub-turns.ts'
import { createPublishTurns, shareTurns } from '../../src/state/publish-turns.ts'
import { shareCopies } from '../../src/state/shared-copies.ts'
import type { OpenStateStore } from '../../src/state/state-entries.ts'
import { openPostgresState } from '../../src/state/state-postgres.ts'
import { delayCalls } from '../github/delays.ts'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { type PostgresServer, startPostgres } from '../hubs/postgres.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, type World } from '../hubs/worlds.ts'
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
async function openMember(): Promise<Hub & { state: OpenStateStore }> {
  const state = await openPostgresState(url)
  const copies = shareCopies(state)
  open.push(copies.close, state.close)
  const takeTurn = shareTurns(createPublishTurns(), openHubTurns(state))
  return { ...(await openHub(world, { state, copies, takeTurn })), state }
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
  // A turn is one publish, which takes longer than half a second.
  delayCalls(standIn, 4)
  const order: string[] = []
  const send = async (hub: Hub, name: string, token: string) => {
    const { status } = await publishPatiently(hub, { content: `${name}\n` }, { to: name, token })
    order.push(name)
    return status
  }
  const many = [one, two].flatMap((hub, at) =>
    Array.from({ length: 4 }, (_, number) => send(hub, `acme/p${at}-${number}`, hub.token)),
  )
  await expect.poll(() => standIn.counts().mutation).toBeGreaterThan(0)
  expect(await Promise.all([send(three, 'beta/new', other), send(one, 'beta/old', other)])).toEqual([201, 201])
  // One publish was running. Then each of the two hubs may have one before the new hub, and before the new publisher.
  expect(order.indexOf('beta/new')).toBeLessThanOrEqual(3)
  expect(order.indexOf('beta/old')).toBeLessThanOrEqual(6)
  expect(await Promise.all(many)).toEqual(Array(8).fill(201))
})

test('a killed hub loses its turn', async () => {
  const hub = await openMember()
  const holder = spawn(process.execPath, ['tests/publish/hold-turn.ts', url], { stdio: ['ignore', 'pipe', 'inherit'] })
  open.push(() => holder.kill('SIGKILL'))
  const [said] = await once(holder.stdout, 'data')
  expect(String(said)).toBe('held\n')
  const publishing = hub.publish({ content: 'After the kill\n' })
  // The holder is alive for longer than a silent holder may keep its turn.
  expect(await Promise.race([publishing, sleep(7_000, 'waiting')])).toBe('waiting')
  holder.kill('SIGKILL')
  expect((await publishing).status).toBe(201)
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

describe('the queue of hubs', () => {
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
