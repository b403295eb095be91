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

/** All rules, or all but those of colours, which take most of the time. */
const RULES = { 'target-size': { enabled: true } }
const RULES_WITHOUT_COLOURS = {
  ...RULES,
  ...Object.fromEntries(OF_COLOURS.map((rule) => [rule, { enabled: false }])),
}

/** Finds accessibility violations; those of colours in light and dark mode, if `hasColours`. @returns a sentence for each */
export async function findViolations(page: Page, hasColours = true): Promise<{ inLight: string[]; inDark: string[] }> {
  await page.emulateMedia({ colorScheme: 'light' })
  const inLight = await listViolations(page, { rules: hasColours ? RULES : RULES_WITHOUT_COLOURS })
  if (!hasColours) return { inLight, inDark: [] }
  await page.emulateMedia({ colorScheme: 'dark' })
  return { inLight, inDark: await listViolations(page, { runOnly: OF_COLOURS }) }
}

/**
 * Checks that a page fits a wide and a small screen, and that axe finds nothing on the small one.
 *
 * @param hasColours whether colours are judged too: once for each page, in the state that has the most
 */
export async function expectUsable(page: Page, hasColours = true): Promise<void> {
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBe(width)
    if (width === 360) expect(await findViolations(page, hasColours), page.url()).toEqual({ inLight: [], inDark: [] })
  }
}

/**
 * Finds what keeps people from scrolling and tapping on the smallest window. Variables in the text of a prompt are as
 * high as its lines.
 */
export const findViolationsOfSize = (page: Page) =>
  listViolations(page, { runOnly: ['target-size', 'scrollable-region-focusable'] }, ['.content .chip'])

/** @param choice which rules to run @param without selectors of what is not judged */
async function listViolations(page: Page, choice: object, without: string[] = []): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  return page.evaluate(
    async ({ choice, without }) => {
      const run: (context: object, options: object) => Promise<{ violations: Violation[] }> = Reflect.get(
        Reflect.get(window, 'axe'),
        'run',
      )
      const { violations } = await run(
        { include: ['html'], exclude: without },
        {
          ...choice,
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
    { choice, without },
  )
}
