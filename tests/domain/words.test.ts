// Pins what a word is to the search: splitting and folding, of texts and of questions. docs/contract.md section 4.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitQuestion, tokenize } from '../../src/domain/search/tokens.ts'
import { anyText } from './fixtures.ts'

describe('the words of a text', () => {
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

  test('a text of nothing but ASCII is split as one with another character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect([...tokenize(text), 'e']).toEqual(tokenize(`${text} é`))
      }),
    )
  })

  test('case and accents make no difference, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'Z', 'é', 'Ü', 'ñ', ' ', '-', '7', 'Ж') }), (text) => {
        const words = tokenize(text)
        expect(tokenize(text.toUpperCase())).toEqual(words)
        expect(tokenize(text.normalize('NFD'))).toEqual(words)
      }),
    )
  })

  test('a word stays the same when it is split again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(tokenize(tokenize(text).join(' '))).toEqual(tokenize(text))
      }),
    )
  })
})

test.each([
  ['nothing', '', [], []],
  ['words', 'code review', [['code'], ['review']], []],
  ['what hangs together is one phrase', 'code-review sql', [['code', 'review'], ['sql']], []],
  ['white space of any kind', ' a\t\nb\u3000c\u00a0', [['a'], ['b'], ['c']], []],
  ['signs alone ask for nothing', '* " - NEAR(', [['near']], []],
  ['the words of query languages are words', 'a AND NOT "b"', [['a'], ['and'], ['not'], ['b']], []],
  ['a word counts once', 'a a A á a', [['a']], []],
  ['a phrase counts once', 'code-review review code/review', [['code', 'review'], ['review']], []],
  ['twelve words', 'a b c d e f g h i j k l', [...'abcdefghijkl'].map((word) => [word]), []],
  [
    'what stands beyond is left out',
    'a b c d e f g h i j k l m-a n',
    [...'abcdefghijkl'].map((word) => [word]),
    ['m', 'n'],
  ],
  ['eight words of a phrase', 'a-b-c-d-e-f-g-h-i i-j', [[...'abcdefgh'], ['i', 'j']], []],
  ['the rest of a phrase is left out', 'a-b-c-d-e-f-g-h-i-a', [[...'abcdefgh']], ['i']],
])('a question: %s', (_, question, phrases, ignored) => expect(splitQuestion(question)).toEqual({ phrases, ignored }))
