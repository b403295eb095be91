// Tests every kind of page in a browser: nothing hostile runs, and each page is accessible, small, valid HTML, and
// usable without JavaScript.
import { HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HEADER_RULES } from '../../src/domain/api/site-headers.ts'
import { findViolations, findViolationsOfSize } from './axe.ts'
import type { BuiltSite, OpenPage } from './built-site.ts'
import { COMPARE, MARKER, REPOSITORY } from './hostile-content.ts'

/** One page of each kind. */
const KINDS = [
  ...['/', '/tags', '/docs', '/docs/api', '/docs/cli', '/mallory', '/judy', '/settings', '/nobody/here'],
  ...[REPOSITORY, `${REPOSITORY}/v/1.0.1`, COMPARE, '/mallory/unseen', '/trent/long', '/search?q=hostile'],
]

/** Those whose elements other pages have too: only their size depends on their content. */
const AGAIN = ['/judy', '/mallory/unseen']

/** Those which together have every colour. */
const COLOURFUL = [
  '/',
  '/docs/api',
  '/docs/cli',
  '/mallory',
  REPOSITORY,
  `${REPOSITORY}/v/1.0.1`,
  COMPARE,
  '/search?q=hostile',
]

/** Other pages of those kinds, which have other elements. */
const OTHERS = [
  ...['/docs/publishing', '/docs/content-rules', '/tags/many/2', `${REPOSITORY}/dependents`, `${REPOSITORY}/forks`],
  ...['/mallory/gone', '/mallory/old', '/search?q=nothingofthatkind', '/trent/long/v/999999.999999.999999'],
]

/** Leaves every eighth of many elements that are alike, because axe takes its time for each. */
const thinOut = (page: Page) =>
  page.evaluate(() => {
    for (const kind of ['article.route', '.row'])
      for (const [at, one] of document.querySelectorAll(kind).entries()) if (at % 8 > 0) one.remove()
  })

const validate = new HtmlValidate({
  extends: ['html-validate:recommended'],
  // The rule counts `&lt;` as four characters; a test below measures titles in the browser.
  rules: { 'no-inline-style': 'error', 'long-title': 'off' },
})

/** Adds the tests. @param opened returns the site; called once the site is open */
export function testEveryPage(opened: () => BuiltSite): void {
  let site: BuiltSite
  beforeAll(() => {
    site = opened()
  })

  describe('in a browser', () => {
    // One tab opens all pages, because a tab of its own is a new process of the browser.
    let tab: OpenPage
    beforeAll(async () => {
      tab = await site.open('/', { reducedMotion: 'reduce' })
    })
    afterAll(() => tab?.page.context().close())

    test.each(KINDS)(
      '%s: runs nothing hostile, has nothing inline or external, is accessible, and fits a small screen',
      async (path) => {
        const { page, problems, goTo } = tab
        await page.setViewportSize({ width: 1280, height: 720 })
        await goTo(path)
        const ran = await page.evaluate((marker) => Reflect.get(window, marker), MARKER)
        const inlineParts = await page
          .locator('style, script:not([src^="/assets/"], [type="application/ld+json"])')
          .count()
        const inlineAttributes = await page.evaluate(() =>
          [...document.querySelectorAll('*')].flatMap(({ attributes }) =>
            [...attributes].map(({ name }) => name).filter((name) => name === 'style' || name.startsWith('on')),
          ),
        )
        // A window of 1,280 px at a zoom of 400 %, which is also that of small telephones (WCAG 1.4.10).
        await page.setViewportSize({ width: 320, height: 640 })
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        const ofSize = await findViolationsOfSize(page)
        // A telephone on which text is twice as large (WCAG 1.4.4).
        await page.setViewportSize({ width: 360, height: 640 })
        const enlarged = await page.evaluate(() => {
          document.documentElement.style.fontSize = '200%'
          return document.documentElement.scrollWidth
        })
        await page.evaluate(() => {
          document.documentElement.style.fontSize = ''
        })
        await page.setViewportSize({ width: 1280, height: 720 })
        await thinOut(page)
        const { inLight, inDark } = AGAIN.includes(path)
          ? { inLight: [], inDark: [] }
          : await findViolations(page, COLOURFUL.includes(path))
        const isTitleShort = (await page.title()).length <= 70
        const wrong = problems.filter((problem) => !(path === '/nobody/here' && problem.includes('404')))
        expect({
          ran,
          inlineParts,
          inlineAttributes,
          inLight,
          inDark,
          width,
          enlarged,
          ofSize,
          wrong,
          isTitleShort,
        }).toEqual({
          ran: undefined,
          inlineParts: 0,
          inlineAttributes: [],
          inLight: [],
          inDark: [],
          width: 320,
          enlarged: 360,
          ofSize: [],
          wrong: [],
          isTitleShort: true,
        })
      },
    )

    test('has a strict Content-Security-Policy, also on rendered pages', async () => {
      const rule = HEADER_RULES[0]?.headers['Content-Security-Policy']
      expect(rule).not.toContain('unsafe')
      for (const path of ['/', '/search?q=x', '/nobody/here'])
        expect((await fetch(site.origin + path)).headers.get('Content-Security-Policy')).toBe(rule)
    })

    //  page                bytes transferred, compressed, with the font and the icon
    test.each([
      ['/', 60_000],
      [REPOSITORY, 50_000],
      [COMPARE, 50_000],
    ])('%s transfers at most %i bytes', async (path, most) => {
      const page = await (await site.browser.newContext()).newPage()
      const sizes = new Map<string, Promise<number>>()
      page.on('requestfinished', (request) =>
        sizes.set(
          new URL(request.url()).pathname,
          request.sizes().then(({ responseBodySize }) => responseBodySize),
        ),
      )
      await page.goto(site.origin + path, { timeout: 0 })
      // A browser without a window does not load the icon, one with a window does.
      const icon = await page.locator('link[rel=icon]').getAttribute('href')
      if (!sizes.has(icon!)) await page.evaluate(async (href) => (await fetch(href!)).arrayBuffer(), icon)
      await expect.poll(() => [...sizes.keys()]).toContain(icon)
      const weighed = Object.fromEntries(
        await Promise.all([...sizes].map(async ([file, size]): Promise<[string, number]> => [file, await size])),
      )
      expect(Object.keys(weighed).length).toBeGreaterThan(5)
      expect(
        Object.values(weighed).reduce((sum, size) => sum + size, 0),
        JSON.stringify(weighed),
      ).toBeLessThanOrEqual(most)
      await page.context().close()
    })

    test.each([...KINDS, ...OTHERS])('%s is valid HTML', async (path) => {
      const report = await validate.validateString(await (await fetch(site.origin + path)).text())
      expect(
        report.results.flatMap(({ messages }) =>
          messages.map(({ ruleId, message, line, column }) => `${ruleId} ${message} ${line}:${column}`),
        ),
      ).toEqual([])
    })
  })
}
