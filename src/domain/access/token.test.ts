// Tests the format of hub tokens: hub_, 32 random base62 digits, and 6 digits with a CRC-32 checksum. See
// docs/contract.md section 7.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checksumOf, findToken, hasPermission, isToken, makeToken, type Permission, parseScope } from './token.ts'

/** A string in the format of a token, with a checksum that was computed by another program. */
const TOKEN = `hub_${'Ab3'.repeat(10)}xy1XJz7x`

test('the checksum is CRC-32 in base62, most significant digit first', () => {
  // 3421780262 is the check value that ISO 3309 specifies for these nine digits.
  expect(checksumOf('123456789')).toBe('3jZRME')
  expect(checksumOf('')).toBe('000000')
  expect(checksumOf(TOKEN.slice(0, -6))).toBe('1XJz7x')
})

test('builds a token from the given bytes and skips bytes of 248 and above', () => {
  const bytes = [255, 248, 0, 61, 62, 247, ...Array(28).fill(10)]
  const token = makeToken(() => bytes.shift()!)
  expect(token.slice(0, 36)).toBe(`hub_0z0z${'A'.repeat(28)}`)
  expect(bytes).toEqual([])
})

test('makes a valid token from any bytes and detects a typo in any character', () => {
  fc.assert(
    fc.property(
      fc.infiniteStream(fc.nat(255)),
      fc.integer({ min: 4, max: 41 }),
      fc.stringMatching(/^[0-9A-Za-z]$/),
      (bytes, at, digit) => {
        const token = makeToken(() => bytes.next().value)
        expect(token).toMatch(/^hub_[0-9A-Za-z]{38}$/)
        expect(isToken(token)).toBe(true)
        expect(isToken(token.slice(0, at) + digit + token.slice(at + 1))).toBe(token[at] === digit)
      },
    ),
  )
})

test.each([
  ['', false],
  ['hub_', false],
  [TOKEN, true],
  [` ${TOKEN}`, false],
  [`${TOKEN}\n`, false],
  [`${TOKEN}0`, false],
  [TOKEN.slice(0, -1), false],
  [TOKEN.toUpperCase(), false],
  [TOKEN.replace('hub_', 'HUB_'), false],
  [`hub_${'0'.repeat(38)}`, false],
])('%j is a token: %s', (text, expected) => expect(isToken(text)).toBe(expected))

test.each([
  ['an empty string', '', false],
  ['only a token', TOKEN, true],
  ['a token in a sentence', `Use ${TOKEN}, please.`, true],
  ['a token after letters', `key${TOKEN}`, true],
  ['a token after a string that looks like one', `hub_${'x'.repeat(38)} hub_${TOKEN}`, true],
  ['a token in JSON', JSON.stringify({ token: `${TOKEN}\n` }), true],
  ['a token with a wrong character', `${TOKEN.slice(0, -1)}y`, false],
  ['a token with an extra character', `${TOKEN}a`, false],
])('detects whether a text contains a token: %s', (_, text, expected) =>
  expect(findToken(text) !== undefined).toBe(expected),
)

//  permissions                             those that they include
test.each<[Permission[], Permission[]]>([
  [['read'], ['read']],
  [['publish'], ['read', 'publish']],
  [['label'], ['read', 'label']],
  [['maintain'], ['read', 'label', 'maintain']],
])('%j includes exactly %j', (has, expected) =>
  expect((['read', 'publish', 'label', 'maintain'] as const).filter((needed) => hasPermission(has, needed))).toEqual(
    expected,
  ),
)

test.each([
  ['acme/*', { owner: 'acme', name: undefined }],
  ['acme/review', { owner: 'acme', name: 'review' }],
  ['acme', undefined],
  ['acme/', undefined],
  ['*/*', undefined],
  ['acme/re*', undefined],
  ['acme/review/x', undefined],
  ['acme/*/x', undefined],
])('the scope %s', (scope, expected) => expect(parseScope(scope)).toEqual(expected))
