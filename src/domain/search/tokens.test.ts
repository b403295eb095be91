// Tests how search defines a word: how content and queries are split and normalised. See docs/contract.md section 4.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../tests/fixtures/records.ts'
import { readWords, tokenize } from './tokens.ts'

describe('splitting a text into words', () => {
  test.each([
    ['an empty text', '', []],
    ['lower case', 'Code REVIEW', ['code', 'review']],
    ['names', 'acme/code-review', ['acme', 'code', 'review']],
    ['snake case', 'max_tokens', ['max', 'tokens']],
    ['digits', 'gpt-5 v2.10', ['gpt', '5', 'v2', '10']],
    ['punctuation separates words', 'ab.c,d;e(f)"g"', ['ab', 'c', 'd', 'e', 'f', 'g']],
    [
      'single letters joined by punctuation form one word',
      'R&R e.g. w/o P.R. 1:1 a-b v.2',
      ['rr', 'eg', 'wo', 'pr', '11', 'a', 'b', 'v', '2'],
    ],
    ['placeholders', '{{ language }}', ['language']],
    ['accents', 'Résumé naïve Ångström', ['resume', 'naive', 'angstrom']],
    ['decomposed accents', 're\u0301sume\u0301', ['resume']],
    ['ligatures and full width', 'ﬁne ＡＢＣ', ['fine', 'abc']],
    ['Cyrillic and Greek', 'Привет Κόσμε', ['привет', 'κοσμε']],
    ['each Han character is a word', '代码审查', ['代', '码', '审', '查']],
    ['Latin next to Han', 'SQL查询', ['sql', '查', '询']],
    ['only punctuation and symbols', '*** "" -- 👍 ⺀', []],
  ])('%s', (_, text, words) => expect(tokenize(text)).toEqual(words))

  test('splits ASCII-only text the same as text with other characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect([...tokenize(text), 'e']).toEqual(tokenize(`${text} é`))
      }),
    )
  })

  test('ignores case and accents in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'Z', 'é', 'Ü', 'ñ', ' ', '-', '7', 'Ж') }), (text) => {
        const words = tokenize(text)
        expect(tokenize(text.toUpperCase())).toEqual(words)
        expect(tokenize(text.normalize('NFD'))).toEqual(words)
      }),
    )
  })

  test('splitting the words again does not split them further', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(tokenize(tokenize(text).join(' '))).toEqual(tokenize(text))
      }),
    )
  })
})

const long = Array.from({ length: 14 }, (_, index) => `w${index}`)
test.each([
  //                                          words                                          ignored
  ['an empty query', '', [], []],
  ['two words', 'code review', ['code', 'review'], []],
  ['names are split into words', 'code-review sql', ['code', 'review', 'sql'], []],
  ['any kind of whitespace', ' x\t\ny\u3000c\u00a0', ['x', 'y', 'c'], []],
  ['punctuation alone is ignored', '* " - NEAR(', ['near'], []],
  ['operators are ordinary words', 'code AND NOT "review"', ['code', 'not', 'review'], []],
  ['duplicate words count once', 'x x X \u00e1x ax', ['x', 'ax'], []],
  ['stop words are ignored next to other words', 'a review of the code', ['review', 'code'], []],
  ['stop words count if there are no other words', 'the who', ['the', 'who'], []],
  ['scripts without spaces: pairs of characters', '代码审', ['代码', '码审'], []],
  ['scripts without spaces: a single character', 'sql 查', ['sql', '查'], []],
  ['at most twelve words', long.join(' '), long.slice(0, 12), ['w12', 'w13']],
])('reads a search query: %s', (_, question, words, ignored) =>
  expect(readWords(question)).toMatchObject({ words, ignored }),
)
