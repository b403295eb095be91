// Checks that people see what they have changed: after each form, the pages that they opened a moment ago are new.
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { press, promptField, signIn } from './signed-in.ts'

/** Adds the test. @param opened returns the browser and the hub; called once both are open */
export function testSeenAtOnce(opened: () => [Browser, BuiltHub]): void {
  test('every form of the editor, the manage page and the settings shows its change at once', {
    timeout: 300_000,
  }, async () => {
    const [browser, hub] = opened()
    const [name, prompt] = ['one', '/beta/one']
    /** Opens a page by a link or the address bar, as people do: from the browser's cache if that has it. */
    const see = async (page: Page, path: string, words: string | RegExp): Promise<void> => {
      const answer = await page.goto(hub.url + path)
      expect([path, await page.locator('body').textContent()]).toEqual([path, expect.stringMatching(words)])
      expect(answer?.headers()['cache-control']).toContain('max-age=0')
    }
    const { page } = await signIn(browser, hub, { javaScriptEnabled: false })
    // The pages as they were before, also one that does not exist yet.
    const pages = [prompt, '/beta', '/beta/feed.xml']
    for (const path of pages) await page.goto(hub.url + path)
    expect((await page.goto(hub.url + prompt))?.status()).toBe(404)

    await page.goto(`${hub.url}/new`)
    await page.getByLabel('Owner', { exact: true }).selectOption('beta')
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

    await see(page, '/beta', /Beta/)
    await page.goto(`${hub.url}/beta/settings`)
    await page.getByLabel('Name', { exact: true }).fill(`Owner ${name}`)
    await press(page, 'Save the profile')
    await page.getByText('The profile was saved.').waitFor()
    await page.locator('main .full-name a').first().click()
    await page.waitForURL(`${hub.url}/beta`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Owner ${name}`)
    await page.close()
  })
}
