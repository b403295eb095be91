// Pins the sliding window, in memory and in a file: exact counts, exact waiting times, clients kept apart, memory kept bounded.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { waitSeconds } from '../../src/ports/rate-limiter.ts'
import { limitInFile } from '../../src/stores/rate-limiter-file.ts'
import { limitInMemory } from '../../src/stores/rate-limiter-memory.ts'

const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-limit-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('in memory', () => {
  const open = (requests: number) => {
    const clock = { ms: 1_000_000 }
    return { clock, limiter: limitInMemory({ requests, windowMs: 60_000 }, () => clock.ms) }
  }

  test('as many as allowed in any minute, then the seconds until the oldest leaves', () => {
    const { clock, limiter } = open(3)
    const taken: number[] = []
    for (const elapsed of [0, 10_000, 10_000, 10_000, 29_999, 1, 0]) {
      clock.ms += elapsed
      taken.push(limiter.take('a'))
    }
    // at   0  10 20 30  59.999  60 60 seconds
    expect(taken).toEqual([0, 0, 0, 30, 1, 0, 10])
  })

  test('a refused request does not prolong the wait', () => {
    const { clock, limiter } = open(1)
    limiter.take('a')
    for (let second = 1; second < 60; second++) {
      clock.ms += 1_000
      expect(limiter.take('a')).toBe(60 - second)
    }
    clock.ms += 1_000
    expect(limiter.take('a')).toBe(0)
  })

  test('clients do not share', () => {
    const { limiter } = open(1)
    expect([limiter.take('a'), limiter.take('b'), limiter.take('a')]).toEqual([0, 0, 60])
  })

  test('0 is off', () => {
    const { limiter } = open(0)
    expect(Array.from({ length: 1_000 }, () => limiter.take('a')).every((wait) => wait === 0)).toBe(true)
  })

  test('a client that is forgotten begins anew; one that comes often is not', () => {
    const { limiter } = open(1)
    limiter.take('first')
    limiter.take('often')
    for (let other = 0; other < 20_000; other++) limiter.take(`other ${other}`)
    expect(limiter.take('first')).toBe(0)
  })
})

describe('in a file', () => {
  test('two limiters over one file count together', () => {
    const path = join(dir, 'shared.db')
    const [one, two] = [
      limitInFile({ requests: 2, windowMs: 60_000 }, path),
      limitInFile({ requests: 2, windowMs: 60_000 }, path),
    ]
    expect([one.take('a'), two.take('a')]).toEqual([0, 0])
    expect(one.take('a')).toBeGreaterThan(55)
    expect(two.take('b')).toBe(0)
  })
})

test.each([
  [0, 60_000, 0, 60],
  [0, 60_000, 59_001, 1],
  [0, 60_000, 58_999, 2],
  [0, 60_000, 60_000, 1],
])('waiting since %i in a window of %i at %i takes %i s', (oldest, window, now, seconds) =>
  expect(waitSeconds(oldest, window, now)).toBe(seconds),
)
