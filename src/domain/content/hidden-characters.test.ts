// Tests which characters a page displays as code points: exactly the listed characters, at any position in a string.
import { expect, test } from 'vitest'
import { countHidden, splitHidden } from './hidden-characters.ts'

/** The first and last code point of each range. */
const SHOWN = [
  ...['0000-0008', '000B-000C', '000E-001F', '007F-009F', '00AD-00AD', '034F-034F', '061C-061C', '115F-1160'],
  ...['17B4-17B5', '180B-180F', '200B-200F', '2028-202E', '2060-206F', '2800-2800', '3164-3164', 'FEFF-FEFF'],
  ...['FFA0-FFA0', 'FFF0-FFFB', '1BCA0-1BCA3', '1D173-1D17A', 'E0000-E0FFF'],
]

test('counts every hidden character, whatever precedes it', () => {
  /** Adds the ranges of what is counted: a range without anything is counted at once. */
  const listCounted = (before: string, from: number, to: number, found: number[][]): number[][] => {
    const characters = Array.from({ length: to - from }, (_, at) => String.fromCodePoint(from + at))
    if (countHidden(characters.map((character) => `${before}${character}z`).join('')) === 0) return found
    if (to - from > 1) {
      const middle = (from + to) >> 1
      return listCounted(before, middle, to, listCounted(before, from, middle, found))
    }
    if (found.at(-1)?.[1] === from - 1) found.at(-1)![1] = from
    else found.push([from, from])
    return found
  }
  for (const before of ['', 'ä–']) {
    const found: number[][] = []
    for (let from = 0; from < 0x110000; from += 1_024) listCounted(before, from, from + 1_024, found)
    expect(found.map((range) => range.map((end) => end.toString(16).toUpperCase().padStart(4, '0')).join('-'))).toEqual(
      SHOWN,
    )
  }
})

test('shows every variation selector in a row except the first, which an emoji may have', () => {
  expect(countHidden('❤\uFE0F ☺\uFE0E')).toBe(0)
  expect(countHidden('a\uFE00\uFE01\uFE02')).toBe(2)
  expect(countHidden('a\u{E0100}\uFE01')).toBe(2)
})

test('leaves emoji and scripts that need such characters as they are', () => {
  const text = 'می\u200cخواهم 👩\u200d👩\u200d👧 क\u200dष ⠁\u2800⠂'
  expect(countHidden(text)).toBe(0)
  expect(splitHidden(text)).toEqual([{ text }])
  // Two in a row are never needed, and neither are joiners between Latin letters.
  expect(countHidden('می\u200c\u200cخ')).toBe(2)
  expect(splitHidden('👩\u200d💻a\u200db')).toEqual([
    { text: '👩\u200d💻a' },
    { text: '\u200d', code: 'U+200D' },
    { text: 'b' },
  ])
})

test('splits a text at hidden characters without losing any of it', () => {
  const text = 'ä\u200Bb \u{1F600}\u{E0041}\uD83D'
  expect(splitHidden(text)).toEqual([
    { text: 'ä' },
    { text: '\u200B', code: 'U+200B' },
    { text: 'b \u{1F600}' },
    { text: '\u{E0041}', code: 'U+E0041' },
    { text: '\uD83D' },
  ])
  expect(splitHidden('plain')).toEqual([{ text: 'plain' }])
  expect(splitHidden('')).toEqual([])
})
