// Tests renaming a prompt in the browser, and each consequence that the form names.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { openBrowser } from '../pictures/look/browser.ts'

const version = '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: alice\n---\nHello\n'
let browser: Browser
let hub: BuiltHub
beforeAll(async () => {
  browser = await openBrowser()
  hub = await startBuiltHub(
    await freePort(),
    {},
    {
      'content/alice/old/versions/1.0.0.md': version,
      'content/alice/old/index.md': '---\nlabels: { production: "1.0.0" }\n---\n',
      'content/alice/new-name/versions/1.0.0.md': version,
    },
  )
})
afterAll(async () => {
  await browser?.close()
  await hub?.stop()
})

test('a renamed prompt stays where it was and points to its new name, until that is undone', {
  timeout: 120_000,
}, async () => {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(hub.signInLink())
  await page.getByLabel('Username').fill('alice')
  await page.keyboard.press('Enter')
  await page.getByText('Signed in as').waitFor()
  const move = async (to: string) => {
    await page.goto(`${hub.url}/alice/old/manage`)
    await page.getByLabel('Moved to (owner/name)').fill(to)
    await page.getByLabel('No more versions can be published here').check()
    await page.getByRole('button', { name: /^(?:Point to the new prompt|Change where it points)$/ }).click()
  }
  await move('alice/nothing')
  await page.getByText('Moved to: expected a repository that exists, got alice/nothing.').waitFor()
  await move('alice/new-name')
  await page.getByText('Saved.', { exact: true }).waitFor()

  const api = `${hub.url}/api/v1/repos/alice/old`
  const pinned = await fetch(`${api}/raw?version=1.0.0`)
  expect([pinned.status, await pinned.text()]).toEqual([200, 'Hello\n'])
  const labelled = await fetch(`${api}/raw?label=production`)
  expect([labelled.status, labelled.headers.get('Link')]).toEqual([
    200,
    `<${hub.url}/api/v1/repos/alice/new-name/raw>; rel="successor-version"`,
  ])
  expect(await (await fetch(`${hub.url}/alice/old`)).text()).toContain('href="/alice/new-name"')
  await page.goto(`${hub.url}/alice/old/edit`)
  await page.getByLabel('Prompt', { exact: true }).fill('Hello again')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('alice/old has moved to alice/new-name.').waitFor()
  // Labels can still be moved.
  await page.goto(`${hub.url}/alice/old/manage`)
  await page.getByLabel('Label', { exact: true }).first().fill('stable')
  await page.getByRole('button', { name: 'Point the label here' }).click()
  await page.getByText('The label was moved.').waitFor()

  await move('')
  await page.getByText('Saved.', { exact: true }).waitFor()
  expect((await (await fetch(api)).json()).data.moved_to).toBe(null)
})
