// Tests how prompts are filled: the table shared by all clients, and cases that do not fit in a table. See
// docs/contract.md section 11.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../tests/fixtures/records.ts'
import type { Variable } from '../api/schema.ts'
import { LIMITS } from '../limits.ts'
import { type FillingProblem, fillContent, formatFillingProblems } from './filling.ts'
import { undeclaredVariable } from './prompt-file.ts'

const namesOf = (problems: readonly FillingProblem[], kind: FillingProblem['kind']) =>
  problems.filter((problem) => problem.kind === kind).map(({ name }) => name)

interface Case {
  name: string
  content: string
  variables: Variable[]
  values: Record<string, unknown>
  strict: { content: string } | Record<'missing' | 'unknown' | 'invalid', string[]>
  lenient: { content: string; missing: string[] } | { invalid: string[] }
}

// The file is parsed, not imported, because in an object literal the key `__proto__` would set the prototype.
const { cases } = JSON.parse(readFileSync('tests/fixtures/filling-cases.json', 'utf8')) as { cases: Case[] }

test('the shared table has more than 90 cases', () => expect(cases.length).toBeGreaterThan(90))

describe.each(cases)('$name', ({ content, variables, values, strict, lenient }) => {
  test('strict mode', () => {
    const { value, problems = [] } = fillContent({ content, variables }, values, 'strict')
    if ('content' in strict) expect(value).toEqual({ content: strict.content, missing: [] })
    else
      expect({
        missing: namesOf(problems, 'missing'),
        unknown: namesOf(problems, 'unknown'),
        invalid: namesOf(problems, 'invalid'),
      }).toEqual(strict)
  })

  test('lenient mode', () => {
    const { value, problems = [] } = fillContent({ content, variables }, values, 'lenient')
    expect(value ?? { invalid: namesOf(problems, 'invalid') }).toEqual(lenient)
  })
})

const a = undeclaredVariable('a')

test.each([
  ['missing variables, all by name', ['a', 'b'], {}, 'missing required variables: a, b'],
  ['an integer', [{ name: 'a', type: 'integer' }], { a: 'abc' }, 'a: expected a whole number such as 3, got "abc"'],
  ['a number', [{ name: 'a', type: 'number' }], { a: 'abc' }, 'a: expected a number such as 0.5, got "abc"'],
  ['a boolean', [{ name: 'a', type: 'boolean' }], { a: 1 }, 'a: expected true or false, got 1'],
  ['an enum', [{ name: 'a', type: 'enum', options: ['x', 'y'] }], { a: 'z' }, 'a: expected one of "x", "y", got "z"'],
  ['a string', ['a'], { a: [] }, 'a: expected a text, got an object or a list'],
  ['an unknown name', [], { 'a\u001b[31m': 1 }, 'a?[31m: unknown variable'],
  [
    'at most ten other problems',
    [],
    Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`v${index}`, 1])),
    `${Array.from({ length: 10 }, (_, index) => `v${index}: unknown variable`).join('; ')}; and 2 more`,
  ],
] as const)('error message: %s', (_, declared, values, sentence) => {
  const variables = declared.map((variable) => ({
    ...a,
    ...(typeof variable === 'string' ? { name: variable } : variable),
  }))
  const { problems } = fillContent({ content: '', variables: variables as Variable[] }, values, 'strict')
  expect(formatFillingProblems(problems ?? [])).toBe(sentence)
})

describe('size of the filled text', () => {
  const times = 1024
  const content = '{{a}}'.repeat(times)

  test.each([
    ['exactly at the limit', 'x'.repeat(1024), undefined],
    ['one byte over the limit, in a single value', `${'x'.repeat(1023)}é`, 1024 * 1025],
    ['bytes are counted, not characters', '字'.repeat(342), 1024 * 342 * 3],
  ])('%s', (_, value, bytes) => {
    for (const mode of ['strict', 'lenient'] as const) {
      const { value: filled, problems } = fillContent({ content, variables: [a] }, { a: value }, mode)
      if (bytes === undefined) expect(filled?.content).toHaveLength(LIMITS.filledBytes)
      else
        expect(problems).toEqual([
          {
            kind: 'too_large',
            name: '',
            message: `the filled text would have ${bytes} bytes; expected at most 1048576. Use shorter values`,
          },
        ])
    }
  })

  test('rejects a result of over a gigabyte without building it', () => {
    const before = process.memoryUsage().rss
    const huge = { content: '{{a}}'.repeat(52_428), variables: [a] }
    for (let round = 0; round < 8; round++)
      expect(fillContent(huge, { a: '字'.repeat(10_200) }, 'lenient').problems?.[0]?.kind).toBe('too_large')
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20)
  })

  test('gives the same text as filling each part and joining them', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 20 }), anyText, (pieces, value) => {
        const { value: filled } = fillContent(
          { content: pieces.join('{{ a }}'), variables: [a] },
          { a: value },
          'strict',
        )
        expect(filled?.content).toBe(
          pieces
            .map((piece) => fillContent({ content: piece, variables: [a] }, { a: value }, 'strict').value?.content)
            .join(value),
        )
      }),
    )
  })
})
