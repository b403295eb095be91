// Checks that people see what they have changed: after each form, the pages that they opened a moment ago are new.
import type { Browser, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { press, promptField, signIn, useBrowserAndHub } from './signed-in.ts'

const version = (text: string) =>
  `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\nchangelog: First\n---\n${text}\n`
const CONTENT = {
  'content/acme/index.md': '---\nname: Acme\nmembers: [alice]\n---\n',
  'content/acme/greet/versions/1.0.0.md': version('Hello'),
}

let browser: Browser
let hub: BuiltHub
useBrowserAndHub(CONTENT, (...opened) => {
  ;[browser, hub] = opened
})

/** Opens a page by a link or the address bar, as people do: from the browser's cache if that has it. */
async function see(page: Page, path: string, words: string | RegExp): Promise<void> {
  const answer = await page.goto(hub.url + path)
  expect([path, await page.locator('body').textContent()]).toEqual([path, expect.stringMatching(words)])
  expect(answer?.headers()['cache-control']).toContain('max-age=0')
}

describe.each([
  ['with JavaScript', true, 'one'],
  ['without JavaScript', false, 'two'],
] as const)('%s', (_, javaScriptEnabled, name) => {
  const prompt = `/acme/${name}`
  test('every form of the editor, the manage page and the settings', { timeout: 300_000 }, async () => {
    const { page } = await signIn(browser, hub, { javaScriptEnabled })
    // The pages as they were before, also one that does not exist yet.
    const pages = [prompt, '/acme', '/acme/feed.xml']
    for (const path of pages) await page.goto(hub.url + path)
    expect((await page.goto(hub.url + prompt))?.status()).toBe(404)

    await page.goto(`${hub.url}/new`)
    await page.getByLabel('Owner', { exact: true }).selectOption('acme')
    await page.getByLabel('Name', { exact: true }).fill(name)
    await promptField(page).fill('The first text.')
    await press(page, 'Check')
    await press(page, 'Publish 1.0.0')
    await page.getByRole('link', { name: 'View the prompt' }).click()
    await page.getByText('The first text.').first().waitFor()

    await page.goto(`${hub.url}${prompt}/edit`)
    await promptField(page).fill('The second text.')
    await press(page, 'Check')
    await press(page, /^Publish 1\.0\.1/)
    await page.getByRole('link', { name: 'View the prompt' }).click()
    await page.getByText('The second text.').first().waitFor()

    /** Changes something on the manage page, and looks at the prompt before and after. */
    const change = async (fill: () => Promise<unknown>, button: string | RegExp, said: string, words: RegExp) => {
      await see(page, prompt, /The (?:first|second) text/)
      await page.goto(`${hub.url}${prompt}/manage`)
      await fill()
      await press(page, button)
      await page.getByText(said).first().waitFor()
      await page.locator('main .full-name a').last().click()
      await page.waitForURL(hub.url + prompt)
      expect(await page.locator('body').textContent()).toMatch(words)
    }
    const label = async () => {
      await page.getByLabel('Label', { exact: true }).first().fill('production')
      await page.locator('#label-version').selectOption('1.0.0')
    }
    await change(label, 'Point the label here', 'The label was moved.', /production/)
    const rename = () => page.getByRole('textbox', { name: 'Title' }).fill(`Renamed ${name}`)
    await change(rename, /^Save$/, 'Saved.', new RegExp(`Renamed ${name}`))
    const write = () => page.getByLabel('Markdown').fill('The readme of it.')
    await change(write, 'Save the readme', 'The readme was saved.', /The readme of it/)
    const yank = async () => {
      await page.locator('#yank-version').selectOption('1.0.1')
      await page.getByLabel('Reason').fill('Wrong words')
      await page.getByLabel('Everyone can see that this version').check()
    }
    await change(yank, 'Yank', 'The version was yanked.', /The first text/)
    await change(async () => {}, 'Un-yank', 'The version was un-yanked.', /The second text/)
    const archive = async () => {
      await page.locator('#status').selectOption('archived')
      await page.getByLabel('Readers and programs will see').check()
    }
    await change(archive, 'Change the status', 'The status was changed.', /archived/i)

    await see(page, '/acme', /Acme|Owner/)
    await page.goto(`${hub.url}/acme/settings`)
    await page.getByLabel('Name', { exact: true }).fill(`Owner ${name}`)
    await press(page, 'Save the profile')
    await page.getByText('The profile was saved.').waitFor()
    await page.locator('main .full-name a').first().click()
    await page.waitForURL(`${hub.url}/acme`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Owner ${name}`)
    await page.context().close()
  })
})
