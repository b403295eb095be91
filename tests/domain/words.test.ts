// Pins what a word is to the search: splitting, folding, and which typos are forgiven. docs/contract.md section 4.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isForgiven, isOneTypoApart, splitQuestion, splitWords, typoKeys } from '../../src/domain/search/words.ts'
import { anyText } from './fixtures.ts'

describe('the words of a text', () => {
  test.each([
    ['nothing', '', []],
    ['lower case', 'Code REVIEW', ['code', 'review']],
    ['names', 'acme/code-review', ['acme', 'code', 'review']],
    ['snake case', 'max_tokens', ['max', 'tokens']],
    ['digits', 'gpt-5 v2.10', ['gpt', '5', 'v2', '10']],
    ['punctuation separates', 'a.b,c;d(e)"f"', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['placeholders', '{{ language }}', ['language']],
    ['accents', 'Résumé naïve Ångström', ['resume', 'naive', 'angstrom']],
    ['accents written apart', 're\u0301sume\u0301', ['resume']],
    ['ligatures and full width', 'ﬁne ＡＢＣ', ['fine', 'abc']],
    ['Cyrillic and Greek', 'Привет Κόσμε', ['привет', 'κοσμε']],
    ['each Han character is a word', '代码审查', ['代', '码', '审', '查']],
    ['Latin beside Han', 'SQL查询', ['sql', '查', '询']],
    ['nothing but signs', '*** "" -- 👍', []],
  ])('%s', (_, text, words) => expect(splitWords(text)).toEqual(words))

  test('case and accents make no difference, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'Z', 'é', 'Ü', 'ñ', ' ', '-', '7', 'Ж') }), (text) => {
        const words = splitWords(text)
        expect(splitWords(text.toUpperCase())).toEqual(words)
        expect(splitWords(text.normalize('NFD'))).toEqual(words)
      }),
    )
  })

  test('a word stays the same when it is split again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(splitWords(splitWords(text).join(' '))).toEqual(splitWords(text))
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

test.each([
  ['abc', false],
  ['abcd', true],
  ['a'.repeat(32), true],
  ['a'.repeat(33), false],
])('whether a typo in %s is forgiven: %s', (word, expected) => expect(isForgiven(word)).toBe(expected))

describe('one typo apart', () => {
  test.each([
    ['added', 'review', 'revieww', true],
    ['added in front', 'review', 'xreview', true],
    ['left out', 'review', 'rview', true],
    ['changed', 'review', 'reviaw', true],
    ['neighbours swapped', 'review', 'reivew', true],
    ['the same word', 'review', 'review', false],
    ['two changed', 'review', 'raviaw', false],
    ['swapped, but not neighbours', 'review', 'veriew', false],
    ['two added', 'review', 'reviewer', false],
    ['one added and one changed', 'review', 'raviews', false],
    ['a repeated letter', 'aab', 'ab', true],
    ['to nothing', 'a', '', true],
    ['two to nothing', 'ab', '', false],
  ])('%s', (_, a, b, expected) => {
    expect([isOneTypoApart(a, b), isOneTypoApart(b, a)]).toEqual([expected, expected])
  })

  /** Everything that one typo makes of a word, by the definition. */
  function makeTypos(word: string, letters: string): Set<string> {
    const typos = new Set<string>()
    for (let at = 0; at <= word.length; at++) {
      const [before, after] = [word.slice(0, at), word.slice(at)]
      for (const letter of letters) typos.add(before + letter + after)
      if (after === '') continue
      typos.add(before + after.slice(1))
      for (const letter of letters) typos.add(before + letter + after.slice(1))
      if (after.length > 1) typos.add(before + after[1] + after[0] + after.slice(2))
    }
    typos.delete(word)
    return typos
  }

  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 })

  test('agrees with the definition, both ways round', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const expected = makeTypos(a, 'abc').has(b)
        expect([isOneTypoApart(a, b), isOneTypoApart(b, a)]).toEqual([expected, expected])
      }),
      { numRuns: 1000 },
    )
  })

  test('finds every typo of a word, and two words one typo apart share a key', () => {
    fc.assert(
      fc.property(word, (a) => {
        for (const b of makeTypos(a, 'abc')) {
          expect(isOneTypoApart(a, b)).toBe(true)
          expect(typoKeys(a).some((key) => typoKeys(b).includes(key))).toBe(true)
        }
      }),
      { numRuns: 100 },
    )
  })
})

test('the keys of a word are itself and itself without each one character, each once', () => {
  expect(typoKeys('abb').sort()).toEqual(['ab', 'abb', 'bb'])
})
