// Checks that an external value is plain JSON within limits, and that the check itself does not overflow the stack.
import { expect, test } from 'vitest'
import { findJsonProblem } from './json.ts'

function nested(levels: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value }
  return value
}

test.each([
  ['a scalar', 'x', 0, undefined],
  ['an empty object', {}, 1, undefined],
  ['exactly at the depth limit', nested(32), 32, undefined],
  ['one level too deep', nested(33), 32, 'expected at most 32 levels'],
  ['100,000 levels of nesting', nested(100_000), 32, 'expected at most 32 levels'],
  ['wide, not deep', Array.from({ length: 100_000 }, () => [1]), 2, undefined],
  ['infinity', [Number.POSITIVE_INFINITY], 2, 'expected numbers that JSON can represent'],
  ['NaN', { a: Number.NaN }, 2, 'expected numbers that JSON can represent'],
  ['a BigInt', [1n], 2, 'expected values that JSON can represent'],
  ['undefined', [undefined], 2, 'expected values that JSON can represent'],
  ['a lone surrogate', ['\ud800'], 2, 'expected well-formed Unicode, without lone surrogates'],
  ['a lone surrogate in a key', { '\udc00': 1 }, 2, 'expected well-formed Unicode, without lone surrogates'],
  ['a key __proto__', JSON.parse('[{"__proto__": 1}]'), 3, 'expected no key named __proto__'],
  ['other inherited property names', { constructor: 1, toString: 2 }, 1, undefined],
])('%s', (_, value, levels, problem) => expect(findJsonProblem(value, { depth: levels })).toBe(problem))

test.each([
  ['exactly at the key limit', { a: 1, b: { c: [{ d: 1 }] } }, undefined],
  ['one key too many, nested', { a: 1, b: { c: [{ d: 1, e: 1 }] } }, 'expected at most 4 keys in total'],
  ['array items are not keys', { a: [1, 2, 3, 4, 5, 6] }, undefined],
])('%s', (_, value, problem) => expect(findJsonProblem(value, { depth: 9, keys: 4 })).toBe(problem))
