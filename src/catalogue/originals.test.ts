// Tests that copies never stand before their originals. See docs/contract.md section 5.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findOriginals, type PossibleCopy, placeCopies } from './originals.ts'

const prompt = (
  full_name: string,
  created: number,
  words: string | null,
  fork: string | null = null,
): PossibleCopy => ({
  summary: { full_name, created_at: `2026-01-${String(created).padStart(2, '0')}T00:00:00Z`, forked_from: fork },
  words,
})

describe('originals', () => {
  test.each<[string, PossibleCopy[], [string, string[]][]]>([
    ['a fork', [prompt('b/x', 2, null, 'a/x@1.0.0'), prompt('a/x', 1, null)], [['b/x', ['a/x']]]],
    ['a fork of a prompt that is not listed', [prompt('b/x', 2, null, 'a/x@1.0.0')], []],
    [
      'the same words',
      [prompt('b/x', 2, 'w'), prompt('a/x', 1, 'w'), prompt('c/x', 3, 'w')],
      [
        ['b/x', ['a/x']],
        ['c/x', ['a/x']],
      ],
    ],
    ['the same words at the same time', [prompt('b/x', 1, 'w'), prompt('a/x', 1, 'w')], [['b/x', ['a/x']]]],
    ['prompts that are too short to compare', [prompt('b/x', 2, null), prompt('a/x', 1, null)], []],
    [
      'a fork with the words of a third prompt',
      [prompt('b/x', 2, 'w', 'a/x@1.0.0'), prompt('a/x', 1, 'v'), prompt('c/x', 1, 'w')],
      [['b/x', ['a/x', 'c/x']]],
    ],
    ['a prompt that claims to be its own fork', [prompt('a/x', 1, null, 'a/x@1.0.0')], []],
  ])('%s', (_, prompts, expected) => expect([...findOriginals(prompts)]).toEqual(expected))
})

describe('places of copies', () => {
  test.each([
    ['a copy before its original', 'badc', { b: 'a' }, 'abdc'],
    ['a copy behind its original stays', 'acb', { b: 'a' }, 'acb'],
    ['a copy of a copy', 'cba', { c: 'b', b: 'a' }, 'abc'],
    ['several copies keep their order', 'dcba', { d: 'a', c: 'a', b: 'a' }, 'adcb'],
    ['a copy of two prompts', 'cxab', { c: 'ab' }, 'xabc'],
    ['forks of each other keep their order', 'bxa', { a: 'b', b: 'a' }, 'xba'],
  ])('%s', (_, items, originals: Record<string, string>, expected) => {
    expect(placeCopies([...items], (item) => [...(originals[item] ?? '')]).join('')).toBe(expected)
  })

  test('for any order, no copy stands before an original, and nothing is lost', () => {
    const orders = fc.uniqueArray(fc.nat(30)).chain((items) =>
      fc.record({
        items: fc.constant(items),
        links: fc.array(fc.tuple(fc.nat(30), fc.nat(30)).filter(([copy, original]) => copy > original)),
      }),
    )
    fc.assert(
      fc.property(orders, ({ items, links }) => {
        const placed = placeCopies(items, (item) =>
          links.flatMap(([copy, original]) => (copy === item ? original : [])),
        )
        expect([...placed].sort()).toEqual([...items].sort())
        for (const [copy, original] of links)
          if (placed.includes(copy) && placed.includes(original))
            expect(placed.indexOf(original)).toBeLessThan(placed.indexOf(copy))
        const copies = new Set(links.map(([copy]) => copy))
        const others = (list: number[]) => list.filter((item) => !copies.has(item))
        expect(others(placed)).toEqual(others(items))
      }),
    )
  })

  test('a hundred thousand copies of one prompt', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => 100_000 - index)
    expect(placeCopies(items, (item) => (item === 1 ? [] : [1])).slice(0, 2)).toEqual([1, 100_000])
  })
})
