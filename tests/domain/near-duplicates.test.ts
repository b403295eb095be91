// Pins which texts are said to be nearly the same, and that few of them are read again to tell.
import { expect, test } from 'vitest'
import { openTextMarks } from '../../src/domain/review/near-duplicates.ts'

/** So many words that nobody else uses, from one seed on. */
const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, at) => `w${(Math.imul(seed * 1_000 + at + 1, 2_654_435_761) >>> 0).toString(36)}`)
const text = (seed: number, count = 60) => words(seed, count).join(' ')
/** Each changed word takes four runs with it. */
const changed = (of: string, times: number) =>
  of
    .split(' ')
    .map((word, at) => (at % 20 === 10 && at / 20 < times ? 'other' : word))
    .join(' ')

function find(texts: Record<string, string>, unwanted: readonly string[] = []) {
  const marks = openTextMarks()
  const reads: string[] = []
  for (const [name, one] of Object.entries(texts)) marks.add(name, one, !unwanted.includes(name))
  const found = marks.find((name) => {
    reads.push(name)
    return texts[name]!
  })
  return { found: found.map(({ of, name, share, isWanted }) => [of, name, Number(share.toFixed(2)), isWanted]), reads }
}

test('a later text names the earlier one that it resembles most', () => {
  const a = text(1, 200)
  expect(find({ a, b: text(2, 200), c: changed(a, 3), d: changed(a, 1) }).found).toEqual([
    ['c', 'a', 0.9, true],
    ['d', 'a', 0.98, true],
  ])
})

test('upper case, signs and lines are no difference', () => {
  expect(find({ a: text(1), b: `${text(1).toUpperCase().replaceAll(' ', ',\n')}!` }).found).toEqual([
    ['b', 'a', 1, true],
  ])
})

test('half a text in common is none, nor are fewer than twenty words', () => {
  expect(find({ a: text(1, 40), b: `${text(1, 20)} ${text(2, 20)}`, c: text(3, 19), d: text(3, 19) }).found).toEqual([])
})

test('what nobody asks about is not compared, but compared with', () => {
  const texts = { a: text(1), b: text(1), c: text(1) }
  expect(find(texts, ['a', 'b', 'c'])).toEqual({ found: [], reads: [] })
  expect(find(texts, ['b', 'c']).found).toEqual([
    ['b', 'a', 1, false],
    ['c', 'a', 1, false],
  ])
})

test('of a thousand texts with one word changed in a hundred, every one is found; of a thousand others, none is read', () => {
  const names = Array.from({ length: 1_000 }, (_, seed) => seed)
  const others = Object.fromEntries(names.map((seed) => [`a${seed}`, text(seed + 10, 100)]))
  const copies = Object.fromEntries(names.map((seed) => [`b${seed}`, changed(text(seed + 10, 100), 1)]))
  expect(find(others)).toEqual({ found: [], reads: [] })
  expect(find({ ...others, ...copies }).found.map(([of, name]) => `${of} ${name}`)).toEqual(
    names.map((seed) => `b${seed} a${seed}`),
  )
})

test('a thousand copies of one text are read once each', () => {
  const copies = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`n${at}`, text(1)]))
  const { found, reads } = find(copies)
  expect(found).toHaveLength(999)
  expect(reads).toHaveLength(1_000)
})
