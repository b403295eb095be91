// Pins that a page of the smallest numbers is the same part of all of them in order.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sliceSorted } from '../../src/domain/search/smallest.ts'

test('a page is that part of all in order, whatever the numbers are', () => {
  const few = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 })
  const many = fc.array(fc.double({ noNaN: true, min: 0 }), { maxLength: 60 })
  fc.assert(
    fc.property(fc.oneof(few, many), fc.nat(70), fc.nat(70), (numbers, from, count) => {
      const sorted = Float64Array.from(numbers).sort()
      expect(sliceSorted(Float64Array.from(numbers), from, from + count)).toEqual(sorted.slice(from, from + count))
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['ascending', (index: number) => index],
  ['descending', (index: number) => -index],
  ['all the same', () => 7],
])('a hundred thousand that are %s', (_, make) => {
  const numbers = Float64Array.from({ length: 100_000 }, (_, index) => make(index))
  expect(sliceSorted(numbers.slice(), 50_000, 50_003)).toEqual(numbers.toSorted().slice(50_000, 50_003))
})
