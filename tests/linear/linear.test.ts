// Tests that the work on a text takes linear time wherever texts of strangers enter the hub. Each entry point gets texts
// of one repeated part, and four times the text may take at most nine times as long.
import { describe, expect, test } from 'vitest'
import { openLines, parseRepositoryFile, parseVersionFile } from '../../src/domain/content/prompt-file.ts'
import { parseResultFile } from '../../src/domain/content/result-file.ts'
import type { ValueProblem } from '../../src/domain/text/problems.ts'
import { cpuMsSince } from '../cpu-time.ts'
import { type CallsOf, FAST, SLOW } from './entry-points.ts'
import { makeText, SEEDS } from './seeds.ts'

/** Twice the text may take three times as long, so four times the text may take nine times as long. What takes quadratic time takes sixteen times as long. */
const MOST_TIMES = 3 ** 2
/** The lengths of the texts. Below `unnoticedMs`, a text cannot have taken quadratic time: each of its pairs would have taken less than 0.04 or 1 ns. */
const FAST_TEXTS = { length: 16_384, unnoticedMs: 5 }
const SLOW_TEXTS = { length: 2_048, unnoticedMs: 2 }
/** Texts below 4,096 characters are worked on in place, so that everybody waits, and what takes this long for 16,384 characters is too slow as well. The goal is 50 ms; other programs make the processor time several times as long. */
const MOST_MS = 400
/** A call fails only if it is too slow in all of these rounds: other programs and the garbage collector can make a measurement wrong. */
const ROUNDS = 8
const MOST_ROUND_MS = 2_000
/** The resolution of a thread's CPU time on some systems, in milliseconds. */
const TICK_MS = 4

/**
 * Runs a call, ignoring errors: a rejected text must not take long either.
 *
 * @returns the time in milliseconds: the CPU time, which other programs do not affect, or the elapsed time if it is too short to be counted
 */
function timeOf(call: () => unknown): number {
  const before = process.threadCpuUsage()
  const began = performance.now()
  try {
    call()
  } catch {}
  const elapsedMs = performance.now() - began
  return Math.min(elapsedMs, cpuMsSince(before) + TICK_MS)
}

/** Compares the least times of several rounds, because other programs only make a call longer. @returns how many times as long the longer text takes; undefined if that is fast enough */
function growthBetween(short: () => unknown, long: () => unknown, { most = MOST_TIMES, rounds = ROUNDS } = {}) {
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  // What takes seconds is too slow, whatever else runs.
  for (let round = 0; round < rounds && (round === 0 || longMs < MOST_ROUND_MS); round++) {
    shortMs = Math.min(shortMs, timeOf(short), timeOf(short))
    longMs = Math.min(longMs, timeOf(long))
    if (longMs <= most * shortMs) return undefined
  }
  return longMs / shortMs
}

/** @returns the first text with which a call of an entry point is too slow */
function findSlow(callsOf: CallsOf, { length, unnoticedMs }: typeof FAST_TEXTS): string | undefined {
  for (const seed of SEEDS)
    for (const [index, call] of callsOf(makeText(seed, length)).entries()) {
      const name = `call ${index} of ${JSON.stringify(seed)} takes`
      const firstMs = timeOf(call)
      if (firstMs < unnoticedMs) continue
      if (firstMs > MOST_MS && ![1, 2, 3].some(() => timeOf(call) < MOST_MS)) return `${name} ${Math.round(firstMs)} ms`
      const callFor = (more: number) => callsOf(makeText(seed, more * length))[index]!
      // The garbage collector makes a difference for short texts. What takes quadratic time does so for longer texts too.
      const measure = (rounds: number) =>
        growthBetween(callFor(1 / 4), call, { rounds }) && growthBetween(call, callFor(4))
      // Other work on the machine makes a difference now and then, and for longer than a few rounds.
      const times = measure(2) && measure(4) && measure(3 * ROUNDS)
      if (times !== undefined) return `${name} ${times.toFixed(1)} times as long`
    }
  return undefined
}

/** Finds the line of each problem of a file, as a review does. */
function findLines(parse: (file: string) => { problems?: readonly ValueProblem[] }, file: string): unknown {
  return parse(file).problems?.map(openLines(file))
}

test('the measurement finds what takes quadratic time, and passes what takes linear time', () => {
  const comparePairs: CallsOf = (text) => [
    () => {
      let equal = 0
      for (let one = 0; one < text.length; one++)
        for (let other = 0; other < one; other++) if (text.charCodeAt(one) === text.charCodeAt(other)) equal += 1
      return equal
    },
  ]
  const countWords: CallsOf = (text) => [
    () =>
      text
        .split(' ')
        .map((word) => word.toUpperCase())
        .join()
        .normalize('NFKD').length,
  ]
  expect(findSlow(comparePairs, { ...SLOW_TEXTS, unnoticedMs: 0 })).toContain('times as long')
  expect(findSlow(countWords, { ...SLOW_TEXTS, unnoticedMs: 0 })).toBeUndefined()
})

describe('linear time', () => {
  test.each(Object.entries(FAST))('%s', (_, callsOf) => {
    expect(findSlow(callsOf, FAST_TEXTS)).toBeUndefined()
  })

  test.each(Object.entries(SLOW))('%s', (_, callsOf) => {
    expect(findSlow(callsOf, SLOW_TEXTS)).toBeUndefined()
  })

  test.each<[string, CallsOf]>([
    ['a result', (text) => [() => parseResultFile(text)]],
    ['a version', (text) => [() => findLines(parseVersionFile, `---\n${text}---\na`)]],
    ['an index.md', (text) => [() => findLines(parseRepositoryFile, `---\n${text}---\na`)]],
  ])('the lines of the problems of %s in which every line is wrong', (_, callsOf) => {
    const [short, long] = [4_096, 32_768].map((length) => callsOf(makeText('a#: 1\n', length))[0]!)
    expect(growthBetween(short!, long!, { most: 20 })).toBeUndefined()
  })
})
