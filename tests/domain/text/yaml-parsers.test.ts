// Compares the two YAML parsers: whenever js-yaml is used, it returns exactly what yaml returns, and it is used for
// typical front matter.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatYaml, loadUsual, parseAny } from '../../../src/domain/text/yaml.ts'
import { words } from '../../words.ts'
import { anyJson } from '../fixtures.ts'

/** The number of strings to try. To try more: `TEXTS=1000000 npx vitest run tests/domain/text/yaml-parsers.test.ts` */
const TEXTS = Number(process.env.TEXTS ?? 1000)

/** Typical lines, and YAML syntax that looks similar. */
const odd = fc.constantFrom(
  ...words`
    a b tags 1.0.0 0 12 1.10 010 1e3 0x1f 1. .5 -1 - -- --- ... ? ~ null
  `,
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

/** Fragments of YAML in any order. */
const jumble = fc
  .array(
    fc.oneof(
      odd,
      fc.constantFrom(
        ' ',
        '\n',
        '\n  ',
        ': ',
        '- ',
        '\n- ',
        ',',
        '? ',
        '"',
        "'",
        '[',
        ']',
        '{',
        '}',
        '#',
        ' #',
        '|',
        '>',
      ),
      fc.constantFrom('&a ', '!!int ', '!!str ', '%YAML 1.2\n'),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''))

/** Quoted and bracketed values, with everything that may follow them in a list. */
const closed = fc
  .tuple(
    fc.constantFrom('', 'k: ', 'k:\n  ', '- ', 'k:\n- '),
    fc.array(
      fc.tuple(
        fc.constantFrom('', ' ', '\n', '\n ', '\n  ', ': ', ':', ',', '- ', '\n- ', '? ', ', ', '\n  - '),
        fc.constantFrom('[a]', '{a: b}', '"q"', "'q'", '[]', '{}', 'x', '["q"]', '', '- y', '|', '>-', '#c', ' #c'),
      ),
      { maxLength: 7 },
    ),
  )
  .map(([start, parts]) => `${start}${parts.flat().join('')}\n`)

function expectSame(text: string): boolean {
  const loaded = loadUsual(text)
  const parsed = parseAny(text, 1)
  expect(loaded === undefined ? parsed : { value: loaded }, JSON.stringify(text)).toEqual(parsed)
  // Compares the order of the keys too, and requires plain objects.
  expect(JSON.stringify(loaded ?? parsed.value)).toBe(JSON.stringify(parsed.value))
  return loaded !== undefined
}

test('both parse random YAML to the same value', { timeout: 600_000 }, () => {
  let taken = 0
  fc.assert(
    fc.property(
      fc.oneof(
        { weight: 8, arbitrary: lines },
        { weight: 4, arbitrary: jumble },
        { weight: 4, arbitrary: closed },
        fc.string({ unit: 'binary' }),
        anyJson.object.map(formatYaml),
      ),
      (text) => {
        if (expectSame(text)) taken++
      },
    ),
    { numRuns: TEXTS },
  )
  // Otherwise, the test would compare hardly anything.
  expect(taken).toBeGreaterThan(TEXTS / 20)
})

test('both parse YAML with a small edit to the same value', { timeout: 600_000 }, () => {
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

test('js-yaml parses nearly all front matter of the starter catalogue', () => {
  const files = readdirSync('content', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  const texts = files.map((name) => readFileSync(join('content', name), 'utf8').split(/^---\n/m)[1] ?? '')
  expect(texts.filter((text) => expectSame(text)).length).toBeGreaterThan(texts.length * 0.9)
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
])('both parse %j to the same value', (text) => {
  expectSame(text)
  expectSame(`${text}\n`)
})

test('both parse multi-line strings to the same value', { timeout: 600_000 }, () => {
  let taken = 0
  fc.assert(
    fc.property(literal, (text) => {
      if (expectSame(text)) taken++
    }),
    { numRuns: TEXTS },
  )
  expect(taken).toBeGreaterThan(TEXTS / 20)
})
