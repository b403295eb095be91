// Tests where a label pointed at a time, from the known changes.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pointing } from '../../../tests/fixtures/labels.ts'
import { checkTime } from '../../server/read/query-values.ts'
import type { Activity } from '../api/schema.ts'
import { findLabelAt } from './label-history.ts'

const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00Z`
const change = (hour: number, from: string | null, to: string | null, label = 'production'): Activity => ({
  type: to === null ? 'unlabelled' : 'labelled',
  at: at(hour),
  by: 'mona',
  by_token: null,
  by_workflow: null,
  version: to,
  label,
  from,
  to,
  from_split: null,
  to_split: null,
  reason: null,
  suite: null,
  fields: [],
  commit: `${hour}`,
})
const find = (hour: number, changes: Activity[], since: string | null = null, label = 'production') =>
  findLabelAt(label, Date.parse(at(hour)), { labels: pointing({ production: '3.0.0', old: '1.0.0' }), changes, since })
const version = (number: string) => ({ kind: 'version', version: number })

const MOVES = [
  change(8, null, '3.0.0'),
  change(6, '2.0.0', null),
  change(4, '1.0.0', '2.0.0'),
  change(2, null, '1.0.0'),
]

//  what                                        hour  result
test.each([
  ['now', 9, version('3.0.0')],
  ['at the second of a move', 8, version('3.0.0')],
  ['while it was removed', 7, { kind: 'none', firstSetAt: at(2) }],
  ['between two moves', 5, version('2.0.0')],
  ['after the first', 3, version('1.0.0')],
  ['before the first', 1, { kind: 'none', firstSetAt: at(2) }],
])('%s', (_, hour, result) => {
  expect(find(hour, MOVES)).toEqual(result)
})

test('a move that a wrong clock dated ahead hides none of the moves after it', () => {
  const moves = [change(4, '2.0.0', '3.0.0'), change(7, '1.0.0', '2.0.0'), change(2, null, '1.0.0')]
  const found = [8, 7, 5, 4, 3].map((hour) => find(hour, moves))
  expect(found).toEqual(['3.0.0', '3.0.0', '3.0.0', '3.0.0', '1.0.0'].map(version))
  expect(find(1, moves)).toEqual({ kind: 'none', firstSetAt: at(2) })
})

describe('what is not known', () => {
  test('a label that never changed is where it is now, as far back as changes are known', () => {
    expect(find(5, [], at(4), 'old')).toEqual(version('1.0.0'))
    expect(find(3, [], at(4), 'old')).toEqual({ kind: 'unknown', since: at(4) })
  })

  test('before the oldest known move, the label was where it moved from, as far back as changes are known', () => {
    expect(find(3, [change(4, '1.0.0', '2.0.0')], at(2))).toEqual(version('1.0.0'))
    expect(find(1, [change(4, '1.0.0', '2.0.0')], at(2))).toEqual({ kind: 'unknown', since: at(2) })
  })

  test('only 100 changes are known, so what was before the oldest of them is not', () => {
    const others = Array.from({ length: 99 }, () => change(6, '1.0.0', '1.0.1', 'beta'))
    expect(find(7, [...others, change(5, '1.0.0', '2.0.0')])).toEqual(version('2.0.0'))
    expect(find(4, [...others, change(5, '1.0.0', '2.0.0')])).toEqual({ kind: 'unknown', since: at(5) })
    expect(find(4, [...others, change(5, '1', '2', 'beta')], null, 'old')).toEqual({ kind: 'unknown', since: at(5) })
  })

  test('a label that never existed', () => {
    expect(find(5, [], null, '__proto__')).toEqual({ kind: 'none', firstSetAt: null })
  })
})

test('with a complete history, the result is the last move before the time', () => {
  const move = fc.record({ gap: fc.integer({ min: 1, max: 50 }), to: fc.constantFrom('1.0.0', '2.0.0', null) })
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), fc.integer({ min: 0, max: 3000 }), (moves, when) => {
      let time = 0
      let from: string | null = null
      let expected: string | null = null
      const changes: Activity[] = []
      for (const { gap, to } of moves) {
        time += gap
        if (to === from) continue
        changes.unshift({ ...change(0, from, to), at: new Date(time * 1000).toISOString() })
        from = to
        if (time <= when) expected = to
      }
      const labels = from === null ? {} : pointing({ production: from })
      const found = findLabelAt('production', when * 1000, { labels, changes, since: null })
      expect(found.kind === 'version' ? found.version : null).toBe(expected)
    }),
  )
})

describe('times', () => {
  const NOW = Date.parse('2026-11-25T12:00:00Z')
  test.each([
    '2026-11-20T10:00:00Z',
    '2026-11-20T10:00:00.123456789Z',
    '2024-02-29T23:59:59+02:00',
    '2026-11-25T12:04:59Z',
  ])('accepts %s', (time) => {
    expect(() => checkTime(time, 'production', NOW)).not.toThrow()
  })
  test.each([
    ...['', 'now', '2026-11-20', '2026-11-20T10:00:00', '2026-11-20 10:00:00Z', '2026-11-20T10:00Z', '1763632800'],
    ...['2026-02-30T10:00:00Z', '2026-13-01T10:00:00Z', '2026-11-20T24:00:00Z', '2026-11-20T10:00:60Z'],
    ...['2026-11-20T10:00:00 02:00', '2026-11-20t10:00:00z', '+012026-11-20T10:00:00Z', '2026-11-25T12:05:01Z'],
    `2026-11-20T10:00:00.${'1'.repeat(1000)}Z`,
  ])('refuses %s', (time) => {
    expect(() => checkTime(time, 'production', NOW)).toThrow('at: expected a time')
  })
  test('refuses a time without a label', () => {
    expect(() => checkTime('2026-11-20T10:00:00Z', undefined, NOW)).toThrow('at: expected a label too')
  })
})
