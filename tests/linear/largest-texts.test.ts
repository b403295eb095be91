// Tests how long the thread that serves everybody is busy with calls on the largest permitted texts. Long work on short
// texts, which runs in place, is measured in linear.test.ts.
import { describe, expect, test } from 'vitest'
import { WORST_LINES, worstFiles } from '../../scripts/bench/worst-skills.ts'
import type { VersionRecord } from '../../src/domain/api/schema.ts'
import { fillMessages } from '../../src/domain/content/filling.ts'
import { warnOfTexts } from '../../src/domain/content/findings.ts'
import { countHidden } from '../../src/domain/content/hidden-characters.ts'
import { findPlaceholders } from '../../src/domain/content/placeholders.ts'
import { editRepositoryFile, formatPublished, parseVersionFile } from '../../src/domain/content/prompt-file.ts'
import { inspectVersion } from '../../src/domain/inspect/inspect-version.ts'
import { readOwnerChange } from '../../src/domain/managing/owner-request.ts'
import { readChangeBody } from '../../src/domain/managing/request.ts'
import { readResultBody } from '../../src/domain/managing/result-request.ts'
import { readRepositoryState } from '../../src/domain/publishing/repository-state.ts'
import { digestText } from '../../src/files/measure.ts'
import { renderMarkdown } from '../../src/site/markdown.ts'
import { renderPreview } from '../../src/site/prompt/preview.ts'
import { renderContents, renderLines } from '../../src/site/prompt/prompt-text.ts'
import { renderComparison } from '../../src/site/prompt/render-difference.ts'
import { cpuMsSince } from '../cpu-time.ts'
import { anIndex } from '../fixtures/records.ts'
import { recordOf } from './made.ts'
import { makeText } from './seeds.ts'

const CONTENT_BYTES = 262_144
/** What takes long for its length. That no other part takes longer the longer a text is, linear.test.ts measures. */
const SEEDS = [
  ...['a', ' ', '\n', 'a\n', 'a: b\n', '|-\n', '- ', '[', '<', '"', '\u200b', 'а', '👩\u200d'],
  ...['{{a}}', '{{a#}}', '{{role "user"}}\n', '{{include "a/b"}}\n', 'word# '],
]
const SHOWN_FILE_BYTES = 32_768
/** The goal is 50 ms; other programs make the processor time of a call several times as long. Work that grows with the square of the text takes seconds. */
const MOST_MS = 400

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

/** Measures a call, ignoring errors: a rejected text must not take long either. @returns the CPU time, or the elapsed time if it is shorter */
function timeOf(call: () => unknown): number {
  const before = process.threadCpuUsage()
  const began = performance.now()
  try {
    call()
  } catch {}
  return Math.min(performance.now() - began, cpuMsSince(before) + 4)
}

/** @returns the least time of several rounds, because other programs only make a call longer */
function leastTimeOf(call: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 8 && least > MOST_MS; round++) least = Math.min(least, timeOf(call))
  return least
}

describe('a call on the largest text', () => {
  test.each(Object.entries(CALLS))('%s is soon over', (_name, callsOf) => {
    for (const seed of SEEDS)
      for (const call of callsOf(cut(makeText(seed, CONTENT_BYTES), CONTENT_BYTES)))
        expect(leastTimeOf(call), JSON.stringify(seed)).toBeLessThan(MOST_MS)
  })
})

// The goal is 250 ms, in a thread.
test('the rules soon read the largest skill', () => {
  for (const line of WORST_LINES) {
    const files = worstFiles(line)
    expect(
      leastTimeOf(() => inspectVersion(ofText('a'), files, digestText)),
      JSON.stringify(line),
    ).toBeLessThan(MOST_MS)
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
