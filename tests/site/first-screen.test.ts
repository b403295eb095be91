// Tests how prompts look in a real browser: what the first screen shows on a laptop and on a telephone, and how lists
// show what a prompt is. Prompts of chats, and one with many versions, are on the same site.
import { cpSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { openBuiltSite } from './built-site.ts'
import { testChat, writeChats } from './chat.ts'
import { testManyVersions, writeManyVersions } from './many-versions.ts'

const LAPTOP = { width: 1280, height: 900 }
const TELEPHONE = { width: 390, height: 844 }

const site = await openBuiltSite((contentDir) => {
  cpSync(resolve('content'), contentDir, { recursive: true })
  writeChats(contentDir)
  writeManyVersions(contentDir)
})
afterAll(() => site.close())

describe('chats', () => testChat(() => site))
describe('many versions', () => testManyVersions(() => site))

/** Returns where an element begins, and the top of the bar at the bottom of the window, in pixels. */
const placesOf = async (page: Page, selector: string) => {
  const bar = page.locator('.bottom-bar')
  return {
    y: (await page.locator(selector).first().boundingBox())!.y,
    bar: (await bar.isVisible()) ? (await bar.boundingBox())!.y : undefined,
  }
}

// A skill, a text, a chat, and a prompt with a long description.
test.each([
  ...['/acme/code-review', '/sample-newsroom/headline-options', '/acme/code-review/v/1.2.0'],
  ...['/demo-support/help-desk-conversation', '/example-labs/text-summary'],
])('%s begins with its text', async (path) => {
  const { page } = await site.open(path)
  await page.setViewportSize(LAPTOP)
  expect((await placesOf(page, '#content :is(.l, .message pre)')).y).toBeLessThan(360)
  await page.setViewportSize(TELEPHONE)
  const { y, bar } = await placesOf(page, '#content :is(.l, .message pre)')
  // Several lines are above the bar, not only the edge of one.
  expect(bar! - y).toBeGreaterThan(100)
  const doors = await page.locator('.bottom-bar > *').allInnerTexts()
  expect(doors.map((words) => words.split('\n')[0])).toEqual(['Fill in', 'Install', 'Copy prompt'])
})

test('the home page shows the list in the first screen, and no chip is cut off', async () => {
  const { page } = await site.open('/')
  await page.setViewportSize(LAPTOP)
  expect((await placesOf(page, '.row')).y).toBeLessThan(620)
  // The searches that the operator suggests.
  expect(await page.locator('.examples a').count()).toBe(3)
  // Before the values appear, each chip is as wide as the name that it shows.
  const chips = page.locator('.specimen .chip.filled')
  expect(await chips.count()).toBeGreaterThan(1)
  for (const chip of await chips.all())
    expect(await chip.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(1)
  await page.setViewportSize(TELEPHONE)
  expect((await placesOf(page, '.row')).y).toBeLessThan(TELEPHONE.height - 200)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(TELEPHONE.width)
})

test('each tick of the tape leads to its version, and says its number, date and changelog', async () => {
  const { page } = await site.open('/acme/code-review')
  const tape = page.locator('.sections .tape')
  expect(await tape.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
    ...['1.0.0', '1.1.0', '1.2.0', '2.0.0'].map((version) => `/acme/code-review/v/${version}`),
    '/acme/code-review',
  ])
  expect(await tape.locator('.breaks').count()).toBe(1)
  expect(await tape.locator('circle').count()).toBe(1)
  // One stop of the Tab key; arrow keys move between the ticks.
  expect(await tape.locator('a[tabindex="0"]').count()).toBe(1)
  await tape.locator('a[tabindex="0"]').focus()
  await page.keyboard.press('ArrowLeft')
  expect(await tape.locator('.tape-words').textContent()).toMatch(
    /^2\.0\.0, breaking · \d+ \w+ 2026 · Reviews a diff against its intent/,
  )
  await page.keyboard.press('Enter')
  await page.waitForURL('**/acme/code-review/v/2.0.0')
})

test('nothing moves on the way through a page with the Tab key, and the header stands at the same place everywhere', async () => {
  const { page } = await site.open('/acme')
  const brand = () => page.locator('.brand').boundingBox()
  const height = (await page.locator('.site-header').boundingBox())!.height
  for (let stop = 0; stop < 6; stop++) {
    await page.keyboard.press('Tab')
    expect((await page.locator('.site-header').boundingBox())!.height).toBe(height)
  }
  await page.setViewportSize({ width: 1680, height: 900 })
  const place = await brand()
  await page.goto(`${site.origin}/docs`)
  expect(await brand()).toEqual(place)
})

test('“Show fewer lines” covers no line, and a line’s number is easy to read', async () => {
  const { page } = await site.open('/acme/code-review')
  await page.locator('label[for=show-all]').click()
  const text = (await page.locator('.content pre').boundingBox())!
  expect((await page.locator('label[for=show-all]').boundingBox())!.y).toBeGreaterThanOrEqual(text.y + text.height)
  const [number, quiet] = await page.evaluate(() => [
    getComputedStyle(document.querySelector('#content .l')!, '::before').color,
    getComputedStyle(document.querySelector('.count')!).color,
  ])
  expect(number).toBe(quiet)
})

test('side by side, an unchanged line stands in both columns', async () => {
  const { page } = await site.open('/acme/code-review/compare/1.2.0...2.1.0')
  await page.getByText('Side by side').click()
  const line = page.locator('.difference .line:not(.removed, .added)', { hasText: /\w{3}/ }).first()
  const [left, right] = await line
    .locator('.words')
    .evaluateAll((all) =>
      all.map((one) => [one.getBoundingClientRect().x, one.getAttribute('data-text') ?? one.textContent]),
    )
  expect(left?.[1]).toContain(right?.[1])
  expect(right?.[1]).not.toBe('')
  const sides = await page
    .locator('.line.removed .words, .line.added .words')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x))
  expect(sides).toContain(left?.[0])
  expect(sides).toContain(right?.[0])
})

test('each message of a chat is a landmark with its own name', async () => {
  const { page } = await site.open('/demo-support/help-desk-conversation')
  const names = await page.locator('.message[aria-label]').evaluateAll((all) => all.map((one) => one.ariaLabel))
  expect(names).toEqual(['Message 1, system', 'Message 3, user'])
})

test('tabs stay in view and say which section is shown', async () => {
  const { page } = await site.open('/acme/code-review')
  const current = page.locator('.sections > div > a[aria-current]')
  expect(await current.allInnerTexts()).toEqual(['Prompt'])
  await page.locator('#trust').scrollIntoViewIfNeeded()
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await expect.poll(() => current.textContent()).toMatch(/^Checks/)
  expect((await page.locator('.sections').boundingBox())!.y).toBe(0)
  await page.locator('.sections').getByText('Readme').click()
  await expect.poll(() => current.textContent()).toBe('Readme')
})

test('copying answers visibly, names what is empty, and leads there', async () => {
  const { page } = await site.open('/sample-newsroom/headline-options')
  const answer = page.locator('#spoken')
  await page.getByRole('button', { name: 'Copy prompt' }).first().click()
  await expect.poll(() => answer.textContent()).toBe('Copied, but article is empty. Fill in')
  expect((await answer.boundingBox())!.height).toBeGreaterThan(20)
  await answer.getByRole('link', { name: 'Fill in' }).click()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('variable-article')
  await page.keyboard.type('A text')
  await page.locator('.split summary').click()
  await page.getByRole('button', { name: 'Copy filled-in prompt' }).click()
  await expect.poll(() => answer.textContent()).toBe('Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('A text')
})

test('a command has the chosen version and the reader’s values', async () => {
  const { page } = await site.open('/acme/code-review')
  const code = async (tool: string) => {
    await page.locator('.tools label', { hasText: tool }).click()
    return page.locator('.use pre').filter({ visible: true }).first().textContent()
  }
  expect(await code('hubcli')).toBe('hubcli add acme/code-review@2.1.0')
  await page.getByLabel('language', { exact: true }).fill('Go')
  await page.getByLabel('intent', { exact: true }).fill(`Don't "panic"\n`)
  expect(await code('Python')).toContain('{ "language": "Go", "intent": "Don\'t \\"panic\\"\\n", "diff": "…" }')
  expect(await code('TypeScript')).toContain(`{ language: 'Go', intent: "Don't \\"panic\\"\\n", diff: '…' }`)
  await page.locator('#choice').selectOption('production → 1.2.0')
  expect(await code('hubcli')).toBe('hubcli add acme/code-review@production')
  expect(await code('curl')).toMatch(/\/raw\?label=production'$/)
  await page.locator('#choice').selectOption('Latest')
  expect(await code('hubcli')).toBe('hubcli add acme/code-review')
})

test('a row shows a picture of the text, the kind, one line of the text, and tags that are links', async () => {
  const { page } = await site.open('/acme')
  const row = page.locator('.row', { hasText: 'acme/code-review' })
  expect(await row.locator('.face rect').count()).toBe(2)
  expect(await row.locator('.face .v').count()).toBe(1)
  expect(await row.locator('.mark').allTextContents()).toEqual(['Skill'])
  expect(await row.locator('.own-line').textContent()).toMatch(/^You review a change to \{\{language\}\} code/)
  const sizes = await page.locator('.face').evaluateAll((all) => all.map(({ outerHTML }) => outerHTML.length))
  expect(Math.max(...sizes)).toBeLessThan(1_000)
  // The picture of a prompt is the same on its page.
  const drawn = await row.locator('.face').innerHTML()
  await row.getByRole('link', { name: '#engineering' }).click()
  await page.waitForURL('**/tags/engineering')
  await page.goto(`${site.origin}/acme/code-review`)
  expect(await page.locator('.prompt-head .face').innerHTML()).toBe(drawn)
})
