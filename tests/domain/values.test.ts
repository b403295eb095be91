// Pins the names, values and limits of docs/contract.md section 1.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { LIMITS } from '../../src/domain/api/limits.ts'
import {
  hasOwnerForm,
  isName,
  isOwner,
  isTag,
  isVariableName,
  isVersion,
  splitFullName,
  titleFromName,
} from '../../src/domain/content/names.ts'
import { countCharacters } from '../../src/domain/content/text-length.ts'
import {
  FullName,
  findContentProblem,
  Handle,
  License,
  line,
  lines,
  Name,
  NumericId,
  Owner,
  Tag,
  Time,
  VariableName,
  Version,
  WebAddress,
} from '../../src/domain/content/values.ts'
import { cpuMsSince } from '../cpu-time.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

test('the limits', () => {
  expect(LIMITS).toEqual({
    ownerCharacters: 39,
    nameCharacters: 64,
    tagCharacters: 36,
    tagsPerRepository: 10,
    variableNameCharacters: 64,
    variablesPerVersion: 64,
    titleCharacters: 200,
    descriptionCharacters: 500,
    changelogCharacters: 500,
    contentBytes: 262144,
    requestBytes: 1048576,
    versionsPerRepository: 1000,
    queryCharacters: 200,
    pageSize: 20,
    highestPage: 100000,
    parameterDepth: 32,
    parameterKeys: 1000,
    parameterBytes: 65536,
    requestValues: 32768,
    filledBytes: 1048576,
    problemsNamed: 10,
    sentenceCharacters: 500,
    licenseCharacters: 100,
    rangeCharacters: 100,
    addressCharacters: 500,
    optionsPerVariable: 100,
    advisoriesPerRepository: 100,
    membersPerOwner: 1000,
    trustedPublishersPerOwner: 100,
    tokensPerPerson: 50,
    publishesPerMinute: 30,
    toolValueCharacters: 10000,
  })
})

/** Texts that are no owner, no name, no version and no tag whatever the rule. */
const NEVER = [
  ...['', ' ', '-', '--', '-a', 'a-', 'a--b', 'A', 'aB', 'a_b', 'a.b', 'a/b', 'a\\b', '.', '..', '.git', 'a.lock', '@'],
  ...[
    ' a',
    'a ',
    'a\n',
    '\na',
    'a\0',
    'a\t',
    '%61',
    'a%2fb',
    'a%00',
    '%2e%2e',
    'é',
    'e\u0301',
    'аcme',
    'ａ',
    '1️⃣',
    '\ufeffa',
  ],
  ...['__proto__', 'a?b', 'a#b', 'a:b', 'a*', '~', 'HEAD'],
] as const

const RESERVED = [
  ...['api', 'auth', 'cli', 'data', 'docs', 'mcp', 'settings', 'tags', 'admin', 'me', 'new', 'null', 'undefined'],
  ...['badges', 'clients', 'healthz', 'metrics', 'search', '404', 'assets', 'index', 'rate-limited'],
  ...['con', 'prn', 'aux', 'nul', 'com1', 'com2', 'com3', 'com4', 'com5', 'com6', 'com7', 'com8', 'com9'],
  ...['lpt1', 'lpt2', 'lpt3', 'lpt4', 'lpt5', 'lpt6', 'lpt7', 'lpt8', 'lpt9'],
] as const

describe('owner', () => {
  test.each([
    ...['a', '0', '007', 'octocat', 'a-b', 'a-b-c', '1-2', 'com0', 'com10', 'lpt', 'apis', 'my-api', 'constructor'],
    ...['tostring', 'a'.repeat(39), `a${'-b'.repeat(19)}`],
  ])('%j is one', (text) => {
    expect([isOwner(text), hasOwnerForm(text), accepts(Owner, text), accepts(Handle, text)]).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  test.each([...NEVER, 'a'.repeat(40), `${'a-'.repeat(19)}bc`])('%j is none', (text) => {
    expect([isOwner(text), hasOwnerForm(text), accepts(Owner, text), accepts(Handle, text)]).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  test.each(RESERVED)('%s is reserved as an owner, but may be a login and a name', (word) => {
    expect([isOwner(word), accepts(Owner, word), hasOwnerForm(word), accepts(Handle, word), isName(word)]).toEqual([
      ...[false, false],
      ...[true, true, true],
    ])
  })
})

describe('name', () => {
  test.each(['a', '0', 'code-review', 'api', 'new', 'versions', 'raw', 'a'.repeat(64), `a${'-b'.repeat(31)}c`])(
    '%j is one',
    (text) => {
      expect([isName(text), accepts(Name, text)]).toEqual([true, true])
    },
  )
  test.each([...NEVER, 'a'.repeat(65), `${'a-'.repeat(32)}b`])('%j is none', (text) => {
    expect([isName(text), accepts(Name, text)]).toEqual([false, false])
  })
})

test('an owner and a name are 1 to 39 and 1 to 64 of a-z, 0-9 and single hyphens inside', () => {
  const nearly = fc.string({ unit: fc.constantFrom('a', 'z', '0', '9', '-'), minLength: 0, maxLength: 70 })
  fc.assert(
    fc.property(nearly, (text) => {
      const isWellFormed = text !== '' && !text.startsWith('-') && !text.endsWith('-') && !text.includes('--')
      expect(hasOwnerForm(text)).toBe(isWellFormed && text.length <= 39)
      expect(isName(text)).toBe(isWellFormed && text.length <= 64)
      expect(isTag(text)).toBe(isWellFormed && text.length <= 36)
    }),
    { numRuns: 300 },
  )
})

describe('version', () => {
  test.each(['0.0.0', '1.0.0', '0.0.1', '10.20.30', '1.10.0', '999999.999999.999999', '100000.0.1'])(
    '%s is one',
    (text) => {
      expect([isVersion(text), accepts(Version, text)]).toEqual([true, true])
    },
  )
  test.each([
    ...[
      '',
      '1',
      '1.0',
      '1.0.0.0',
      'v1.0.0',
      'V1.0.0',
      '=1.0.0',
      '01.2.3',
      '1.02.3',
      '1.2.03',
      '00.0.0',
      '1.0.0-rc.1',
      '1.0.0+build',
    ],
    ...[
      ' 1.0.0',
      '1.0.0 ',
      '1.0.0\n',
      '1.0.0\r',
      '1.2.3%0A',
      '1..0',
      '.1.0',
      '1.0.',
      '1.0.x',
      '-1.0.0',
      '+1.0.0',
      '1e1.0.0',
      '0x1.0.0',
    ],
    ...[
      '1000000.0.0',
      '0.1000000.0',
      '0.0.1000000',
      '9007199254740993.0.0',
      '１.0.0',
      '١.0.0',
      'latest',
      '1.0.0.md',
      '1,0,0',
    ],
  ])('%j is none', (text) => {
    expect([isVersion(text), accepts(Version, text)]).toEqual([false, false])
  })
})

describe('tag', () => {
  test.each(['a', '0', 'code-review', 'a-b-c', 'constructor', 'a'.repeat(36)])('%j is one', (text) => {
    expect([isTag(text), accepts(Tag, text)]).toEqual([true, true])
  })
  test.each([...NEVER, 'a'.repeat(37)])('%j is none', (text) => {
    expect([isTag(text), accepts(Tag, text)]).toEqual([false, false])
  })
  test('a long tag of hyphens that does not match is refused at once', () => {
    const before = process.threadCpuUsage()
    expect(isTag('a-'.repeat(100_000))).toBe(false)
    expect(accepts(Tag, 'a-'.repeat(100_000))).toBe(false)
    expect(cpuMsSince(before)).toBeLessThan(2000)
  })
})

describe('variable name', () => {
  test.each(['a', 'A', '_', '__proto__', 'constructor', 'toString', 'camelCase', 'a1', '_1', 'a'.repeat(64)])(
    '%j is one',
    (text) => {
      expect([isVariableName(text), accepts(VariableName, text)]).toEqual([true, true])
    },
  )
  test.each(['', '1a', 'a-b', 'a b', ' a', 'a ', 'a\n', 'a.b', 'é', '$a', 'a'.repeat(65)])('%j is none', (text) => {
    expect([isVariableName(text), accepts(VariableName, text)]).toEqual([false, false])
  })
})

describe('full name', () => {
  test.each([
    ['acme/code-review', { owner: 'acme', name: 'code-review' }],
    ['a/api', { owner: 'a', name: 'api' }],
  ])('%s is one', (text, parts) => {
    expect(splitFullName(text)).toEqual(parts)
    expect(accepts(FullName, text)).toBe(true)
  })
  test.each(['', '/', 'acme', 'acme/', '/a', 'acme/a/b', 'acme/a/', '//', 'api/a', 'Acme/a', 'acme/a b', 'acme\\a'])(
    '%j is none',
    (text) => {
      expect(splitFullName(text)).toBeUndefined()
      expect(accepts(FullName, text)).toBe(false)
    },
  )
})

describe('time', () => {
  test.each(['2026-11-20T10:00:00Z', '2024-02-29T23:59:59Z', '2026-11-20T10:00:00.5Z', '2026-11-20T10:00:00.123Z'])(
    '%s is one',
    (text) => {
      expect(accepts(Time, text)).toBe(true)
    },
  )
  test.each([
    ...[
      '',
      '2026-11-20',
      '2026-11-20 10:00:00Z',
      '2026-11-20T10:00:00',
      '2026-11-20T10:00:00+00:00',
      '2026-11-20T10:00:00+02:00',
    ],
    ...[
      '2026-11-20T10:00:00z',
      '2026-02-29T10:00:00Z',
      '2026-13-01T10:00:00Z',
      '2026-11-20T24:00:00Z',
      '2026-11-20T10:60:00Z',
    ],
    ...['2026-11-20T10:00:00Z\n', ' 2026-11-20T10:00:00Z', '20261120T100000Z', 'yesterday'],
  ])('%j is none', (text) => {
    expect(accepts(Time, text)).toBe(false)
  })
  test('a date object is none: times are strings', () => {
    expect(accepts(Time, new Date(0))).toBe(false)
  })
})

describe('texts of people', () => {
  test.each([
    ['letters', 'abc', true],
    ['nothing', '', true],
    ['as long as may be', 'a'.repeat(5), true],
    ['too long', 'a'.repeat(6), false],
    ['as long as may be, counted as people count', '😀'.repeat(5), true],
    ['too long, counted as people count', '😀'.repeat(6), false],
    ['accents and other scripts', 'é漢ة', true],
    ['a line separator that is no control character', 'a\u2028b', true],
    ['a line feed', 'a\nb', 'several lines'],
    ['a carriage return', 'a\rb', false],
    ['a tab', 'a\tb', false],
    ['NUL', 'a\0', false],
    ['an escape', '\u001b[1m', false],
    ['delete', '\u007f', false],
    ['a control character beyond ASCII', '\u0085', false],
    ['half a surrogate pair', '\ud800', false],
    ['surrogates the wrong way round', '\udc00\ud800', false],
    ['no text at all', 5, false],
  ])('%s', (_, value, expected) => {
    expect(accepts(line(5), value)).toBe(expected === true)
    expect(accepts(lines(5), value)).toBe(expected !== false)
  })

  test.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['😀', 1],
    ['👩‍👧', 3],
    ['\ud800', 1],
  ])('%j has the length %i', (text, length) => {
    expect(countCharacters(text)).toBe(length)
  })
})

describe('content', () => {
  test.each([
    ...[
      'a',
      '.',
      '0',
      ' a ',
      '\ta',
      'a\r\nb',
      '\ufeffa',
      '---',
      '---\n',
      '---js\n',
      '\u0001',
      '\u001b[31m',
      '\u200b',
      '{{a}}',
      '\u{10ffff}',
      '\ufffd',
    ],
  ])('%j is one', (text) => {
    expect(findContentProblem(text)).toBeUndefined()
  })
  test.each([
    ['', 'expected some text, got nothing but white space'],
    [' ', 'expected some text, got nothing but white space'],
    [' \t\r\n\u00a0\u2028\u3000', 'expected some text, got nothing but white space'],
    ['\ufeff\n', 'expected some text, got nothing but white space'],
    ['a\0b', 'expected text without NUL characters'],
    ['a\ud800', 'expected well-formed Unicode, without lone surrogates'],
    ['\udc00a', 'expected well-formed Unicode, without lone surrogates'],
  ])('%j is none: %s', (text, problem) => {
    expect(findContentProblem(text)).toBe(problem)
  })
})

test.each([
  ['code-review', 'Code review'],
  ['a', 'A'],
  ['sql', 'Sql'],
  ['3-ideas', '3 ideas'],
  ['a-b-c', 'A b c'],
])('without a title, %s is called %s', (name, title) => {
  expect(titleFromName(name)).toBe(title)
})

test.each([
  ['MIT', true],
  ['MIT OR Apache-2.0', true],
  ['(MIT AND CC-BY-4.0)', true],
  ['GPL-2.0+', true],
  ['', false],
  ['MIT\n', false],
  ['<b>', false],
  ['A'.repeat(101), false],
])('as a licence, %j is accepted: %s', (text, expected) => {
  expect(accepts(License, text)).toBe(expected)
})

test.each([
  ['https://acme.example', true],
  ['http://acme.example/a?b#c', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['ftp://acme.example', false],
  ['//acme.example', false],
  ['acme.example', false],
  ['https:acme.example', false],
  [`https://acme.example/${'a'.repeat(500)}`, false],
])('as an address of the web, %j is accepted: %s', (text, expected) => {
  expect(accepts(WebAddress, text)).toBe(expected)
})

test.each([
  [1, '1'],
  [583231, '583231'],
  ['9007199254740993', '9007199254740993'],
])('a number that GitHub counts is kept as text: %j', (given, kept) => {
  expect(NumericId.parse(given)).toBe(kept)
})

test.each([0, -1, 1.5, 9007199254740992, '0', '01', '', '1e3', ' 1', null, true])(
  '%j is no number that GitHub counts',
  (given) => {
    expect(accepts(NumericId, given)).toBe(false)
  },
)
