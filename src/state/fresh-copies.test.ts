// Tests the clock that orders publishes and builds: no two results are the same, whatever the machine's clock says, also between threads.
import { expect, test } from 'vitest'
import { openOrderClock } from './fresh-copies.ts'

test('every result follows all earlier ones of all clocks that share the last one, and the given time', () => {
  let now = 1_000
  const server = openOrderClock(() => now)
  const builder = openOrderClock(() => now, server.last)
  expect([server.next(), builder.next(), server.next()]).toEqual([1_000, 1_001, 1_002])
  now = 500
  expect([builder.next(), server.next()]).toEqual([1_003, 1_004])
  expect(builder.next('1970-01-01T00:00:09Z')).toBe(9_001)
  expect(server.next(null)).toBe(9_002)
  now = 20_000
  expect(server.next('1970-01-01T00:00:09Z')).toBe(20_000)
})
