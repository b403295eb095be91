// Tests that editing, reverting and forking a skill in the browser keep its files, and what else the form does not show.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { openBrowser } from '../pictures/look/browser.ts'
import { press, promptField, signIn } from './signed-in.ts'

const versionOf = (text: string) =>
  `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\nskill:\n  description: Fills in forms.\n  compatibility: Needs Python 3.\n  metadata:\n    author: alice\n---\n${text}\n`
const CONTENT = {
  'content/acme/index.md': '---\nname: Acme\nmembers: [alice]\n---\n',
  'content/acme/forms/index.md': '---\ntitle: Forms\nlicense: MIT\n---\n',
  'content/acme/forms/versions/1.0.0.md': versionOf('Run old.py.'),
  'content/acme/forms/versions/1.0.0/old.py': 'print(1)\n',
  'content/acme/forms/versions/1.1.0.md': versionOf('Run new.py.'),
  'content/acme/forms/versions/1.1.0/new.py': 'print(2)\n',
}

let browser: Browser
let hub: BuiltHub
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  hub = await startBuiltHub(await freePort(), {}, CONTENT)
  page = (await signIn(browser, hub, { javaScriptEnabled: false })).page
})
afterAll(async () => {
  await browser?.close()
  await hub?.stop()
})

const record = async (name: string) => (await (await fetch(`${hub.url}/api/v1/repos/${name}`)).json()).data
const summarise = ({ latest_version, content, skill, files }: Awaited<ReturnType<typeof record>>) => ({
  ...{ latest_version, content, skill },
  files: files.map(({ path }: { path: string }) => path),
})
const UNSHOWN = { compatibility: 'Needs Python 3.', metadata: { author: 'alice' } }

test('editing keeps the files of the latest version', async () => {
  await page.goto(`${hub.url}/acme/forms/edit`)
  await promptField(page).fill('Run new.py now.')
  await press(page, 'Check')
  await press(page, 'Publish 1.1.1')
  const expected = { latest_version: '1.1.1', content: 'Run new.py now.', files: ['new.py'] }
  expect(summarise(await record('acme/forms'))).toMatchObject({
    ...expected,
    skill: UNSHOWN,
  })
})

test('reverting brings back the files of the old version, and the check shows that', async () => {
  await page.goto(`${hub.url}/acme/forms/edit?version=1.0.0`)
  await press(page, 'Check')
  expect(await page.locator('[aria-labelledby=files] li').allTextContents()).toEqual([
    '+ Added old.py',
    '− Removed new.py',
  ])
  await press(page, 'Publish 1.1.2')
  expect(summarise(await record('acme/forms'))).toMatchObject({ latest_version: '1.1.2', files: ['old.py'] })
})

test('a fork has the files of its origin', async () => {
  await page.goto(`${hub.url}/new?from=acme/forms@1.1.0`)
  await page.locator('[name=owner]').selectOption('acme')
  await page.getByLabel('Name', { exact: true }).fill('my-forms')
  await press(page, 'Check')
  await press(page, 'Publish 1.0.0')
  expect(summarise(await record('acme/my-forms'))).toMatchObject({
    ...{ content: 'Run new.py.\n', files: ['new.py'] },
    skill: UNSHOWN,
  })
  const file = await fetch(`${hub.url}/api/v1/repos/acme/my-forms/versions/1.0.0/files/new.py`)
  expect(await file.text()).toBe('print(2)\n')
})
