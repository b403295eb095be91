// Tests the in-memory sliding-window rate limit: exact counts, exact waiting times, separate clients, and limited
// memory.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { limitInMemory, waitSeconds } from './rate-limiter.ts'

describe('the in-memory rate limiter', () => {
  const open = (requests: number) => {
    const clock = { ms: 1_000_000 }
    return { clock, limiter: limitInMemory({ requests, windowMs: 60_000 }, () => clock.ms) }
  }

  test('allows the limit in any minute, then returns the seconds until the oldest request expires', () => {
    const { clock, limiter } = open(3)
    const taken: number[] = []
    for (const elapsed of [0, 10_000, 10_000, 10_000, 29_999, 1, 0]) {
      clock.ms += elapsed
      taken.push(limiter.take('a'))
    }
    // after 0  10 20 30  59.999  60 60 seconds
    expect(taken).toEqual([0, 0, 0, 30, 1, 0, 10])
  })

  test('a rejected request does not extend the wait', () => {
    const { clock, limiter } = open(1)
    limiter.take('a')
    for (let second = 1; second < 60; second++) {
      clock.ms += 1_000
      expect(limiter.take('a')).toBe(60 - second)
    }
    clock.ms += 1_000
    expect(limiter.take('a')).toBe(0)
  })

  test('counts each client separately', () => {
    const { limiter } = open(1)
    expect([limiter.take('a'), limiter.take('b'), limiter.take('a')]).toEqual([0, 0, 60])
  })

  test('a limit of 0 disables limiting', () => {
    const { limiter } = open(0)
    expect(Array.from({ length: 1_000 }, () => limiter.take('a')).every((wait) => wait === 0)).toBe(true)
  })

  test('20,000 other clients do not reset a limited one', () => {
    const { limiter } = open(2)
    limiter.take('limited')
    limiter.take('limited')
    for (let other = 0; other < 20_000; other++) limiter.take(`other ${other}`)
    expect(limiter.take('limited')).toBe(60)
  })

  test('at capacity, keeps limited clients and forgets the least recent of the others', () => {
    const limiter = limitInMemory({ requests: 2, windowMs: 60_000 }, () => 1_000_000, 10)
    limiter.take('limited')
    limiter.take('limited')
    limiter.take('first')
    limiter.take('second')
    for (let other = 0; other < 8; other++) limiter.take(`other ${other}`)
    expect([limiter.take('limited'), limiter.take('second'), limiter.take('second')]).toEqual([60, 0, 60])
    expect([limiter.take('first'), limiter.take('first')]).toEqual([0, 0])
  })

  test('gives the same results as counting every request', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 25_000 })), { maxLength: 80 }),
        (steps) => {
          const { clock, limiter } = open(3)
          const taken: [string, number][] = []
          for (const [key, elapsed] of steps) {
            clock.ms += elapsed
            const times = taken.filter(([other, at]) => other === key && at > clock.ms - 60_000)
            const expected = times.length < 3 ? 0 : waitSeconds(times[0]![1], 60_000, clock.ms)
            if (expected === 0) taken.push([key, clock.ms])
            expect(limiter.take(key)).toBe(expected)
          }
        },
      ),
    )
  })
})

test('a limit in memory ignores changes of the system clock', () => {
  const timeOfDay = vi.spyOn(Date, 'now')
  const limiter = limitInMemory({ requests: 2, windowMs: 60_000 })
  const noon = Date.UTC(2026, 0, 1, 12)
  const waits = [noon, noon, noon - 3_600_000, noon + 3_600_000].map((ms) => {
    timeOfDay.mockReturnValue(ms)
    return limiter.take('a')
  })
  timeOfDay.mockRestore()
  expect(waits.slice(0, 2)).toEqual([0, 0])
  for (const wait of waits.slice(2)) {
    expect(wait).toBeGreaterThan(55)
    expect(wait).toBeLessThanOrEqual(60)
  }
})

test.each([
  [0, 60_000, 0, 60],
  [0, 60_000, 59_001, 1],
  [0, 60_000, 58_999, 2],
  [0, 60_000, 60_000, 1],
])('oldest request at %i, window %i, now %i: wait is %i s', (oldest, window, now, seconds) =>
  expect(waitSeconds(oldest, window, now)).toBe(seconds),
)
