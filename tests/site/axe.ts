// Runs axe on a page in light and dark mode, including the rule that targets must be at least 24 px in size.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The fields of an axe violation that the tests use. */
interface Violation {
  id: string
  nodes: { html: string; failureSummary?: string }[]
}

/** The rules whose outcome depends on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/**
 * Finds accessibility violations in light mode, and those of colours in dark mode if `isDarkToo`. @returns a sentence
 * for each violation
 */
export async function findViolations(page: Page, isDarkToo = true): Promise<{ inLight: string[]; inDark: string[] }> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  await page.emulateMedia({ colorScheme: 'light' })
  const inLight = await listViolations(page)
  if (!isDarkToo) return { inLight, inDark: [] }
  await page.emulateMedia({ colorScheme: 'dark' })
  return { inLight, inDark: await listViolations(page, OF_COLOURS) }
}

/**
 * Checks that a page fits a wide and a small screen, and that axe finds nothing on the small one.
 *
 * @param isDarkToo whether also in dark mode: once for each page, in the state with the most colours
 */
export async function expectUsable(page: Page, isDarkToo = true): Promise<void> {
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBe(width)
    if (width === 360) expect(await findViolations(page, isDarkToo), page.url()).toEqual({ inLight: [], inDark: [] })
  }
}

/**
 * Finds what keeps people from scrolling and tapping on the smallest window. Variables in the text of a prompt are as
 * high as its lines.
 */
export const findViolationsOfSize = (page: Page) =>
  listViolations(page, ['target-size', 'scrollable-region-focusable'], ['.content .chip'])

/** @param only the rules to run; all by default @param without selectors of what is not judged */
const listViolations = (page: Page, only?: string[], without: string[] = []) =>
  page.evaluate(
    async ({ only, without }) => {
      const run: (context: object, options: object) => Promise<{ violations: Violation[] }> = Reflect.get(
        Reflect.get(window, 'axe'),
        'run',
      )
      const { violations } = await run(
        { include: ['html'], exclude: without },
        {
          ...(only ? { runOnly: only } : { rules: { 'target-size': { enabled: true } } }),
          // Only violations are described, and no file is loaded again.
          resultTypes: ['violations'],
          preload: false,
        },
      )
      return violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(({ html, failureSummary }) => `${html.slice(0, 150)} ${failureSummary}`)
            .join(' | ')}`,
      )
    },
    { only, without },
  )
