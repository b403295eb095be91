// Tests the names in docs/contract.md section 1: owners, prompts, versions, tags and variables.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { words } from '../../../tests/words.ts'
import {
  hasOwnerForm,
  isLabel,
  isName,
  isOwner,
  isTag,
  isVariableName,
  isVersion,
  splitFullName,
  titleFromName,
} from './names.ts'
import { FullName, Handle, Name, Owner, Tag, VariableName, Version } from './values.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

/** Strings that are not valid as an owner, name, version or tag. */
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
  ...['badges', 'clients', 'healthz', 'metrics', 'readyz', 'search', '404', 'assets', 'index', 'rate-limited'],
  ...['login', 'npm', 'owners', 'sign-in', 'signin', 'skills'],
  ...['con', 'prn', 'aux', 'nul', 'com1', 'com2', 'com3', 'com4', 'com5', 'com6', 'com7', 'com8', 'com9'],
  ...['lpt1', 'lpt2', 'lpt3', 'lpt4', 'lpt5', 'lpt6', 'lpt7', 'lpt8', 'lpt9'],
] as const

describe('owner', () => {
  test.each([
    ...['a', '0', '007', 'octocat', 'a-b', 'a-b-c', '1-2', 'com0', 'com10', 'lpt', 'apis', 'my-api', 'constructor'],
    ...['tostring', 'a'.repeat(39), `a${'-b'.repeat(19)}`],
  ])('accepts %j', (text) => {
    expect([isOwner(text), hasOwnerForm(text), accepts(Owner, text), accepts(Handle, text)]).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  test.each([...NEVER, 'a'.repeat(40), `${'a-'.repeat(19)}bc`])('rejects %j', (text) => {
    expect([isOwner(text), hasOwnerForm(text), accepts(Owner, text), accepts(Handle, text)]).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  test('reserves settings as an owner and as a name, because it is a page of the site and of each owner', () => {
    expect([isOwner('settings'), accepts(Owner, 'settings'), isName('settings'), accepts(Name, 'settings')]).toEqual([
      ...[false, false],
      ...[false, false],
    ])
    expect([accepts(FullName, 'acme/settings'), accepts(FullName, 'acme/settings-2')]).toEqual([false, true])
  })

  test.each(RESERVED.filter((word) => word !== 'settings'))(
    'reserves %s as an owner, but allows it as a login and a name',
    (word) => {
      expect([isOwner(word), accepts(Owner, word), hasOwnerForm(word), accepts(Handle, word), isName(word)]).toEqual([
        ...[false, false],
        ...[true, true, true],
      ])
    },
  )
})

describe('name', () => {
  test.each(['a', '0', 'code-review', 'api', 'new', 'versions', 'raw', 'a'.repeat(64), `a${'-b'.repeat(31)}c`])(
    'accepts %j',
    (text) => {
      expect([isName(text), accepts(Name, text)]).toEqual([true, true])
    },
  )
  test.each([...NEVER, 'a'.repeat(65), `${'a-'.repeat(32)}b`])('rejects %j', (text) => {
    expect([isName(text), accepts(Name, text)]).toEqual([false, false])
  })
})

test('allows a-z, 0-9 and single inner hyphens: up to 39 characters for an owner, 64 for a name', () => {
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
    'accepts %s',
    (text) => {
      expect([isVersion(text), accepts(Version, text)]).toEqual([true, true])
    },
  )
  test.each([
    ...words`
      1 1.0 1.0.0.0 v1.0.0 V1.0.0 =1.0.0 01.2.3 1.02.3 1.2.03 00.0.0 1.0.0-rc.1 1.0.0+build 1.2.3%0A 1..0 .1.0 1.0.
      1.0.x -1.0.0 +1.0.0 1e1.0.0 0x1.0.0 1000000.0.0 0.1000000.0 0.0.1000000 9007199254740993.0.0 １.0.0 ١.0.0 latest
      1.0.0.md 1,0,0
    `,
    ...['', ' 1.0.0', '1.0.0 ', '1.0.0\n', '1.0.0\r'],
  ])('rejects %j', (text) => {
    expect([isVersion(text), accepts(Version, text)]).toEqual([false, false])
  })
})

describe('label', () => {
  test.each(['production', 'a', 'v2', '1-2', '01', '1234567', 'x1', 'latest-good'])('accepts %j', (text) => {
    expect(isLabel(text)).toBe(true)
  })
  test.each(['latest', 'x', '0', '1', '123456', 'X', '1.x', '^1', '', 'a_b'])('rejects %j', (text) => {
    expect(isLabel(text)).toBe(false)
  })
})

describe('tag', () => {
  test.each(['a', '0', 'code-review', 'a-b-c', 'constructor', 'a'.repeat(36)])('accepts %j', (text) => {
    expect([isTag(text), accepts(Tag, text)]).toEqual([true, true])
  })
  test.each([...NEVER, 'a'.repeat(37)])('rejects %j', (text) => {
    expect([isTag(text), accepts(Tag, text)]).toEqual([false, false])
  })
})

describe('variable name', () => {
  test.each(['a', 'A', '_', '__proto__', 'constructor', 'toString', 'camelCase', 'a1', '_1', 'a'.repeat(64)])(
    'accepts %j',
    (text) => {
      expect([isVariableName(text), accepts(VariableName, text)]).toEqual([true, true])
    },
  )
  test.each(['', '1a', 'a-b', 'a b', ' a', 'a ', 'a\n', 'a.b', 'é', '$a', 'a'.repeat(65)])('rejects %j', (text) => {
    expect([isVariableName(text), accepts(VariableName, text)]).toEqual([false, false])
  })
})

describe('full name', () => {
  test.each([
    ['acme/code-review', { owner: 'acme', name: 'code-review' }],
    ['a/api', { owner: 'a', name: 'api' }],
  ])('accepts %s', (text, parts) => {
    expect(splitFullName(text)).toEqual(parts)
    expect(accepts(FullName, text)).toBe(true)
  })
  test.each(['', '/', 'acme', 'acme/', '/a', 'acme/a/b', 'acme/a/', '//', 'api/a', 'Acme/a', 'acme/a b', 'acme\\a'])(
    'rejects %j',
    (text) => {
      expect(splitFullName(text)).toBeUndefined()
      expect(accepts(FullName, text)).toBe(false)
    },
  )
})

test.each([
  ['code-review', 'Code review'],
  ['a', 'A'],
  ['sql', 'Sql'],
  ['3-ideas', '3 ideas'],
  ['a-b-c', 'A b c'],
])('gives %s the default title %s', (name, title) => {
  expect(titleFromName(name)).toBe(title)
})
