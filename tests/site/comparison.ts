// Tests the page that compares two versions.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { renderDifferenceLines } from '../../src/site/prompt/render-difference.ts'
import type { BuiltSite } from './built-site.ts'
import { COMPARE, CONTENT } from './hostile-content.ts'

/** Adds the tests. @param opened returns the site; called once the site is open */
export function testComparison(opened: () => BuiltSite): void {
  let site: BuiltSite
  beforeAll(() => {
    site = opened()
  })

  describe('comparison page', () => {
    const wordsOf = (page: Page, kind: string) =>
      page
        .locator(`.line.${kind} .words`)
        .evaluateAll((lines) => lines.map((line) => line.textContent.replace(/^(?:Removed|Added): /, '')))

    test('shows every byte as text', async () => {
      const { page, problems } = await site.open(COMPARE)
      expect(await page.locator('.for-callers .mark').textContent()).toBe('Breaking change')
      expect(await page.locator('.for-callers li').allTextContents()).toEqual([
        '+ Added required variables: strict free',
        '+ Added optional variables: language tone count',
        '! Added placeholder: x (without a declaration, so it stays as text)',
      ])
      expect(await wordsOf(page, 'removed')).toEqual(['bad'])
      expect(await wordsOf(page, 'added')).toEqual(CONTENT.split('\n').map((line) => line.replace(/\r$/, '')))
      expect(problems).toEqual([])
    })

    test('side by side, lines keep their order, and changed lines are next to each other', async () => {
      const { page } = await site.open(COMPARE)
      const [before, after] = ['a\nb\nc\nd\ne\nf\n', 'a\nB1\nB2\nc\nd\nE\nf\ng\n']
      const raw_url = 'https://hub.example/raw'
      const text = (content: string) => ({ version: '1.0.0', content, raw_url })
      const drawn = renderDifferenceLines(text(before), text(after))
      await page.locator('.lines').evaluate((section, html) => {
        section.outerHTML = html
      }, drawn)
      await page.getByText('Side by side').click()
      const places = await page.locator('.line').evaluateAll((lines) =>
        lines.map((line) => {
          const { x, y } = line.getBoundingClientRect()
          const words = line.querySelector('.words')?.textContent.replace(/^\w+: /, '') ?? ''
          return { words, x, y }
        }),
      )
      const leftmost = Math.min(...places.map(({ x }) => x))
      const column = (isRight: boolean) => places.filter(({ x }) => x > leftmost === isRight)
      const words = (rows: typeof places) => rows.toSorted((a, b) => a.y - b.y).map((row) => row.words)
      expect([words(column(false)), words(column(true))]).toEqual([
        ['a', 'b', 'c', 'd', 'e', 'f'],
        ['B1', 'B2', 'E', 'g'],
      ])
      const yOf = (text: string) => places.find((place) => place.words === text)!.y
      expect([yOf('b') === yOf('B1'), yOf('e') === yOf('E'), yOf('c') > yOf('B2')]).toEqual([true, true, true])
    })

    test('folds open, keys move between changes, and a difference in the final line break is said', async () => {
      const { page } = await site.open(COMPARE)
      const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
      const text = (content: string) => ({ version: content.endsWith('\n') ? '1.0.0' : '1.1.0', content, raw_url: '' })
      const [before, after] = [`first\n${lines.join('\n')}\nlast\n`, `FIRST\n${lines.join('\n')}\nLAST`]
      const drawn = renderDifferenceLines(text(before), text(after))
      await page.locator('.lines').evaluate((section, html) => {
        section.outerHTML = html
      }, drawn)
      expect(await page.locator('.notice').textContent()).toBe('1.0.0 ends with a line break, 1.1.0 does not.')
      await page.getByText('24 lines unchanged').click()
      expect(await page.getByText('line 15', { exact: true }).isVisible()).toBe(true)
      const focused = () => page.evaluate(() => document.activeElement?.textContent)
      await page.keyboard.press('n')
      expect(await focused()).toContain('FIRST')
      await page.keyboard.press('n')
      expect(await focused()).toContain('LAST')
      await page.keyboard.press('p')
      expect(await focused()).toContain('FIRST')
    })

    test('shows invisible characters', async () => {
      const { page } = await site.open('/mallory/unseen/compare/1.0.0...1.0.1')
      expect(
        await page
          .locator('.line.added .unseen')
          .evaluateAll((marks) => marks.map((mark) => (mark as HTMLElement).dataset.code)),
      ).toEqual(['U+200B', 'U+202E', 'U+202C', 'U+E0041'])
    })
  })
}
