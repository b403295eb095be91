// Tests the order of an import whose prompts insert each other.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderImport } from './import-order.ts'

const promptOf = (name: string, targets: readonly string[]) => ({
  knownAs: [name],
  references: targets.map((to) => ({ tag: `{{> ${to}}}`, to })),
})
const namesOf = (prompts: readonly unknown[]) => prompts.map((_, index) => `acme/${index}`)

test('a chain of 20,000 prompts is ordered from its end', () => {
  const length = 20_000
  const chain = Array.from({ length }, (_, index) => promptOf(`p${index}`, [`p${index + 1}`]))
  const { order } = orderImport(chain, namesOf(chain))
  expect([order.length, order[0], order.at(-1)]).toEqual([length, length - 1, 0])
})

test('every prompt has one place, and a reference is found only after its prompt, whatever names what', () => {
  const name = fc.integer({ min: 0, max: 9 }).map((number) => `p${number}`)
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.array(name, { maxLength: 4 })), { maxLength: 12 }), (given) => {
      const prompts = given.map(([own, targets]) => promptOf(own, targets))
      const { order, find, isLater } = orderImport(prompts, namesOf(prompts))
      expect(order.toSorted((a, b) => a - b)).toEqual([...prompts.keys()])
      for (const [index, { references }] of prompts.entries())
        for (const reference of references) {
          const target = find(reference, index)
          if (target !== undefined) expect(order.indexOf(target)).toBeLessThan(order.indexOf(index))
          const first = prompts.findIndex(({ knownAs }) => knownAs[0] === reference.to)
          expect(isLater(reference.to, index)).toBe(target === undefined && first !== -1 && first !== index)
        }
    }),
  )
})

test('without a circle, every reference is found', () => {
  const prompts = [promptOf('a', ['b', 'c']), promptOf('b', ['c']), promptOf('c', [])]
  const { order, find } = orderImport(prompts, namesOf(prompts))
  expect(order).toEqual([2, 1, 0])
  expect(prompts[0]!.references.map((reference) => find(reference, 0))).toEqual([1, 2])
})
