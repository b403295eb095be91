// Checks that an external value is plain JSON within limits, and that the check itself cannot overflow.
import { expect, test } from 'vitest'
import { findJsonProblem } from '../../src/domain/text/json.ts'

function nested(levels: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value }
  return value
}

test.each([
  ['a scalar', 'x', 0, undefined],
  ['an empty object', {}, 1, undefined],
  ['as deep as may be', nested(32), 32, undefined],
  ['one deeper', nested(33), 32, 'expected at most 32 levels'],
  ['100,000 levels', nested(100_000), 32, 'expected at most 32 levels'],
  ['wide, not deep', Array.from({ length: 100_000 }, () => [1]), 2, undefined],
  ['infinity', [Number.POSITIVE_INFINITY], 2, 'expected numbers that JSON can write'],
  ['no number', { a: Number.NaN }, 2, 'expected numbers that JSON can write'],
  ['a big integer', [1n], 2, 'expected values that JSON can write'],
  ['nothing', [undefined], 2, 'expected values that JSON can write'],
  ['half a surrogate pair', ['\ud800'], 2, 'expected well-formed Unicode, without lone surrogates'],
  ['half a surrogate pair in a key', { '\udc00': 1 }, 2, 'expected well-formed Unicode, without lone surrogates'],
  ['a key __proto__', JSON.parse('[{"__proto__": 1}]'), 3, 'expected no key named __proto__'],
  ['other keys that objects inherit', { constructor: 1, toString: 2 }, 1, undefined],
])('%s', (_, value, levels, problem) => expect(findJsonProblem(value, { depth: levels })).toBe(problem))

test.each([
  ['as many keys as may be', { a: 1, b: { c: [{ d: 1 }] } }, undefined],
  ['one more, further in', { a: 1, b: { c: [{ d: 1, e: 1 }] } }, 'expected at most 4 keys in all'],
  ['places in a list are no keys', { a: [1, 2, 3, 4, 5, 6] }, undefined],
])('%s', (_, value, problem) => expect(findJsonProblem(value, { depth: 9, keys: 4 })).toBe(problem))
