// Tests the values and limits in docs/contract.md section 1: times, strings, licenses, URLs and numbers.
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { words } from '../../../tests/words.ts'
import { LIMITS } from '../limits.ts'
import { countCharacters } from '../text/plain-text.ts'
import { findContentProblem, License, line, lines, NumericId, Time, WebAddress } from './values.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

test('defines these limits', () => {
  expect(LIMITS).toEqual({
    deletedFiles: 2000,
    removedVersions: 200,
    ownerCharacters: 39,
    nameCharacters: 64,
    tagCharacters: 36,
    tagsPerRepository: 10,
    variableNameCharacters: 64,
    variablesPerVersion: 64,
    titleCharacters: 200,
    descriptionCharacters: 500,
    changelogCharacters: 500,
    skillDescriptionCharacters: 1024,
    skillCompatibilityCharacters: 500,
    skillMetadataKeys: 32,
    skillToolCharacters: 200,
    skillTools: 64,
    skillHintCharacters: 200,
    skillMetadataCharacters: 2_000,
    filesPerVersion: 500,
    includesPerVersion: 32,
    includedRepositories: 16,
    includedThrough: 64,
    filesBytes: 8000000,
    fileBytes: 2000000,
    fileSegments: 8,
    contentBytes: 262144,
    messagesPerVersion: 500,
    requestBytes: 1048576,
    requestBytesWithFiles: 12582912,
    versionsPerRepository: 1000,
    queryCharacters: 200,
    callerKeyCharacters: 1_000,
    pageSize: 20,
    versionPageSize: 100,
    highestPage: 100000,
    parameterDepth: 32,
    parameterKeys: 1000,
    parameterBytes: 65536,
    variableBytes: 65536,
    changesBytes: 262144,
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
    protectedLabelsPerOwner: 100,
    providerMemberCharacters: 100,
    tokensPerPerson: 50,
    modelCharacters: 200,
    retiringModels: 2000,
    attestationsPerVersion: 5,
    attestationBytes: 65_536,
    suitesPerVersion: 20,
    testsPerSuite: 1000000,
    labelsPerPublish: 10,
    promptsPerMove: 50,
    webhooksPerOwner: 10,
    suitesPerLabel: 10,
    publishesPerMinute: 30,
    toolValueCharacters: 10000,
  })
})

describe('time', () => {
  test.each(['2026-11-20T10:00:00Z', '2024-02-29T23:59:59Z', '2026-11-20T10:00:00.5Z', '2026-11-20T10:00:00.123Z'])(
    'accepts %s',
    (text) => {
      expect(accepts(Time, text)).toBe(true)
    },
  )
  test.each([
    ...words`
      2026-11-20 2026-11-20T10:00:00 2026-11-20T10:00:00+00:00 2026-11-20T10:00:00+02:00 2026-11-20T10:00:00z
      2026-02-29T10:00:00Z 2026-13-01T10:00:00Z 2026-11-20T24:00:00Z 2026-11-20T10:60:00Z 20261120T100000Z yesterday
    `,
    ...['', '2026-11-20 10:00:00Z', '2026-11-20T10:00:00Z\n', ' 2026-11-20T10:00:00Z'],
  ])('rejects %j', (text) => {
    expect(accepts(Time, text)).toBe(false)
  })
  test('rejects a Date object', () => {
    expect(accepts(Time, new Date(0))).toBe(false)
  })
})

describe('single-line and multi-line text', () => {
  test.each([
    ['letters', 'abc', true],
    ['an empty string', '', true],
    ['exactly at the limit', 'a'.repeat(5), true],
    ['too long', 'a'.repeat(6), false],
    ['exactly at the limit, in characters', '😀'.repeat(5), true],
    ['too long, in characters', '😀'.repeat(6), false],
    ['accents and other scripts', 'é漢ة', true],
    ['a line separator, which is not a control character', 'a\u2028b', true],
    ['a line feed', 'a\nb', 'several lines'],
    ['a carriage return', 'a\rb', false],
    ['a tab', 'a\tb', false],
    ['NUL', 'a\0', false],
    ['an escape character', '\u001b[1m', false],
    ['delete', '\u007f', false],
    ['a C1 control character', '\u0085', false],
    ['a lone surrogate', '\ud800', false],
    ['surrogates in the wrong order', '\udc00\ud800', false],
    ['not a string', 5, false],
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
  ])('counts the characters of %j as %i', (text, length) => {
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
  ])('accepts %j', (text) => {
    expect(findContentProblem(text)).toBeUndefined()
  })
  test.each([
    ['', 'expected some text'],
    [' ', 'expected some text'],
    [' \t\r\n\u00a0\u2028\u3000', 'expected some text'],
    ['\ufeff\n', 'expected some text'],
    ['a\0b', 'expected text without NUL characters'],
    ['a\ud800', 'expected well-formed Unicode, without lone surrogates'],
    ['\udc00a', 'expected well-formed Unicode, without lone surrogates'],
  ])('rejects %j: %s', (text, problem) => {
    expect(findContentProblem(text)).toBe(problem)
  })
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
])('license %j is accepted: %s', (text, expected) => {
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
])('URL %j is accepted: %s', (text, expected) => {
  expect(accepts(WebAddress, text)).toBe(expected)
})

test.each([
  [1, '1'],
  [583231, '583231'],
  ['9007199254740993', '9007199254740993'],
])('keeps the GitHub ID %j as a string', (given, kept) => {
  expect(NumericId.parse(given)).toBe(kept)
})

test.each([0, -1, 1.5, 9007199254740992, '0', '01', '', '1e3', ' 1', null, true])(
  'rejects %j as a GitHub ID',
  (given) => {
    expect(accepts(NumericId, given)).toBe(false)
  },
)
