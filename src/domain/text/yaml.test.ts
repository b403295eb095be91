// Tests the YAML dialect: version 1.2, the core schema, no aliases, no custom tags, and a lossless round trip.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyJson } from '../../../tests/fixtures/records.ts'
import { formatYaml, parseYaml } from './yaml.ts'

describe('reading YAML', () => {
  test.each([
    ['an empty document', '', {}],
    ['only a comment', '# a', {}],
    [
      'YAML 1.1 booleans are strings',
      'a: yes\nb: no\nc: on\nd: off\ne: y',
      { a: 'yes', b: 'no', c: 'on', d: 'off', e: 'y' },
    ],
    ['booleans and null', 'a: true\nb: False\nc: null\nd: ~\ne:', { a: true, b: false, c: null, d: null, e: null }],
    ['numbers', 'a: 1\nb: -1.5\nc: 1e3\nd: 0x10\ne: 0o17', { a: 1, b: -1.5, c: 1000, d: 16, e: 15 }],
    ['an unquoted number loses its trailing zero, a quoted one does not', 'a: 1.10\nb: "1.10"', { a: 1.1, b: '1.10' }],
    [
      'no octal with a leading zero, no sexagesimal, no underscores',
      'a: 010\nb: 12:30:45\nc: 1_000',
      { a: 10, b: '12:30:45', c: '1_000' },
    ],
    ['dates are strings', 'a: 2026-01-01\nb: 2026-01-01T00:00:00Z', { a: '2026-01-01', b: '2026-01-01T00:00:00Z' }],
    [
      'keys are strings',
      '1: a\n1.0: b\nnull: c\ntrue: d\n2026-01-01: e',
      { 1: 'a', '1.0': 'b', null: 'c', true: 'd', '2026-01-01': 'e' },
    ],
    ['a merge key is an ordinary key', '<<: {a: 1}', { '<<': { a: 1 } }],
    [
      'the tags of the core schema',
      'a: !!str 1\nb: !!int "3"\nc: !!float 1.5\nd: !!bool "true"\ne: !!seq [1]\nf: !!map {a: 1}',
      { a: '1', b: 3, c: 1.5, d: true, e: [1], f: { a: 1 } },
    ],
    ['block scalars', 'a: |\n  x\n  y\nb: >-\n  x\n  y\n', { a: 'x\ny\n', b: 'x y' }],
    ['JSON', '{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
  ])('%s', (_, text, value) => expect(parseYaml(text, 1)).toEqual({ value }))

  test.each([
    [
      'a problem names its line in the file',
      'a: 1\nb: c: d',
      ['line 11: expected valid YAML: Nested mappings are not allowed in compact mappings'],
    ],
    ['a duplicate key', 'a: 1\na: 2', ['line 11: expected valid YAML: Map keys must be unique']],
    ['an alias', 'a: &x 1\nb: *x', ['line 11: expected YAML without aliases (*name); write the value out']],
    ['a binary tag', 'a: !!binary aGk=', ['line 10: expected valid YAML: Unresolved tag: tag:yaml.org,2002:binary']],
    [
      'a function tag',
      'a: !!js/function "function () {}"',
      ['line 10: expected valid YAML: Unresolved tag: tag:yaml.org,2002:js/function'],
    ],
    ['a list', '- a', ['line 10: expected keys and values between the --- lines']],
    ['a string', 'a', ['line 10: expected keys and values between the --- lines']],
    ['a number', '5', ['line 10: expected keys and values between the --- lines']],
    [
      'several problems at once',
      'a: !x 1\nb: !y 2',
      ['line 10: expected valid YAML: Unresolved tag: !x', 'line 11: expected valid YAML: Unresolved tag: !y'],
    ],
  ])('%s', (_, text, messages) => {
    expect(parseYaml(text, 10)).toEqual({ problems: messages.map((message) => ({ key: '', message })) })
  })

  test('reports every duplicate key with its line, at any level', () => {
    const text = 'a:\n  b: 1\n  b: 2\nc: [{d: 1, d: 2}]\na: 3\n"a": 4'
    expect(parseYaml(text, 1).problems?.map(({ message }) => message)).toEqual(
      [3, 4, 5, 6].map((line) => `line ${line}: expected valid YAML: Map keys must be unique`),
    )
  })

  test('reads __proto__ as an ordinary key', () => {
    const { value } = parseYaml('__proto__: {polluted: 1}', 1)
    expect(Object.keys(value!)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('writing YAML', () => {
  test.each([
    [
      'no quotes where they are not needed',
      { a: 'x y', b: 1, c: true, d: null, e: [], f: {} },
      'a: x y\nb: 1\nc: true\nd: null\ne: []\nf: {}\n',
    ],
    [
      'quotes strings that would be read as another type',
      { a: '1.0', b: 'null', c: 'true', d: '', e: '# x', f: 'a: b' },
      'a: "1.0"\nb: "null"\nc: "true"\nd: ""\ne: "# x"\nf: "a: b"\n',
    ],
    [
      'quotes dates, which other parsers would convert',
      { a: '2026-01-01', b: '2026-01-01T00:00:00Z' },
      'a: "2026-01-01"\nb: "2026-01-01T00:00:00Z"\n',
    ],
    [
      'quotes numbers and the merge key of YAML 1.1',
      { a: '1_000', b: '12:30:45', c: '0b11', '<<': 'x', d: '3 cups' },
      'a: "1_000"\nb: "12:30:45"\nc: "0b11"\n"<<": x\nd: 3 cups\n',
    ],
    ['multi-line strings as block scalars', { a: 'x\ny' }, 'a: |-\n  x\n  y\n'],
    [
      'multi-line strings that end with a line break as block scalars',
      { a: 'First:\n \n- salt\n', b: 'x' },
      'a: |\n  First:\n   \n  - salt\nb: x\n',
    ],
    [
      'quoted strings on one line, because a line of one blank would be lost between two lines of a quoted string',
      { a: `${'First, you check every word. '.repeat(3)}\n \nThen you answer. ` },
      `a: "${'First, you check every word. '.repeat(3).trim()}\\ \\n\\ \\nThen you answer. "\n`,
    ],
    ['long lines are not folded', { a: 'word '.repeat(60).trim() }, `a: ${'word '.repeat(60).trim()}\n`],
    ['no aliases for repeated values', twice([1]), 'a:\n  - 1\nb:\n  - 1\n'],
  ])('%s', (_, value, text) => expect(formatYaml(value)).toBe(text))

  function twice(shared: unknown): Record<string, unknown> {
    return { a: shared, b: shared }
  }

  test('round-trips texts with lines of blanks, whatever stands around them', () => {
    const line = fc.constantFrom(
      '',
      ' ',
      '  ',
      '\t',
      ' \t',
      'a',
      ' a',
      'a ',
      '- a',
      '# a',
      'a: b',
      '\\',
      '"',
      '\r',
      '\u0007',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.nat(60), (lines, length) => {
        const text = `${'x'.repeat(length)}${lines.join('\n')}`
        const written = formatYaml({ a: text, b: { [`k${text}`]: [text] } })
        expect(parseYaml(written, 1)).toEqual({ value: { a: text, b: { [`k${text}`]: [text] } } })
      }),
      { numRuns: 250 },
    )
  })

  test('round-trips any JSON and never writes a line that would end the front matter', () => {
    fc.assert(
      fc.property(anyJson.object, (value) => {
        const text = formatYaml({ parameters: value })
        expect(parseYaml(text, 1)).toEqual({ value: { parameters: value } })
        expect(text).not.toMatch(/(?:^|\n)(?:---|\.\.\.)/)
      }),
      { numRuns: 150 },
    )
  })
})
