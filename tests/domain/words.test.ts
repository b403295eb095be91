// Tests how the search defines a word: how text and queries are split and folded. docs/contract.md section 4.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readWords, tokenize } from '../../src/domain/search/tokens.ts'
import { anyText } from './fixtures.ts'

describe('splitting a text into words', () => {
  test.each([
    ['nothing', '', []],
    ['lower case', 'Code REVIEW', ['code', 'review']],
    ['names', 'acme/code-review', ['acme', 'code', 'review']],
    ['snake case', 'max_tokens', ['max', 'tokens']],
    ['digits', 'gpt-5 v2.10', ['gpt', '5', 'v2', '10']],
    ['punctuation separates', 'ab.c,d;e(f)"g"', ['ab', 'c', 'd', 'e', 'f', 'g']],
    [
      'single letters with signs between them are one',
      'R&R e.g. w/o P.R. 1:1 a-b v.2',
      ['rr', 'eg', 'wo', 'pr', '11', 'a', 'b', 'v', '2'],
    ],
    ['placeholders', '{{ language }}', ['language']],
    ['accents', 'Résumé naïve Ångström', ['resume', 'naive', 'angstrom']],
    ['accents written apart', 're\u0301sume\u0301', ['resume']],
    ['ligatures and full width', 'ﬁne ＡＢＣ', ['fine', 'abc']],
    ['Cyrillic and Greek', 'Привет Κόσμε', ['привет', 'κοσμε']],
    ['each Han character is a word', '代码审查', ['代', '码', '审', '查']],
    ['Latin beside Han', 'SQL查询', ['sql', '查', '询']],
    ['nothing but signs', '*** "" -- 👍', []],
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

  test('does not split a word any further the second time', () => {
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
  ['nothing', '', [], []],
  ['words', 'code review', ['code', 'review'], []],
  ['names are several words', 'code-review sql', ['code', 'review', 'sql'], []],
  ['white space of any kind', ' x\t\ny\u3000c\u00a0', ['x', 'y', 'c'], []],
  ['signs alone ask for nothing', '* " - NEAR(', ['near'], []],
  ['the words of query languages are words', 'code AND NOT "review"', ['code', 'not', 'review'], []],
  ['a word counts once', 'x x X \u00e1x ax', ['x', 'ax'], []],
  ['stop words do not count beside others', 'a review of the code', ['review', 'code'], []],
  ['alone they do', 'the who', ['the', 'who'], []],
  ['of scripts without spaces each pair', '代码审', ['代码', '码审'], []],
  ['of scripts without spaces one character', 'sql 查', ['sql', '查'], []],
  ['twelve words', long.join(' '), long.slice(0, 12), ['w12', 'w13']],
])('reads a search query: %s', (_, question, words, ignored) =>
  expect(readWords(question)).toMatchObject({ words, ignored }),
)
