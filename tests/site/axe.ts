// Runs axe on a page in light and dark mode, including the rule that targets must be at least 24 px in size.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The fields of an axe violation that the tests use. */
interface Violation {
  id: string
  nodes: { html: string; failureSummary?: string }[]
}

/**
 * Finds accessibility violations in both colour schemes, and leaves the page in dark mode. @returns a sentence for each
 * violation
 */
export async function findViolations(page: Page): Promise<{ inLight: string[]; inDark: string[] }> {
  await page.evaluate(axe)
  await page.emulateMedia({ colorScheme: 'light' })
  const inLight = await listViolations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  return { inLight, inDark: await listViolations(page) }
}

const listViolations = (page: Page) =>
  page.evaluate(async () => {
    const run: (context: Document, options: object) => Promise<{ violations: Violation[] }> = Reflect.get(
      Reflect.get(window, 'axe'),
      'run',
    )
    const { violations } = await run(document, { rules: { 'target-size': { enabled: true } } })
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html, failureSummary }) => `${html.slice(0, 150)} ${failureSummary}`)
          .join(' | ')}`,
    )
  })
