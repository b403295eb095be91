// Tests how a query is parsed: into a limited number of groups of quoted terms, whatever the input and however large
// the index. See docs/contract.md section 4.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatGroup, readQuery, type Vocabulary } from './query.ts'

/** Returns a vocabulary that contains every word, and has many completions and synonyms for each. */
const knowing = (prompts: number): Vocabulary => ({
  countPrompts: () => prompts,
  hasWord: () => true,
  completePrefix: (prefix, most) => Array.from({ length: most }, (_, index) => `${prefix}${index}`),
  correctTypo: (word) => [`${word}0`],
  listEquivalents: (key) => Array.from({ length: 200 }, (_, index) => `${key.replaceAll(' ', '')} x${index}`),
})
const ignorant: Vocabulary = {
  countPrompts: () => 0,
  hasWord: () => false,
  completePrefix: () => [],
  correctTypo: () => [],
  listEquivalents: () => [],
}
const anyQuestion = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: fc.constantFrom(...'ab -"*^:(){}+.,~\0代码é'), maxLength: 200 }),
  fc
    .array(fc.constantFrom('NEAR(a b)', 'title:', '"', 'AND', 'NOT', '*', 'review', 'code-review', '\0'), {
      maxLength: 20,
    })
    .map((parts) => parts.join(' ')),
)

test.each([1, 1_000, 100_000])(
  'limits groups, alternatives and index entries when each word is in %i prompts',
  (prompts) => {
    fc.assert(
      fc.property(anyQuestion, (text) => {
        const groups = readQuery(text, knowing(prompts))?.groups ?? []
        expect(groups.length).toBeLessThanOrEqual(12)
        for (const { alternatives } of groups) expect(alternatives.length).toBeLessThanOrEqual(24)
        const entries = groups.flatMap(({ alternatives }) =>
          alternatives.map((one) => one.prompts * one.phrase.split(' ').length),
        )
        expect(entries.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(250_000)
      }),
    )
  },
)

test('turns any input into quoted terms only', () => {
  fc.assert(
    fc.property(anyQuestion, (text) => {
      for (const group of readQuery(text, knowing(10))?.groups ?? [])
        expect(formatGroup(group)).toMatch(
          /^\("[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*"(?: OR "[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*")*\)$/u,
        )
    }),
    // A radical is a symbol of the script of ideographs.
    { examples: [['⺀']] },
  )
})

test('ignores unknown words and lists each of them once', () => {
  fc.assert(
    fc.property(anyQuestion, (text) => {
      const read = readQuery(text, ignorant)
      expect(read?.groups ?? []).toEqual([])
      expect(new Set(read?.ignored).size).toBe(read?.ignored.length ?? 0)
    }),
  )
})

test('lists words beyond the limits as ignored', () => {
  const words = Array.from('abcdefghijklmnopqrstuvwx', (letter) => letter.repeat(3))
  const read = readQuery(
    `${words.slice(0, 8).join('-')} ${words.slice(8, 16).join('-')} ${words.slice(16).join('-')}`,
    knowing(10),
  )
  expect(read?.groups).toHaveLength(12)
  expect(read?.ignored).toHaveLength(12)
})
