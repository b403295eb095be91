// Checks how JSON text is measured: keys and nesting levels are counted as a parser would count them, and no text makes
// this slow or fail.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonExcess } from './json.ts'

const known = new Set(['content', 'parameters'])
const bounds = { known, unknown: 2, keys: 3, values: 4, depth: 2 }

test.each([
  ['an empty text', '', undefined],
  ['an empty object', '{}', undefined],
  ['too deep', '{"parameters":{"a":1,"b":{"c":[]}}}', { kind: 'depth', field: 'parameters' }],
  ['exactly at the depth limit', '{"parameters":{"a":{}}}', undefined],
  ['exactly at the key limit', '{"parameters":{"a":1,"b":1,"c":1}}', undefined],
  ['one key too many', '{"parameters":{"a":1,"b":1,"c":1,"d":1}}', { kind: 'keys', field: 'parameters' }],
  [
    'one key too many, in a duplicate field',
    '{"parameters":{"a":1,"b":1},"parameters":{"a":1,"b":1}}',
    { kind: 'keys', field: 'parameters' },
  ],
  ['exactly at the value limit', '{"parameters":[1,1,1,1]}', undefined],
  ['one value too many', '{"parameters":[1,1,1,1,1]}', { kind: 'values', field: 'parameters' }],
  ['empty arrays count as values', '{"parameters":[[],[]]}', undefined],
  ['too many empty arrays', '{"parameters":[[],[],[]]}', { kind: 'values', field: 'parameters' }],
  ['brackets inside a string', '{"content":"[[[[{:,:,:,:,:,:"}', undefined],
  ['brackets after an escaped quote', '{"content":"\\"[[[[::::"}', undefined],
  ['brackets after an escaped backslash', '{"content":"\\\\","parameters":[[[', { kind: 'depth', field: 'parameters' }],
  ['exactly at the limit of unknown fields', '{"a":1,"b":1}', undefined],
  ['three unknown fields', '{"a":1,"b":1,"c":{}}', { kind: 'unknown', names: ['a', 'b'], count: 3 }],
  ['an unknown field with too much nesting', '{"a":[[[[', { kind: 'unknown', names: ['a'], count: 1 }],
  ['an array instead of an object', '[[[[', { kind: 'depth', field: '' }],
  ['an unterminated string', '{"content":"[[[[', undefined],
  ['more closing than opening brackets', ']]]]{"a":1}', undefined],
])('%s', (_, text, excess) => expect(findJsonExcess(text, bounds)).toEqual(excess))

/** Returns the number of keys and levels, as counted by a parser. */
function measure(value: unknown): { keys: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { keys: 0, depth: 0 }
  const inner = Object.values(value).map(measure)
  return {
    keys: inner.reduce((sum, { keys }) => sum + keys, Array.isArray(value) ? 0 : Object.keys(value).length),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  }
}

test('counts the keys and levels of the parsed value, whatever its indentation', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(2), (value, indent) => {
      const { keys, depth } = measure(value)
      const text = JSON.stringify({ parameters: value }, null, indent)
      const most = { known, unknown: 0, values: 1_000_000 }
      expect(findJsonExcess(text, { ...most, keys, depth })).toBeUndefined()
      if (keys > 0)
        expect(findJsonExcess(text, { ...most, keys: keys - 1, depth })).toEqual({ kind: 'keys', field: 'parameters' })
      if (depth > 0)
        expect(findJsonExcess(text, { ...most, keys, depth: depth - 1 })).toEqual({
          kind: 'depth',
          field: 'parameters',
        })
    }),
  )
})

test('does not throw for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]:,"\\a ') }), (text) => {
      expect(() => findJsonExcess(text, bounds)).not.toThrow()
    }),
  )
})
