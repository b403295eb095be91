// Tests that every exported function that takes a text takes linear time.
// It is called with texts of one repeated part, and twice the text may take at most three times as long. A new function
// is called too, or this test fails until the table knows its arguments.
import { describe, expect, test } from 'vitest'
import { cpuMsSince } from '../cpu-time.ts'
import { EXEMPT, NOT_A_TEXT, OWN_ARGUMENTS, SLOW } from './exceptions.ts'
import { listFunctions, type TextFunction } from './functions.ts'
import { MAKERS } from './makers.ts'
import { FILES, makeText, textsOf } from './seeds.ts'

/** The lengths of the shortest texts. */
const LENGTHS = { text: 8_192, record: 2_048, slow: 1_024 }
/** Twice the text may take three times as long, so four times the text may take nine times as long. A function that takes quadratic time takes sixteen times as long. */
const MOST_TIMES = 3 ** 2
/** Below this time, even the shortest text cannot have taken quadratic time: each of its 33 million pairs would have taken less than 0.06 ns. */
const UNNOTICED_MS = 2
const ROUNDS = 4
/** A function fails only if it is this often too slow in a row: other programs and the garbage collector can make one measurement wrong. */
const ATTEMPTS = 5

const functions = await listFunctions()
const isExempt = ({ id, types }: TextFunction) =>
  types.some((type) => NOT_A_TEXT.test(type)) || EXEMPT.some(([, ids]) => ids.test(id))
const isKnown = ({ id, types }: TextFunction) => id in OWN_ARGUMENTS || types.every((type) => type in MAKERS)

/** The resolution of a thread's CPU time on some systems, in milliseconds. */
const TICK_MS = 4

/**
 * Runs a function, ignoring errors: a rejected text must not take long either.
 *
 * @returns the time in milliseconds: the CPU time, which other programs do not affect, or the elapsed time if it is too short to be counted
 */
function timeOf({ call }: TextFunction, given: readonly unknown[]): number {
  const before = process.threadCpuUsage()
  const began = performance.now()
  try {
    call(...given)
  } catch {}
  const elapsedMs = performance.now() - began
  return Math.min(elapsedMs, cpuMsSince(before) + TICK_MS)
}

/** The arguments of a call for texts of each length: the shortest, one of four times that length, and one of sixteen times. */
type Calls = (times: 1 | 4 | 16) => readonly unknown[]

/** Compares the times for texts of two lengths, of several rounds, because other programs only make a run longer. @returns how many times as long the longer text takes; undefined if that is fast enough */
function growthBetween(
  one: TextFunction,
  short: readonly unknown[],
  long: readonly unknown[],
  rounds: number,
): number | undefined {
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round++) {
    shortMs = Math.min(shortMs, timeOf(one, short), timeOf(one, short))
    longMs = Math.min(longMs, timeOf(one, long))
    if (longMs <= MOST_TIMES * shortMs) return undefined
  }
  return longMs / shortMs
}

/** @returns how many times as long four times the text takes; undefined if that is fast enough */
function growth(
  one: TextFunction,
  calls: Calls,
  { attempts, rounds } = { attempts: ATTEMPTS, rounds: ROUNDS },
): number | undefined {
  if (timeOf(one, calls(1)) < UNNOTICED_MS) return undefined
  let times: number | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    // For short texts, the garbage collector makes a difference. What takes quadratic time does so for longer texts too.
    times = growthBetween(one, calls(1), calls(4), rounds) && growthBetween(one, calls(4), calls(16), rounds)
    if (times === undefined) return undefined
  }
  return times
}

/** The calls of a function for one text. */
function callsOf({ id, types }: TextFunction, text: string): (readonly unknown[])[] {
  const own = OWN_ARGUMENTS[id]
  if (own) return [own(text)]
  const isFile = /^(?:src\/domain\/content\/prompt-file|packages\/formats\/(?!names|template))/.test(id)
  const texts =
    isFile && types.includes('string') ? [text, ...Object.values(FILES).map((write) => write(text))] : [text]
  const formats = types.every((type) => /^(?:string|number|\?|unknown)\b/.test(type))
    ? ['text' as const]
    : (['text', 'chat'] as const)
  return texts.flatMap((one) => formats.map((format) => types.map((type) => MAKERS[type]!(one, format))))
}

const lengthOf = ({ id, types }: TextFunction) =>
  SLOW.test(id) ? LENGTHS.slow : types.some((type) => type.startsWith('string')) ? LENGTHS.text : LENGTHS.record

test('every exported function is called, or listed with the reason why it sees no long text', () => {
  expect(functions.length).toBeGreaterThan(300)
  expect(functions.filter((one) => !isExempt(one) && !isKnown(one)).map(({ id, types }) => `${id} (${types})`)).toEqual(
    [],
  )
  const ids = new Set(functions.map(({ id }) => id))
  expect(Object.keys(OWN_ARGUMENTS).filter((id) => !ids.has(id))).toEqual([])
  expect(EXEMPT.filter(([, pattern]) => ![...ids].some((id) => pattern.test(id)))).toEqual([])
})

test('the measurement finds a function that takes quadratic time, and passes one that takes linear time', () => {
  const countSpaces = (text: string) => / *x/.test(text)
  const countWords = (text: string) =>
    text
      .split(' ')
      .map((word) => word.toUpperCase())
      .join()
      .normalize('NFKD').length
  const functionOf = (call: (text: string) => unknown): TextFunction => ({
    ...{ id: '', types: ['string'], call: call as TextFunction['call'] },
  })
  const measured = (call: (text: string) => unknown, length: number, tries?: Parameters<typeof growth>[2]) =>
    growth(functionOf(call), (times) => [' '.repeat(times * length)], tries)
  // Other programs can make a text take longer than it needs, so the least of three times counts.
  const leastTimeOf = (length: number) =>
    Math.min(...[1, 2, 3].map(() => timeOf(functionOf(countSpaces), [' '.repeat(length)])))
  const measuredSpaces = () => {
    // The shortest text whose time the resolution of the clock cannot hide: sixteen times that text takes 256 times as long.
    let length = 1_000
    while (leastTimeOf(length) < TICK_MS) length *= 1.2
    return measured(countSpaces, length, { attempts: 1, rounds: 1 })
  }
  expect(measuredSpaces() ?? measuredSpaces() ?? measuredSpaces()).toBeGreaterThan(MOST_TIMES)
  expect(measured(countWords, 40 * LENGTHS.text)).toBeUndefined()
})

describe('linear time', () => {
  test.each([
    ...Map.groupBy(
      functions.filter((one) => !isExempt(one)),
      ({ id }) => id.split(' ')[0]!,
    ),
  ])('%s', (_, listed) => {
    const slow = listed.flatMap((one) => {
      const texts = { 1: lengthOf(one), 4: 4 * lengthOf(one), 16: 16 * lengthOf(one) }
      return [...textsOf(lengthOf(one)).keys()].flatMap((seed) => {
        const callsFor = (times: 1 | 4 | 16) => callsOf(one, makeText(seed, texts[times]))
        return callsFor(1).flatMap((given, index) => {
          const times = growth(one, (times) => (times === 1 ? given : callsFor(times)[index]!))
          return times === undefined
            ? []
            : [`${one.id}: ${JSON.stringify(seed)} takes ${times.toFixed(1)} times as long`]
        })
      })
    })
    expect(slow).toEqual([])
  })
})
