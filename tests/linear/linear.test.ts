// Tests that the work on a text of strangers takes linear time, and is short for the largest texts.
// Each entry point gets texts of one repeated part, and four times the text may take at most nine times as long.
import { describe, expect, test } from 'vitest'
import { WORST_LINES, worstFiles } from '../../scripts/bench/worst-skills.ts'
import type { VersionRecord } from '../../src/domain/api/schema.ts'
import { fillMessages } from '../../src/domain/content/filling.ts'
import { warnOfTexts } from '../../src/domain/content/findings.ts'
import { countHidden } from '../../src/domain/content/hidden-characters.ts'
import { findPlaceholders } from '../../src/domain/content/placeholders.ts'
import {
  editRepositoryFile,
  formatPublished,
  openLines,
  parseRepositoryFile,
  parseVersionFile,
} from '../../src/domain/content/prompt-file.ts'
import { parseResultFile } from '../../src/domain/content/result-file.ts'
import { SECRET_RULES } from '../../src/domain/content/secret-rules.ts'
import { findCertainSecret, findSecrets } from '../../src/domain/content/secrets.ts'
import { inspectVersion } from '../../src/domain/inspect/inspect-version.ts'
import { readOwnerChange } from '../../src/domain/managing/owner-request.ts'
import { readChangeBody } from '../../src/domain/managing/request.ts'
import { readResultBody } from '../../src/domain/managing/result-request.ts'
import { readRepositoryState } from '../../src/domain/publishing/repository-state.ts'
import type { ValueProblem } from '../../src/domain/text/problems.ts'
import { parseYaml } from '../../src/domain/text/yaml.ts'
import { digestText } from '../../src/files/measure.ts'
import { renderMarkdown } from '../../src/site/markdown.ts'
import { renderPreview } from '../../src/site/prompt/preview.ts'
import { renderContents, renderLines } from '../../src/site/prompt/prompt-text.ts'
import { renderComparison } from '../../src/site/prompt/render-difference.ts'
import { cpuMsSince } from '../cpu-time.ts'
import { anIndex } from '../fixtures/records.ts'
import { KEYS } from '../fixtures/secret-keys.ts'
import { type CallsOf, FAST, SLOW } from './entry-points.ts'
import { recordOf } from './made.ts'
import { makeText, SEEDS } from './seeds.ts'

/** Twice the text may take three times as long, so four times the text may take nine times as long. What takes quadratic time takes sixteen times as long. */
const MOST_TIMES = 3 ** 2
/** The lengths of the texts. Below `unnoticedMs`, a text cannot have taken quadratic time: each of its pairs would have taken less than 0.1 or 2 ns. */
const FAST_TEXTS = { length: 8_192, unnoticedMs: 3 }
const SLOW_TEXTS = { length: 1_024, unnoticedMs: 1 }
/** Texts below 4,096 characters are worked on in place, so that everybody waits, and what takes this long for 8,192 characters is too slow as well. The goal is 50 ms; other programs make the processor time several times as long. */
const MOST_MS = 400
/** The same for what a thread does. The goal is 250 ms. */
const MOST_MS_IN_THREAD = 2_000
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
  expect(findSlow(comparePairs, { length: 512, unnoticedMs: 0 })).toContain('times as long')
  expect(findSlow(countWords, { ...SLOW_TEXTS, unnoticedMs: 0 })).toBeUndefined()
})

describe('linear time', () => {
  test.each(Object.entries(FAST))('%s', (_, callsOf) => {
    expect(findSlow(callsOf, FAST_TEXTS)).toBeUndefined()
  })

  test.each(Object.entries(SLOW))('%s', (_, callsOf) => {
    expect(findSlow(callsOf, SLOW_TEXTS)).toBeUndefined()
  })

  // With the library's default options, eight times the text takes 14 to 100 times as long. See docs/notes/yaml.md.
  test.each<[string, (count: number) => string]>([
    ['keys', (count) => Array.from({ length: count }, (_, at) => `k${at}: 1`).join('\n')],
    ['an error at every character of a line', (count) => `a: [${','.repeat(count)}]`],
    ['consecutive tags', (count) => `a: ${'!x '.repeat(count)}y`],
  ])('YAML with %s', (_, make) => {
    const [short, long] = [4_000, 32_000].map((count) => {
      const text = make(count)
      return () => parseYaml(text, 1)
    })
    expect(growthBetween(short!, long!, { most: 12 })).toBeUndefined()
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

test('the search for keys takes linear time, for texts of the beginning of every format', () => {
  const timeOfSearch = (text: string) => timeOf(() => [findSecrets(text), findCertainSecret(text)])
  const seeds = new Set([
    ...KEYS.flatMap(([, key]) => [key.slice(0, 12), key.slice(0, -1), key]),
    ...SECRET_RULES.flatMap(({ keywords }) => keywords.flatMap((keyword) => [keyword, `${keyword}a`, `${keyword}.`])),
    ...['a', 'ey', '-', '://', '://a:', '://a:b', 'M', '1:AA', '.', '\n', ' ', 'xoxb-1', '-----BEGIN PRIVATE KEY-----'],
    SECRET_RULES.flatMap(({ keywords }) => keywords).join(' '),
  ])
  for (const seed of seeds) {
    const text = seed.repeat(Math.ceil(32_768 / seed.length)).slice(0, 32_768)
    // Quadratic work would take sixteen times as long in every attempt; a busy machine disturbs only some.
    const isLinear = () => timeOfSearch(text) < Math.max(20, 10 * timeOfSearch(text.slice(0, 8_192)))
    expect([1, 2, 3, 4, 5].some(isLinear), seed.slice(0, 40)).toBe(true)
  }
})

const CONTENT_BYTES = 262_144
/** What takes long for its length. */
const LARGE_SEEDS = [
  ...['a', '\n', 'a\n', 'a: b\n', '[', '<', '"', '\u200b', '👩\u200d', '{{a#}}', '{{role "user"}}\n', 'word# '],
]
const SHOWN_FILE_BYTES = 32_768

const { variables } = recordOf('a', 'text')
const ofText = (content: string): VersionRecord => ({ ...recordOf('a', 'text'), content })
const chatOf = (text: string) => cut(`{{role "user"}}\n${text}`, CONTENT_BYTES)

/** Cuts a text to a number of bytes, as UTF-8. */
function cut(text: string, most: number): string {
  return Buffer.from(text)
    .subarray(0, most)
    .toString()
    .replace(/\ufffd+$/, '')
}

/** Changes every other line. */
const change = (text: string) =>
  text
    .split('\n')
    .map((line, at) => (at % 2 ? `${line}x` : line))
    .join('\n')

/** As many lines of one letter, in no order. */
function letters(count: number, seed: number): string {
  let value = seed
  const next = () => {
    value = (value * 48_271) % 2_147_483_647
    return String.fromCharCode(97 + (value % 26))
  }
  return Array.from({ length: count }, next).join('\n')
}

/** The calls on each text of the largest size. */
const CALLS: Readonly<Record<string, (text: string) => (() => unknown)[]>> = {
  renderMarkdown: (text) => [() => renderMarkdown(text, { title: 'a' })],
  renderContents: (text) => [
    () => renderContents([text], variables),
    () => renderContents(text.match(/.{1,525}/gsu) ?? [], variables),
    () => countHidden(text),
  ],
  renderLines: (text) => [() => renderLines(cut(text, SHOWN_FILE_BYTES), 200)],
  renderComparison: (text) => [
    () => renderComparison(ofText(text), ofText(change(text))),
    () => renderComparison(ofText(text), ofText('a\n'.repeat(10_000))),
  ],
  renderPreview: (text) => [
    () => renderPreview({ content: text, format: 'text', variables }),
    () => renderPreview({ content: chatOf(text), format: 'chat', variables }),
  ],
  findPlaceholders: (text) => [() => findPlaceholders(text)],
  fillMessages: (text) => [
    () => fillMessages({ messages: [{ role: 'user', content: text }], variables }, { a: 'x', b: 'y' }, 'strict'),
  ],
  warnOfTexts: (text) => [() => warnOfTexts(ofText(text))],
  readChangeBody: (text) => [
    () => readChangeBody({ kind: 'patch' }, JSON.stringify({ readme: text })),
    () => readChangeBody({ kind: 'patch' }, text.repeat(4)),
  ],
  readOwnerChange: (text) => [() => readOwnerChange(JSON.stringify({ bio: text })), () => readOwnerChange(text)],
  readResultBody: (text) => [() => readResultBody(text.repeat(4))],
  formatPublished: (text) => [() => formatPublished(ofText(text))],
  parseVersionFile: (text) => [
    () => parseVersionFile(formatPublished(ofText(text))),
    () => parseVersionFile(formatPublished({ ...ofText('a'), parameters: { a: text.slice(0, 16_384) } })),
  ],
}

/** @returns the least time of several rounds, because other programs only make a call longer */
function leastTimeOf(call: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 8 && least > MOST_MS; round++) least = Math.min(least, timeOf(call))
  return least
}

describe('a call on the largest text', () => {
  test.each(Object.entries(CALLS))('%s is soon over', (_name, callsOf) => {
    for (const seed of LARGE_SEEDS)
      for (const call of callsOf(cut(makeText(seed, CONTENT_BYTES), CONTENT_BYTES)))
        expect(leastTimeOf(call), JSON.stringify(seed)).toBeLessThan(MOST_MS)
  })
})

test('the rules soon read the largest skill', () => {
  for (const line of WORST_LINES) {
    const files = worstFiles(line)
    expect(
      leastTimeOf(() => inspectVersion(ofText('a'), files, digestText)),
      JSON.stringify(line),
    ).toBeLessThan(MOST_MS_IN_THREAD)
  }
})

test('a comparison of texts or files with many edits is soon over', () => {
  const [before, after] = [letters(4_000, 7), letters(4_000, 11)]
  expect(leastTimeOf(() => renderComparison(ofText(before), ofText(after)))).toBeLessThan(MOST_MS)
  const files = Array.from({ length: 20 }, (_, at) => ({ path: `${at}.txt`, before: letters(1_600, at + 1), after }))
  const entries = (sha256: string) =>
    files.map(({ path }) => ({ path, sha256, size_bytes: 1, media_type: 'text/plain' as const, url: '' }))
  const [older, newer] = [
    { ...ofText('a'), files: entries('a') },
    { ...ofText('a'), files: entries('b') },
  ]
  expect(leastTimeOf(() => renderComparison(older, newer, files))).toBeLessThan(MOST_MS)
})

test('an index.md with a thousand yanked versions is soon read', () => {
  const versions = Array.from({ length: 1_000 }, (_, at) => `1.${at}.0`)
  const yanked = Object.fromEntries(versions.map((version) => [version, 'y'.repeat(500)]))
  const { readme, ...front } = anIndex({ yanked })
  const index = editRepositoryFile(undefined, front) + readme
  const state = { owner: 'acme', name: 'a', versions, index }
  expect(leastTimeOf(() => readRepositoryState(state))).toBeLessThan(MOST_MS)
})
