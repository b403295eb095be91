// Tests how a problem is worded: its location, what was expected, and what was found. All problems are reported at
// once, and none contains terminal control characters.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { printable } from './printable.ts'
import { formatProblem, formatProblems, parseWithSchema } from './problems.ts'

const schema = z.strictObject({
  name: z.string(),
  age: z.number().optional(),
  kind: z.enum(['a', 'b']).optional(),
  tags: z.array(z.string()).optional(),
  inner: z.strictObject({ on: z.boolean() }).optional(),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  own: z.string('expected our own words').optional(),
})

describe('parsing with a schema', () => {
  test('returns the value', () => {
    expect(parseWithSchema(schema, { name: 'x', tags: ['y'] })).toEqual({ value: { name: 'x', tags: ['y'] } })
  })

  test.each([
    ['missing', {}, ['name: expected a string, got nothing']],
    ['null', { name: null }, ['name: expected a string, got null']],
    ['a number', { name: 5 }, ['name: expected a string, got 5']],
    ['a list', { name: [] }, ['name: expected a string, got a list']],
    ['an object', { name: {} }, ['name: expected a string, got an object']],
    ['a string instead of a number', { name: 'x', age: '5' }, ['age: expected a number, got "5"']],
    ['a string instead of a list', { name: 'x', tags: 'y' }, ['tags: expected a list, got "y"']],
    ['inside a list', { name: 'x', tags: ['y', 5] }, ['tags.1: expected a string, got 5']],
    ['a value that is not in the enum', { name: 'x', kind: 'c' }, ['kind: expected "a" or "b", got "c"']],
    [
      'a list instead of a scalar',
      { name: 'x', value: [] },
      ['value: expected a text, a number or a boolean, got a list'],
    ],
    ['a message from the schema itself', { name: 'x', own: 5 }, ['own: expected our own words']],
    ['an unknown key', { name: 'x', titel: 1 }, ['titel: unknown; check the spelling, or leave it out']],
    [
      'nested unknown keys',
      { name: 'x', inner: { on: true, p: 1, q: 2 } },
      [
        'inner.p: unknown; check the spelling, or leave it out',
        'inner.q: unknown; check the spelling, or leave it out',
      ],
    ],
    [
      'several problems at once',
      { age: 'x', kind: 1 },
      ['name: expected a string, got nothing', 'age: expected a number, got "x"', 'kind: expected "a" or "b", got 1'],
    ],
    [
      'a long string is not repeated',
      { name: 'x', age: 'y'.repeat(500) },
      ['age: expected a number, got a long string'],
    ],
    ['not an object', 'text', ['expected an object, got "text"']],
    ['undefined', undefined, ['expected an object, got nothing']],
    [
      'control and format characters',
      { name: 'x', kind: '\u009b31m\u202e\u007f' },
      ['kind: expected "a" or "b", got "?31m??"'],
    ],
    [
      'control characters in a key',
      { name: 'x', 'a\u001b[31m\u202eb\n': 1 },
      ['a?[31m?b?: unknown; check the spelling, or leave it out'],
    ],
  ])('%s', (_, value, problems) => {
    expect(parseWithSchema(schema, value).problems?.map(formatProblem)).toEqual(problems)
  })
})

test.each([
  [{ key: '', message: 'expected text' }, 'expected text'],
  [{ key: 'tags.0', message: 'expected text' }, 'tags.0: expected text'],
])('formats a problem as one line: %j', (problem, text) => expect(formatProblem(problem)).toBe(text))

test.each([
  ['plain', 'plain'],
  ['é 漢', 'é 漢'],
  ['a\nb\tc\0', 'a?b?c?'],
  ['\u200b\u202e\ufeff', '???'],
  ['a\ud800', 'a?'],
  ['a'.repeat(80), 'a'.repeat(80)],
  ['a'.repeat(81), `${'a'.repeat(80)}…`],
  [`${'a'.repeat(79)}😀😀`, `${'a'.repeat(79)}…`],
])('prints %j as %j', (text, printed) => expect(printable(text)).toBe(printed))

test.each([
  ['none', 0, ''],
  ['ten problems, all by name', 10, `${Array.from({ length: 10 }, (_, index) => `k${index}: wrong`).join('; ')}`],
  [
    'more problems, ten by name and the others as a count',
    60_000,
    `${Array.from({ length: 10 }, (_, index) => `k${index}: wrong`).join('; ')}; and 59990 more`,
  ],
])('formats problems as one message: %s', (_, count, message) => {
  const problems = Array.from({ length: count }, (_, index) => ({ key: `k${index}`, message: 'wrong' }))
  expect(formatProblems(problems)).toBe(message)
})
