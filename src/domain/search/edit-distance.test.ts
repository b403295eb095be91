// Tests which typos the search tolerates: how many per word, and how they are counted. See docs/contract.md section 4.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countTypos, maxTypos } from './edit-distance.ts'

test.each([
  ['abc', 0],
  ['abcd', 1],
  ['abcdefg', 1],
  ['abcdefgh', 2],
  ['a'.repeat(32), 2],
  ['a'.repeat(33), 0],
])('number of typos allowed in %s: %i', (word, expected) => expect(maxTypos(word)).toBe(expected))

describe('counting typos between two words', () => {
  test.each([
    ['the same word', 'review', 'review', 0],
    ['a letter added at the end', 'review', 'revieww', 1],
    ['a letter added at the start', 'review', 'xreview', 1],
    ['a letter left out', 'review', 'rview', 1],
    ['a letter changed', 'review', 'reviaw', 1],
    ['two adjacent letters swapped', 'review', 'reivew', 1],
    ['two letters changed', 'review', 'raviaw', 2],
    ['two non-adjacent letters swapped', 'review', 'veriew', 2],
    ['two letters added', 'review', 'reviewer', 2],
    ['one letter added and one changed', 'review', 'raviews', 2],
    ['three letters changed', 'review', 'raviaws', 3],
    ['many letters changed', 'review', 'poem', 3],
    ['a repeated letter', 'aab', 'ab', 1],
    ['one letter to nothing', 'a', '', 1],
    ['two letters to nothing', 'ab', '', 2],
  ])('%s', (_, a, b, expected) => {
    expect([countTypos(a, b, 2), countTypos(b, a, 2)]).toEqual([expected, expected])
  })

  /** Returns every string that is one typo away from a word, according to the definition of a typo. */
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

  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 })

  test('counts exactly one typo as defined, in both directions', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const expected = makeTypos(a, 'abc').has(b)
        expect([countTypos(a, b, 1) === 1, countTypos(b, a, 1) === 1]).toEqual([expected, expected])
      }),
      { numRuns: 1000 },
    )
  })
})
