// Checks that limits counted in the state store apply across all processes that share it.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limitInState } from '../../../src/state/limits.ts'
import { openSqliteState } from '../../../src/state/state-sqlite.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const dir = temporaryFolder('hub-limits-')

test('two processes share one limit, which resets after its window', async () => {
  let time = Date.parse('2026-11-20T10:00:00Z')
  const now = () => time
  const stores = [await openSqliteState(join(dir, 'state.db'), now), await openSqliteState(join(dir, 'state.db'), now)]
  const limit = { requests: 3, windowMs: 60_000 }
  const limiters = stores.map((state) => limitInState(state, 'publishes', limit, now))
  const take = (client: string) =>
    Promise.all(Array.from({ length: 8 }, (_, number) => limiters[number % 2]!.take(client)))
  expect((await take('one')).sort((a, b) => a - b)).toEqual([0, 0, 0, 60, 60, 60, 60, 60])
  time += 20_000
  expect(await limiters[0]!.take('one')).toBe(40)
  expect(await limiters[1]!.take('another')).toBe(0)
  time += 40_000
  expect(await limiters[1]!.take('one')).toBe(0)
  const others = stores.map((state) => limitInState(state, 'sign-ins', limit, now))
  expect(await others[0]!.take('one')).toBe(0)
  time += 60_000
  expect(await stores[0]!.removeExpired()).toBe(3)
  await Promise.all(stores.map((state) => state.close()))
})

test('a clock that is set back limits nobody for longer than two windows', async () => {
  let time = Date.parse('2026-11-20T10:00:00Z')
  const now = () => time
  const state = await openSqliteState(join(dir, 'back.db'), now)
  const limiter = limitInState(state, 'publishes', { requests: 2, windowMs: 60_000 }, now)
  const take = async () => [await limiter.take('one'), await limiter.take('one'), await limiter.take('one')]
  expect(await take()).toEqual([0, 0, 60])
  time -= 10 * 60_000
  expect(await take()).toEqual([0, 0, 60])
  time -= 30_000
  expect(await limiter.take('one')).toBe(90)
  await state.close()
})

test('a limit of 0 allows the request and stores nothing', async () => {
  const state = await openSqliteState(join(dir, 'none.db'))
  expect(await limitInState(state, 'publishes', { requests: 0, windowMs: 60_000 }).take('one')).toBe(0)
  expect((await state.list('')).keys).toEqual([])
  await state.close()
})
