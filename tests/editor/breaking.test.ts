// Tests a breaking change in the browser, without JavaScript: no number is chosen, then one that is too small.
import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { signIn, useBrowserAndHub } from './signed-in.ts'

const CONTENT = {
  'content/acme/index.md': '---\nmembers: [alice]\n---\n',
  'content/acme/greet/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\nHello {{name}}\n',
}

let browser: Browser
let hub: BuiltHub
useBrowserAndHub(CONTENT, (...opened) => {
  ;[browser, hub] = opened
})

test('auto is preselected, and a smaller number needs a second choice', { timeout: 300_000 }, async () => {
  const { page } = await signIn(browser, hub, { javaScriptEnabled: false }, 'alice')
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  const version = page.getByLabel('Version', { exact: true })
  await page.goto(`${hub.url}/acme/greet/edit`)
  expect(await version.inputValue()).toBe('auto')
  await page.getByLabel('Prompt', { exact: true }).fill('Hello {{name}} in {{lang}}')
  await press('Check')
  await page.getByText('Breaking change', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Publish 2.0.0' }).waitFor()
  await version.selectOption('patch')
  await press('Check')
  expect(await page.locator('#bump-wrong').textContent()).toBe(
    'This is a breaking change: adds required variable lang. Select auto, which makes it 2.0.0.',
  )
  await version.selectOption('patch, although callers must change')
  await press('Check')
  await page.getByText('breaking change since 1.0.0, published as patch: adds required variable lang').waitFor()
  await version.selectOption('auto')
  await press('Check')
  await press('Publish 2.0.0')
  await page.waitForURL(`${hub.url}/acme/greet/edit?published=2.0.0`)
})
