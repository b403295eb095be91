// Tests what check:content warns about: secrets for other services, and invisible characters.
import { describe, expect, test } from 'vitest'
import { checksumOf } from '../../src/domain/access/token-form.ts'
import { findHiddenCharacters } from '../../src/domain/content/hidden-characters.ts'
import { findSecrets } from '../../src/domain/content/secrets.ts'

const secret = 'A'.repeat(30)

describe('secrets', () => {
  test.each([
    ['a GitHub token', `x ghp_${secret}${checksumOf(secret)} y`, 2],
    ['a fine-grained GitHub token', `github_pat_${'a'.repeat(82)}`, 0],
    ['an npm token', `npm_${'a'.repeat(36)}`, 0],
    ['an AWS access key', 'key=AKIAIOSFODNN7EXAMPLE', 4],
    ['a private key', '-----BEGIN PRIVATE KEY-----', 0],
    ['an RSA private key', '-----BEGIN RSA PRIVATE KEY-----', 0],
  ])('%s', (_, text, offset) => {
    const found = findSecrets(text)
    expect(found).toHaveLength(1)
    expect(found[0]?.offset).toBe(offset)
    expect(found[0]?.message).not.toContain(text.slice(offset, offset + 12))
  })

  test.each([
    ['a token with a wrong checksum', `ghp_${secret}000000`],
    ['a bare prefix', 'Write a ghp_ token or an npm_ one here.'],
    ['a public key', '-----BEGIN PUBLIC KEY-----'],
    ['a prefix inside a longer word', `xnpm_${'a'.repeat(40)}`],
  ])('ignores %s', (_, text) => expect(findSecrets(text)).toEqual([]))
})

describe('hidden characters', () => {
  test.each([
    ['zero width space', 'a\u200bb', ['U+200B'], [1]],
    ['soft hyphen', 'co\u00adop', ['U+00AD'], [2]],
    ['right-to-left override', 'a\u202eb', ['U+202E'], [1]],
    ['isolate', '\u2066a\u2069', ['U+2066', 'U+2069'], [0, 2]],
    ['a byte order mark inside the text', 'a\ufeff', ['U+FEFF'], [1]],
    ['a joiner between Latin letters', 'a\u200db', ['U+200D'], [1]],
    ['a variation selector after a letter', 'a\ufe0f', ['U+FE0F'], [1]],
    ['escape', 'a\u001b[31m', ['U+001B'], [1]],
    ['a C1 control', '\u009b', ['U+009B'], [0]],
    ['a zero width space after an emoji, by its offset', '👍\u200b', ['U+200B'], [2]],
  ])('%s', (_, text, names, offsets) => {
    const found = findHiddenCharacters(text)
    expect(found.map(({ message }) => /U\+[0-9A-F]+/.exec(message)?.[0])).toEqual(names)
    expect(found.map(({ offset }) => offset)).toEqual(offsets)
  })

  test('spells out text hidden in tag characters, once', () => {
    const hidden = [...'ignore all'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
    const found = findHiddenCharacters(`Hello${hidden}!`)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ offset: 5, message: expect.stringContaining('"ignore all"') })
  })

  test.each([
    ['plain text with tabs and both kinds of line ending', 'a\tb\r\nc\n'],
    ['a byte order mark at the start', '\ufeffa'],
    ['an emoji with a joiner', '👩‍💻'],
    ['an emoji with a variation selector', '❤️ and ☺️'],
    ['a keycap', '1️⃣'],
    ['a regional flag', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['a skin tone', '👋🏽'],
    ['a Persian joiner', 'می‌خواهم'],
    ['a Hindi joiner', 'क्‍ष'],
  ])('ignores %s', (_, text) => expect(findHiddenCharacters(text)).toEqual([]))
})
