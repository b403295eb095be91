// Tests that a newcomer publishes a chat prompt with an enum, a default and a description after one check.
// It does so by keyboard alone on a small screen and from a pasted file, and compares the record with the API's.
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { createToken } from '../../src/state/tokens.ts'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { tabTo } from '../site/visitor-jobs.ts'
import { press, signIn } from './signed-in.ts'

const TEXT = `{{role "system"}}
You polish emails in a {{tone}} tone.

{{role "user"}}
{{email}}
`
const FILE = `---
title: Email polisher
description: Makes an email shorter and kinder.
tags: [email, writing]
license: MIT
format: chat
variables:
  - name: tone
    description: How it sounds
    type: enum
    required: false
    default: warm
    options: [warm, brief]
    example: null
  - name: email
    description: The email to polish
---
${TEXT}`

/** Adds the tests. @param opened returns the browser and the hub; called once both are open */
export function testFirstPrompt(opened: () => [Browser, BuiltHub]): void {
  let browser: Browser
  let hub: BuiltHub
  beforeAll(() => {
    ;[browser, hub] = opened()
  })

  /** What differs between two prompts with the same text: their names, and when they were published. */
  const versionOf = async (name: string) => {
    const answer = await fetch(`${hub.url}/api/v1/repos/acme/${name}/versions/1.0.0`)
    const { data } = (await answer.json()) as { data: Record<string, unknown> }
    const own = ['name', 'full_name', 'published_at', 'published_by', 'provenance']
    return Object.fromEntries(Object.entries(data).filter(([key]) => !own.includes(key) && !/_?url$/.test(key)))
  }
  const detailsOf = async (name: string) => {
    const { data } = await (await fetch(`${hub.url}/api/v1/repos/acme/${name}`)).json()
    return { title: data.title, description: data.description, tags: data.tags, license: data.license }
  }

  test('the same prompt file through the API', async () => {
    const holder = { kind: 'operator' as const }
    const { token } = await createToken(hub.state, { holder, name: 'test', scope: 'acme/*', days: 1 }, new Date())
    const answer = await fetch(`${hub.url}/api/v1/repos/acme/by-api/versions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/markdown' },
      body: FILE,
    })
    expect(answer.status).toBe(201)
  })

  const expectSame = async (name: string) => {
    expect(await versionOf(name)).toEqual(await versionOf('by-api'))
    expect(await detailsOf(name)).toEqual(await detailsOf('by-api'))
  }

  const expectPublished = async (page: Page, name: string, problems: readonly string[]) => {
    await page.getByRole('heading', { name: 'Published 1.0.0' }).waitFor()
    await expectSame(name)
    expect(problems).toEqual([])
    await page.close()
  }

  test('by keyboard alone on a small screen', async () => {
    const [name, viewport] = ['keys-small', { width: 360, height: 740 }]
    const { page, problems } = await signIn(browser, hub, { viewport })
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    const { keyboard } = page
    const fill = async (label: string | RegExp, text: string) => {
      await tabTo(page, label)
      if (label !== 'Prompt') await keyboard.press('ControlOrMeta+A')
      await keyboard.type(text)
    }
    await keyboard.type('Email polisher')
    await fill('Owner', 'acme')
    await fill('Name', name)
    await fill('Format', 'chat')
    await fill('Prompt', TEXT)
    // Tab leaves the code editor. The fields of a variable follow it in the order of the text.
    await fill('Description', 'How it sounds')
    await fill('Type', 'enum')
    await tabTo(page, 'Required')
    await keyboard.press('Space')
    await fill(/^Options/, 'warm\nbrief')
    await fill('Default', 'warm')
    await fill('Description', 'The email to polish')
    await fill('Description', 'Makes an email shorter and kinder.')
    await fill('Tags', 'email, writing')
    await fill('License', 'MIT')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Version 1.0.0' }).waitFor()
    await tabTo(page, 'Publish 1.0.0')
    await keyboard.press('Enter')
    await expectPublished(page, name, problems)
  })

  test('a pasted prompt file fills in the form, and gives the same record too', async () => {
    const { page, problems } = await signIn(browser, hub)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    await page.getByLabel('Owner').selectOption('acme')
    await page.getByLabel('Name', { exact: true }).fill('pasted')
    await page.evaluate((text) => navigator.clipboard.writeText(text), FILE)
    await press(page, 'Paste')
    await page.getByText('Recognised as: Prompt file.').waitFor()
    // A double click publishes once.
    await page.getByRole('button', { name: 'Publish 1.0.0' }).dblclick()
    await expectPublished(page, 'pasted', problems)
  })
}
