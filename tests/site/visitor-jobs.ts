// Tests what visitors do with only the keyboard: find, judge, try, copy, compare and suggest a change. Further tests
// run without JavaScript and in print.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type BuiltSite, SITE_URL } from './built-site.ts'
import { COMPARE, CONTENT, hostile, LONG_LINES, MARKER, PLAIN_COUNT, REPOSITORY } from './hostile-content.ts'

/** The maximum number of tab stops before the target on any page. */
const MAX_STOPS = 150

/** Presses Tab until the focused element contains the given words, as a user without a mouse would. */
export async function tabTo(page: Page, words: string | RegExp): Promise<void> {
  const fits = (text: string) => (typeof words === 'string' ? text === words : words.test(text))
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('Tab')
    const here = await page.evaluate(() => {
      let element = document.activeElement
      // The code editor is in a shadow root.
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
      // The label of a form field is its name.
      const label = (element as HTMLInputElement | null)?.labels?.[0]?.textContent
      return (element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '').trim()
    })
    if (fits(here)) return
  }
  throw new Error(`No stop says ${words}.`)
}

/** Returns whether the focused element, or its label, is at least partly in the window and not covered. */
const isFocusInView = (page: Page) =>
  page.evaluate(() => {
    const focused = document.activeElement!
    return [focused, ...((focused as HTMLInputElement).labels ?? [])].some((shown) => {
      const { left, top, width, height } = shown.getBoundingClientRect()
      const at = document.elementFromPoint(left + width / 2, top + height / 2)
      return at !== null && (shown.contains(at) || at.contains(shown))
    })
  })

const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

/** Adds the tests. @param opened returns the site; called once the site is open */
export function testVisitorJobs(opened: () => BuiltSite): void {
  describe('with the keyboard alone', () => {
    test('find: from the front page to a prompt, through a sort order', async () => {
      const { page, problems } = await opened().open('/')
      await page.keyboard.press('/')
      await page.keyboard.type('plain')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Prompts for “plain”' }).waitFor()
      await page.keyboard.press('Escape')
      await tabTo(page, /^New$/)
      await page.keyboard.press('Enter')
      await page.waitForURL('**/search?q=plain&sort=new')
      await page.locator('.orders [aria-current]', { hasText: 'New' }).waitFor()
      expect(await page.locator('.row h3').first().textContent()).toBe(`Plain ${PLAIN_COUNT}`)
      await tabTo(page, `Plain ${PLAIN_COUNT}`)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/mallory/plain-${PLAIN_COUNT}`)
      expect(problems).toEqual([])
    })

    test('judge: each fact on the card links to its evidence', async () => {
      const { page } = await opened().open(REPOSITORY)
      await tabTo(page, '1 of 3 versions yanked')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${REPOSITORY}#versions`)
      expect(await page.getByText('Yanked: ').isVisible()).toBe(true)
      expect(await page.locator('.trust .fact').allTextContents()).toEqual([
        ...['✓Readme', '–1 of 5 variables described', '–4 of 5 variables with an example'],
        ...['–1 of 2 changes with a changelog', '–1 of 3 versions yanked', '–3 hidden characters, shown in the text'],
        ...['✓MIT', '–Published by a person, or with a token'],
        ...['–quality: 1234 passed, 2 failed, 3 skipped, score 0.98', '✓No advisory'],
      ])
    })

    test('try: a chip focuses its field, values are shown as text and survive reload and Back', async () => {
      const { page, problems } = await opened().open(REPOSITORY)
      const value = `${hostile('value')}\u202E`
      await tabTo(page, '{{strict}}')
      await page.keyboard.press('Enter')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('variable-strict')
      await page.keyboard.press('t')
      await tabTo(page, 'free')
      await page.keyboard.insertText(value)
      const check = async () => {
        expect(await page.locator('#progress').textContent()).toBe('2 of 2 required')
        const chip = page.locator('.chip.filled[data-chip=free]')
        expect(await chip.textContent()).toBe(value)
        expect(await chip.locator('.unseen').last().getAttribute('data-code')).toBe('U+202E')
        expect(await page.evaluate((marker) => Reflect.get(window, marker), MARKER)).toBeUndefined()
      }
      await check()
      await page.waitForURL(/#\?strict=true&free=/)
      await page.reload()
      await check()
      await page.goto(`${opened().origin}/docs`)
      await page.goBack()
      await page.waitForURL(/#\?strict=true&free=/)
      await page.locator('#progress', { hasText: '2 of 2 required' }).waitFor()
      await check()
      expect(problems).toEqual([])
    })

    test('copy: the prompt with its button, other formats with the menu, commands with their own buttons', async () => {
      const { page } = await opened().open(REPOSITORY)
      const said = page.locator('#spoken', { hasText: 'Copied' })
      await tabTo(page, /^Copy prompt/)
      await page.keyboard.press('Enter')
      await said.waitFor({ state: 'attached' })
      expect(await readClipboard(page)).toBe(CONTENT)
      // The button keeps its name while it shows that the text was copied.
      expect(await page.locator('.copy.done').ariaSnapshot()).toBe('- button "Copy prompt"')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await tabTo(page, 'Copy as JSON messages')
      await page.keyboard.press('Enter')
      expect(JSON.parse(await readClipboard(page))[0].role).toBe('user')
      await tabTo(page, /^VersionPinned/)
      await page.keyboard.type('production')
      await tabTo(page, 'Skill')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await tabTo(page, 'Copy hubcli code✓ Copied')
      await page.keyboard.press('Enter')
      await page.waitForFunction(() =>
        navigator.clipboard.readText().then(
          (text) => text.startsWith('hubcli'),
          () => false,
        ),
      )
      expect(await readClipboard(page)).toBe('hubcli add mallory/hostile@production')
    })

    test('compare: adjacent versions from the version list, then any other pair', async () => {
      const { page, problems } = await opened().open(REPOSITORY)
      await tabTo(page, 'Compare 1.0.1 with 1.1.0')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${COMPARE}`)
      await tabTo(page, 'Unified')
      await page.keyboard.press('ArrowRight')
      const sides = await page
        .locator('.line.removed, .line.added')
        .evaluateAll((lines) => lines.slice(0, 2).map((line) => line.getBoundingClientRect().x))
      expect(sides[1]).toBeGreaterThan(sides[0]! + 100)
      await page.goto(opened().origin + COMPARE)
      await tabTo(page, 'From')
      await page.keyboard.type('1.0.0')
      await tabTo(page, 'Compare')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/compare/1.0.0...1.1.0')
      await page.locator('.line.removed', { hasText: 'first' }).waitFor()
      const chosen = () =>
        page.locator('.compare-choice select').evaluateAll((all) => all.map((one) => Reflect.get(one, 'value')))
      expect(await chosen()).toEqual(['1.0.0', '1.1.0'])
      await tabTo(page, 'Swap')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/compare/1.1.0...1.0.0')
      await page.locator('.line.added', { hasText: 'first' }).waitFor()
      expect(problems).toEqual([])
    })

    test('suggest a change: opens the git host’s editor with the file of the next version prefilled', async () => {
      const { page } = await opened().open(REPOSITORY)
      await tabTo(page, 'Suggest a change')
      const address = await page.evaluate(() => (document.activeElement as HTMLAnchorElement).href)
      const { origin, pathname, searchParams } = new URL(address)
      expect([origin + pathname, searchParams.get('filename')]).toEqual([
        'https://github.com/octo/hub/new/main',
        'content/mallory/hostile/versions/x.y.z.md',
      ])
      expect(searchParams.get('value')).toMatch(/^---\n# Name this file 1\.1\.1\.md, .*\npublished_at: #/)
      expect(searchParams.get('value')?.endsWith(CONTENT)).toBe(true)
      await tabTo(page, 'Report a problem')
    })

    test('what has focus is in view: not below the window, and not below the bar at its bottom', async () => {
      const { page, goTo } = await opened().open('/docs/api')
      await tabTo(page, 'Settings and commands')
      expect(await isFocusInView(page)).toBe(true)
      await page.setViewportSize({ width: 360, height: 640 })
      await goTo(REPOSITORY)
      for (let stop = 0; stop < 60; stop++) {
        await page.keyboard.press('Tab')
        expect(await isFocusInView(page), await page.evaluate(() => document.activeElement!.outerHTML)).toBe(true)
      }
    })
  })

  test('with forced colours: what is selected looks different from what is not', async () => {
    const { page, goTo } = await opened().open(REPOSITORY, { forcedColors: 'active' })
    // The pixels between the edge and the words, because computed styles do not have the forced colours.
    const backgroundOf = async (selector: string) => {
      await page.locator(selector).first().scrollIntoViewIfNeeded()
      const box = await page.locator(selector).first().boundingBox()
      const clip = { x: box!.x + 5, y: box!.y + box!.height / 2, width: 2, height: 2 }
      return (await page.screenshot({ clip })).toString('base64')
    }
    const pairs = [
      ['.tools label:has(:checked)', '.tools label:not(:has(:checked))'],
      ['[aria-pressed=true]', '[aria-pressed=false]'],
    ] as const
    for (const [selected, other] of pairs) expect(await backgroundOf(selected)).not.toBe(await backgroundOf(other))
    await goTo('/search?q=plain')
    expect(await backgroundOf('.orders [aria-current]')).not.toBe(await backgroundOf('.orders a:not([aria-current])'))
    await page.context().close()
  })

  test('without JavaScript: every task except filling works', async () => {
    const { page } = await opened().open('/', { javaScriptEnabled: false })
    expect(await page.locator('.rows .row').count()).toBe(20)
    await page.locator('#q').fill('hostile')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=hostile')
    expect(await page.locator('.row').count()).toBe(1)
    await page.locator('.row h3 a').first().click()
    await page.waitForURL(`**${REPOSITORY}`)
    expect(await page.locator('#content').textContent()).toContain('hostile')
    for (const words of ['variable</script>', 'One of:']) expect(await page.getByText(words).isVisible()).toBe(true)
    for (const control of ['#fill-in textarea', '#fill-in select', 'main button'])
      expect(await page.locator(control).first().isVisible()).toBe(false)
    await page.locator('label', { has: page.getByLabel('hubcli', { exact: true }) }).click()
    expect(await page.getByText('hubcli add mallory/hostile@1.1.0', { exact: true }).isVisible()).toBe(true)
    expect(await page.getByText('Suggest a change').isVisible()).toBe(true)
    expect(await page.getByText('1 of 3 versions yanked').isVisible()).toBe(true)
    await page.locator('.tools label', { hasText: 'MCP' }).click()
    expect(await page.getByLabel('MCP').isChecked()).toBe(true)
    await page.getByText('Connect a client').click()
    await page.locator('.setup summary', { hasText: 'Codex' }).click()
    expect(await page.getByText(`url = "${SITE_URL}/mcp"`).isVisible()).toBe(true)
    await page.getByRole('link', { name: /^Compare.*1\.0\.1 with 1\.1\.0$/ }).click()
    expect(await page.getByText('Added required variable').isVisible()).toBe(true)
    await page.getByText('Side by side').click()
    expect(await page.locator('#two-columns').isChecked()).toBe(true)
    await page.goto(`${opened().origin}/trent/long`)
    await page.locator('label[for=show-all]').click()
    expect(await page.locator('#content').evaluate((text) => text.textContent.split('\n').length)).toBe(LONG_LINES + 2)
    expect(await page.locator('.content pre').evaluate((box) => box.scrollHeight - box.clientHeight)).toBeLessThan(2)
    await page.goto(opened().origin + COMPARE)
    await page.getByLabel('From').selectOption('1.0.0')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.waitForURL(`**${REPOSITORY}/compare/1.0.0...1.1.0`)
    expect(await page.locator('.line.added').first().isVisible()).toBe(true)
    await page.context().close()
  })

  test('in print: the whole prompt with its values, without controls', async () => {
    const { page } = await opened().open('/trent/long')
    await page.emulateMedia({ media: 'print' })
    const controls =
      '.site-header, main button, main .button, textarea, select, input, .sections, .use, .bottom-bar, .menu, label.button'
    for (const one of await page.locator(controls).all()) expect(await one.isVisible()).toBe(false)
    expect(await page.locator('.content pre').evaluate((box) => box.scrollHeight - box.clientHeight)).toBeLessThan(2)
    await page.goto(`${opened().origin}${REPOSITORY}#?free=on+paper`)
    expect(await page.locator('.chip.filled', { hasText: 'on paper' }).isVisible()).toBe(true)
    await page.goto(opened().origin + COMPARE)
    expect(await page.locator('.line.added').first().isVisible()).toBe(true)
    expect(await page.locator('.choice').first().isVisible()).toBe(false)
  })
}
