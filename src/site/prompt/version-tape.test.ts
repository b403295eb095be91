// Tests the tape of a prompt's versions.

import { expect, test } from 'vitest'
import { pointing } from '../../../tests/fixtures/labels.ts'
import { listTicks } from './version-tape.ts'

const row = (version: string, yanked = false) => ({ version, published_at: '2026-05-12T10:00:00Z', yanked })
const nothing = { labels: {}, breaking: new Set<string>(), changelogs: new Map<string, string>() }

test('one tick a version, oldest first, with its part, its marks and its words', () => {
  const ticks = listTicks({
    versions: [row('2.0.0'), row('1.1.1', true), row('1.1.0'), row('1.0.0')],
    labels: pointing({ production: '1.1.0', staging: '1.1.0' }),
    breaking: new Set(['2.0.0']),
    changelogs: new Map([
      ['2.0.0', 'Reads\na diff'],
      ['1.0.0', 'word '.repeat(50)],
    ]),
  })
  expect(
    ticks.map(({ version, part, isBreaking, isLabelled, isYanked }) => [
      version,
      part,
      isBreaking,
      isLabelled,
      isYanked,
    ]),
  ).toEqual([
    ['1.0.0', 'major', false, false, false],
    ['1.1.0', 'minor', false, true, false],
    ['1.1.1', 'patch', false, false, true],
    ['2.0.0', 'major', true, false, false],
  ])
  expect(ticks.map(({ words }) => words)).toEqual([
    `1.0.0 · 12 May 2026 · ${'word '.repeat(20).trim()}…`,
    '1.1.0, production, staging · 12 May 2026',
    '1.1.1, yanked · 12 May 2026',
    '2.0.0, breaking · 12 May 2026 · Reads a diff',
  ])
})

test('of a thousand versions, the newest are shown', () => {
  const versions = Array.from({ length: 1_000 }, (_, index) => row(`1.${999 - index}.0`))
  const ticks = listTicks({ ...nothing, versions })
  expect([ticks.length, ticks[0]?.version, ticks.at(-1)?.version]).toEqual([60, '1.940.0', '1.999.0'])
})
