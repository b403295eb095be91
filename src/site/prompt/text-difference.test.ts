// Tests which changed lines have their changed words marked: only those that are at least one-third unchanged,
// according to the diff library.
import { diffWordsWithSpace } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareTexts } from './text-difference.ts'

const word = fc.constantFrom('a', 'an', 'the', 'review', 'code', ',', '.', 'naïve', '漢字', '{{x}}', 'incomprehensible')
const line = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))

test('marks changed words exactly in lines of which at least a third stays the same', () => {
  const seen = new Set<boolean>()
  fc.assert(
    fc.property(line, line, (before, after) => {
      fc.pre(before !== after)
      const stays = diffWordsWithSpace(before, after).filter(({ added, removed }) => !added && !removed)
      const shared = stays.reduce((sum, { value }) => sum + value.trim().length, 0)
      const isMarked = shared * 3 >= Math.max(before.length, after.length)
      const went = compareTexts(before, after).filter(({ kind }) => kind === 'removed')
      const expected = isMarked
        ? diffWordsWithSpace(before, after).filter(({ added }) => !added)
        : [{ value: before, removed: false }]
      expect(went[0]!.pieces.map(({ text, isChanged }) => [text, isChanged])).toEqual(
        expected.map(({ value, removed }) => [value, removed]),
      )
      seen.add(isMarked)
    }),
    { numRuns: 500 },
  )
  expect(seen.size).toBe(2)
})
