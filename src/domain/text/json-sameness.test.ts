// Checks that two values are equal exactly when their canonical forms are.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, isSameJson } from './json.ts'

test.each([
  ['keys in another order', { a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 }, true],
  ['an array and an object', [], {}, false],
  ['null and an empty array', null, [], false],
  ['a number and a string', 1, '1', false],
  ['a longer array', ['a'], ['a', 'b'], false],
  ['an array in another order', ['a', 'b'], ['b', 'a'], false],
])('%s', (_, a, b, expected) => {
  expect(isSameJson(a, b)).toBe(expected)
  expect(isSameJson(b, a)).toBe(expected)
})

test('two values are the same exactly when their canonical JSON is the same', () => {
  // Only a few distinct leaves are used, so that many pairs are equal.
  const leaf = fc.constantFrom(null, true, 0, 1, '', 'a')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('value')),
    ),
  }))
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(isSameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b))
      expect(isSameJson(a, structuredClone(a))).toBe(true)
    }),
  )
})
