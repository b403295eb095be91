// Tests the fast YAML path against the library: it reads and writes exactly what the library does, and typical front
// matter is handled without the library.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPlainYaml, writePlainYaml } from '../../src/domain/text/plain-yaml.ts'
import { formatByLibrary, formatYaml, parseByLibrary } from '../../src/domain/text/yaml.ts'
import { anyJson } from './fixtures.ts'

/** The number of strings to try. To try many by hand: TEXTS=1000000 npx vitest run tests/domain/plain-yaml.test.ts */
const TEXTS = Number(process.env.TEXTS ?? 3000)

/** Typical lines, and YAML syntax that looks similar. */
const odd = fc.constantFrom(
  ...[
    'a',
    'b',
    'tags',
    '1.0.0',
    '0',
    '12',
    '1.10',
    '010',
    '1e3',
    '0x1f',
    '1.',
    '.5',
    '-1',
    '-',
    '--',
    '---',
    '...',
    '?',
    '~',
    'null',
  ],
  ...[
    'NULL',
    'True',
    'false',
    'yes',
    'y',
    '.inf',
    'NaN',
    '<<',
    '__proto__',
    'toString',
    'é',
    '漢字',
    '😀',
    '\u00a0',
    '\u2028',
    '\u1680',
    '\u180e',
    '\ufeff',
    '\t',
    '\r',
  ],
  ...[
    '"x"',
    "'x'",
    '"a\\n"',
    "'it''s'",
    '"',
    "'",
    '" # "',
    '"a: b"',
    '[]',
    '[a]',
    '[ a, b ]',
    '[a, , b]',
    '[a,]',
    '[null, b]',
    '[1]',
  ],
  ...[
    '["x"]',
    '[a: b]',
    '{}',
    '{a: 1}',
    '#',
    '# c',
    '&x',
    '*x',
    '!x',
    '!!str',
    '|',
    '>-',
    '%',
    '@',
    '`',
    ',',
    ']',
    '}',
    ':',
    ': ',
    '::',
    'a:b',
  ],
  ...[
    'http://x.y/z?q#f',
    'word word',
    ' word',
    'word ',
    "it's",
    'say "x"',
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '=',
    'a,b',
    '(a)',
  ],
)
const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'tags', 'é', '漢字', '1.0.0', '[a, b]', '"x"', 'true'),
  },
  odd,
)
const value = fc.oneof(
  { weight: 3, arbitrary: word },
  fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
)
/** Gives almost every line its own key; otherwise most of the input would be rejected for duplicate keys. */
const line = fc.record({
  indent: fc.constantFrom('', '', '', '', '', '', '', '', '', '  ', '  ', '    ', ' '),
  hyphen: fc.constantFrom('', '', '', '', '', '', '', '', '- ', '- ', '-', '? '),
  key: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, word),
  value: fc.oneof({ weight: 5, arbitrary: value.map((text) => `: ${text}`) }, fc.constantFrom(':', ':', '', ' :')),
})
const lines = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('', '\n', '\n', '\n\n', '\r\n'))
  .map(
    ([all, end]) =>
      all.map(({ indent, hyphen, key, value }, at) => `${indent}${hyphen}${key ?? `k${at}`}${value}`).join('\n') + end,
  )

/** Block scalars below a key, correctly and incorrectly indented, with empty lines and lines of spaces. */
const literal = fc
  .record({
    outer: fc.constantFrom('', '', 'a:\n  ', 'a:\n  - '),
    sign: fc.constantFrom('|-', '|-', '|', '|+', '|2-', '>-', '|- # why'),
    lines: fc.array(
      fc.record({
        more: fc.constantFrom('', '', '', '', '  ', ' ', '    '),
        text: fc.oneof(
          { weight: 3, arbitrary: value },
          fc.constantFrom('', '', 'k: v', '# no comment', '- x', '  ', '\ttab'),
        ),
      }),
      { maxLength: 5 },
    ),
    after: fc.constantFrom('', '\n', 'z: 1\n', '  z: 1\n', '\n\nz: 1\n', 'z: 1', '# said\n'),
  })
  .map(({ outer, sign, lines, after }) => {
    const indent = outer === '' ? '  ' : outer.endsWith('- ') ? '      ' : '    '
    const written = lines.map(({ more, text }) => (text === '' ? '' : indent + more + text))
    return `${outer}k: ${sign}\n${written.map((line) => `${line}\n`).join('')}${after}`
  })

function expectSame(text: string): boolean {
  const plain = readPlainYaml(text)
  const byLibrary = parseByLibrary(text, 1)
  expect(plain === undefined ? byLibrary : { value: plain }, JSON.stringify(text)).toEqual(byLibrary)
  // The keys must be in the same order, and all objects plain.
  expect(JSON.stringify(plain ?? byLibrary.value)).toBe(JSON.stringify(byLibrary.value))
  return plain !== undefined
}

test('parses random YAML exactly as the library does', { timeout: 600_000 }, () => {
  let taken = 0
  fc.assert(
    fc.property(
      fc.oneof({ weight: 8, arbitrary: lines }, fc.string({ unit: 'binary' }), anyJson.object.map(formatYaml)),
      (text) => {
        if (expectSame(text)) taken++
      },
    ),
    { numRuns: TEXTS },
  )
  // The fast path reads 59 to 85 of 3,000 random strings. If it read none, this test would compare nothing.
  expect(taken).toBeGreaterThan(TEXTS / 100)
})

test('agrees with the library after any small edit to plain YAML', { timeout: 600_000 }, () => {
  const text =
    'published_at: "2026-01-01T00:00:00Z"\ntags: [a, b]\nvariables:\n  - name: x\n    required: true\n  - y\nlabels:\n  p: 1.0.0\n'
  fc.assert(
    fc.property(
      fc.nat(text.length),
      fc.nat(3),
      fc.oneof(fc.string({ maxLength: 2, unit: 'binary' }), word),
      (at, less, more) => {
        expectSame(text.slice(0, at) + more + text.slice(at + less))
      },
    ),
    { numRuns: TEXTS },
  )
})

test('parses most front matter of the starter catalogue without the library', () => {
  const files = readdirSync('content', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  const texts = files.map((name) => readFileSync(join('content', name), 'utf8').split(/^---\n/m)[1] ?? '')
  expect(texts.filter((text) => expectSame(text)).length).toBeGreaterThan(texts.length * 0.6)
})

test.each([
  ...[
    'a: b #c',
    'a: b#c',
    'a: b: c',
    'a: b:',
    'a: b:c',
    'a: null',
    'a: Null',
    'a: nULL',
    'a: true\nb: "true"',
    'a: [null, b]',
    'a: [a b,c]',
  ],
  ...[
    'a: [a,]',
    'a: [a, b',
    'a: 010',
    'a: 1.',
    'a: 1.50',
    'a: 1.0.0',
    'a: 1234567890123456',
    'a: -1',
    'a:',
    'a:\nb: c',
    'a:\n- b',
    'a:\n  - b\n  c',
  ],
  ...[
    'a: b\n c',
    'a: b\n  c: d',
    'a:\n   b: c',
    'a:\n  b: c\n d: e',
    'a: "b"c',
    "a: 'b''c'",
    'a: " b "',
    'a: b\n\nc: d',
    'a: b\n---\nc: d',
    'a: b\n...',
    'a: a\na: b',
  ],
  ...[
    '  a: b',
    'a: b ',
    'a:  b',
    'a : b',
    'a:\n  - b: c\n    d: e\n  - f\ng: h',
    'a:\n  - b:\n      - c\n    d: 1',
    '__proto__: a',
    'a: b\u1680',
    '1.0: a\n1: b',
  ],
])('parses %j as the library does or leaves it to the library', (text) => {
  expectSame(text)
  expectSame(`${text}\n`)
})

test('parses multi-line strings as the library does', { timeout: 600_000 }, () => {
  let taken = 0
  fc.assert(
    fc.property(literal, (text) => {
      if (expectSame(text)) taken++
    }),
    { numRuns: TEXTS },
  )
  expect(taken).toBeGreaterThan(TEXTS / 20)
})

/** Strings of one or more lines, with unusual characters at both ends and in between. */
const text = fc.oneof(
  { weight: 3, arbitrary: value },
  fc
    .tuple(
      fc.array(fc.oneof(value, fc.constant('a line that is long enough to be folded')), { maxLength: 4 }),
      fc.constantFrom('\n', '\n', '\n\n', ' \n', '\n  '),
      fc.constantFrom('', '', '\n', ' ', '\u00ad'),
    )
    .map(([all, between, end]) => all.join(between) + end),
  fc.array(odd, { maxLength: 3 }).map((all) => all.join('')),
)
const { mapping } = fc.letrec<{ value: unknown; mapping: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    { weight: 4, arbitrary: text },
    fc.oneof(
      fc.constantFrom<unknown>(null, true, false, undefined, 0, -0, 1.5, -2, 1e21, 1e-7, new Date(0), Number.NaN),
      fc.double(),
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('mapping'),
  ),
  mapping: fc.dictionary(
    fc.oneof({ weight: 40, arbitrary: fc.stringMatching(/^[a-z][a-z_.-]{0,5}$/) }, odd),
    tie('value'),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  ),
}))

function expectSameWritten(value: Record<string, unknown>): boolean {
  const plain = writePlainYaml(value)
  if (plain !== undefined) expect(plain, JSON.stringify(value)).toBe(formatByLibrary(value))
  return plain !== undefined
}

test('writes values exactly as the library does', { timeout: 600_000 }, () => {
  let taken = 0
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: mapping }, anyJson.object), (value) => {
      if (expectSameWritten(value)) taken++
    }),
    { numRuns: TEXTS },
  )
  expect(taken).toBeGreaterThan(TEXTS / 4)
})

test('writes any string as the library does, alone and in a list', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (text) => {
      expectSameWritten({ a: text, b: { c: [text, { d: text, e: [[text]] }] } })
    }),
    { numRuns: TEXTS },
  )
})

test('writes every version of the starter catalogue without the library', () => {
  const files = readdirSync('content', { recursive: true, encoding: 'utf8' }).filter((name) => /\d\.md$/.test(name))
  const values = files.map(
    (name) => parseByLibrary(readFileSync(join('content', name), 'utf8').split(/^---\n/m)[1] ?? '', 1).value!,
  )
  expect(values.length).toBeGreaterThan(20)
  expect(values.filter((value) => !expectSameWritten(value))).toEqual([])
})
