// Checks that long texts do not produce huge pages: comparisons are shortened and link to both texts, and content has
// its own limit.
import { describe, expect, test } from 'vitest'
import { undeclaredVariable } from '../../src/domain/content/prompt-file.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { renderContent } from '../../src/site/prompt/prompt-text.ts'
import { renderDifferenceLines } from '../../src/site/prompt/render-difference.ts'

const MOST = LIMITS.contentBytes
const text = (version: string, content: string) => ({ version, content, raw_url: `https://hub.test/raw/${version}` })
const words = (seed: number) => {
  let state = seed
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return 'abc'[state % 3]
  }
  return Array.from({ length: 130 }, () => `${Array.from({ length: 990 }, next).join(' ')}\n`).join('')
}

describe('comparison of two versions', () => {
  //  case                               older                          newer
  test.each([
    ['one-letter lines', 'a\n'.repeat(MOST / 2), 'b\n'.repeat(MOST / 2)],
    ['invisible characters', '\u200b'.repeat(MOST / 3), '\u200c'.repeat(MOST / 3)],
    ['placeholders', '{{a}}'.repeat(MOST / 5), '{{b}}'.repeat(MOST / 5)],
    ['the maximum number of compared lines', 'a\n'.repeat(10_000), 'b\n'.repeat(10_000)],
  ])('limits a comparison of %s to 1 MB and links to both raw texts', (_, older, newer) => {
    const page = renderDifferenceLines(text('1.0.0', older), text('1.0.1', newer))
    expect(page.length).toBeLessThan(1_010_000)
    expect(page).toMatch(
      /^<p class="notice">(?:This comparison is long; only the beginning is shown|These texts are too long)/,
    )
    expect(page).toContain(
      '<a href="https://hub.test/raw/1.0.0">1.0.0</a>, <a href="https://hub.test/raw/1.0.1">1.0.1</a>',
    )
  })

  test('limits the marked words when lines differ in every word', () => {
    const page = renderDifferenceLines(text('1.0.0', words(1)), text('1.0.1', words(2)))
    expect(page.split('<div class="line ').length - 1).toBe(260)
    expect(page.split('<mark>').length).toBeLessThan(100_000)
  })

  test('shows a comparison of ordinary length in full, without links to the raw texts', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `Line ${index}\n`)
    const page = renderDifferenceLines(
      text('1.0.0', lines.join('')),
      text('1.0.1', lines.map((line) => `New ${line}`).join('')),
    )
    expect([page.includes('New</mark>') || page.includes('New '), page.includes('Line 499')]).toEqual([true, true])
    expect(page).not.toContain('https://hub.test/raw')
    expect(page).toContain('500 added, 500 removed')
  })
})

describe('prompt text', () => {
  test.each([
    ['invisible characters', '\u200b'.repeat(MOST / 3)],
    ['placeholders', '{{a}}'.repeat(MOST / 5)],
    ['one-letter lines', 'a\n'.repeat(MOST / 2)],
    ['escaped characters', '"'.repeat(MOST)],
  ])('renders %s in full within 2 MB', (_, content) => {
    const html = renderContent(content, [undeclaredVariable('a')], { isLinked: true })
    expect(html.length).toBeLessThan(2_000_000)
    expect(html.replaceAll(/<[^>]*>/g, '').replaceAll('&quot;', '"')).toBe(content)
  })
})
