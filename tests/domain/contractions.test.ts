// Pins which words the search takes for contractions of others. docs/contract.md section 4.
import { describe, expect, test } from 'vitest'
import { hasNoVowels, isContraction, lacksVowelsOnly, wholeLengths } from '../../src/domain/search/contractions.ts'
import { Guesses, joinGuesses } from '../../src/domain/search/guesses.ts'

test.each([
  ['mgmt', 'management', true],
  ['dept', 'department', true],
  ['wknd', 'weekend', true],
  ['nwsltr', 'newsletter', true],
  ['img', 'image', true],
  ['prfrd', 'proofreading', true],
  ['wknd', 'wonderful', false],
  ['mgmt', 'augmentment', false],
  ['dpt', 'depose', false],
  ['tmp', 'parttemp', false],
])('%s for %s: %s', (word, whole, expected) => expect(isContraction(word, whole)).toBe(expected))

test.each([
  ['wknd', 'weekend', true],
  ['nwsltr', 'newsletter', true],
  ['img', 'image', true],
  ['mgmt', 'management', false],
])('%s lacks nothing but vowels of %s: %s', (word, whole, expected) =>
  expect(lacksVowelsOnly(word, whole)).toBe(expected),
)

test.each([
  ['img', true],
  ['prfrd', true],
  ['dept', false],
  ['style', false],
])('%s has no vowels behind its first letter: %s', (word, expected) => expect(hasNoVowels(word)).toBe(expected))

test.each([
  ['ab', []],
  ['abc', [4, 5, 6, 7, 8, 9, 10]],
  ['abcdefghij', [11, 12, 13, 14, 15, 16]],
  ['abcdefghijk', []],
  ['k8s', []],
  ['größe', []],
])('%s stands for words of %j letters', (word, lengths) => expect(wholeLengths(word)).toEqual(lengths))

describe('among the known words of a length', () => {
  test('those alone that it is a contraction of', () => {
    const words = ['weekend', 'wounded', 'weekday', 'pending']
    const found = [...joinGuesses(words)].flatMap(([length, joined]) =>
      new Guesses(length, joined).findContracted('wknd'),
    )
    expect(found).toEqual(['weekend'])
  })
})
