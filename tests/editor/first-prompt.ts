// Tests that a newcomer publishes a chat prompt with an enum, a default and a description after one check.
// It does so by keyboard alone on a small screen and without JavaScript, and compares the record with the API's.
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { createToken } from '../../src/state/tokens.ts'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { tabTo } from '../site/visitor-jobs.ts'
import { press, promptField, signIn } from './signed-in.ts'

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

  /** Counts the submissions of a page's forms. */
  function countSubmissions(page: Page): () => number {
    let count = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') count++
    })
    return () => count
  }

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

  const describeVariables = async (page: Page) => {
    const tone = page.getByRole('group', { name: 'Variable {{tone}}' })
    await tone.getByLabel('Description').fill('How it sounds')
    await tone.getByLabel('Type').selectOption('enum')
    await tone.getByLabel('Options').fill('warm\nbrief')
    await tone.getByLabel('Default').fill('warm')
    await tone.getByLabel('Required').uncheck()
    await page.getByRole('group', { name: 'Variable {{email}}' }).getByLabel('Description').fill('The email to polish')
  }

  test('by keyboard alone on a small screen', async () => {
    const [name, viewport] = ['keys-small', { width: 360, height: 740 }]
    const { page, problems } = await signIn(browser, hub, { viewport })
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    const count = countSubmissions(page)
    const { keyboard } = page
    const fill = async (label: string | RegExp, text: string) => {
      await tabTo(page, label)
      await keyboard.type(text)
    }
    await fill('Owner', 'acme')
    await fill('Name', name)
    await fill('Title', 'Email polisher')
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
    expect(count()).toBe(2)
  })

  test('without JavaScript: one check that finds the variables, one check, one publish', async () => {
    const { page } = await signIn(browser, hub, { javaScriptEnabled: false })
    await page.goto(`${hub.url}/new`)
    const count = countSubmissions(page)
    await page.getByLabel('Owner').selectOption('acme')
    await page.getByLabel('Name', { exact: true }).fill('no-script')
    await page.getByLabel('Title').fill('Email polisher')
    await page.getByLabel('Format', { exact: true }).selectOption('chat')
    await promptField(page).fill(TEXT)
    await page.getByLabel('Description').fill('Makes an email shorter and kinder.')
    await page.getByLabel('Tags').fill('email, writing')
    await page.getByLabel('License').fill('MIT')
    await press(page, 'Check')
    await describeVariables(page)
    await press(page, 'Check')
    expect(await page.locator('.preview .message pre').first().textContent()).toBe('You polish emails in a warm tone.')
    await press(page, 'Publish 1.0.0')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Published 1.0.0')
    expect(count()).toBe(3)
    await expectSame('no-script')
    await page.close()
  })

  test('a pasted prompt file fills in the form, and gives the same record too', async () => {
    const { page, problems } = await signIn(browser, hub)
    await page.goto(`${hub.url}/new`)
    await page.getByLabel('Owner').selectOption('acme')
    await page.getByLabel('Name', { exact: true }).fill('pasted')
    await promptField(page).fill(FILE)
    await press(page, 'Fill in the form from this file')
    await page.getByText('Recognised as: Prompt file.').waitFor()
    await press(page, 'Check')
    await page.getByRole('heading', { name: 'Version 1.0.0' }).waitFor()
    await page.locator('.code-field').waitFor()
    // A double click publishes once.
    await page.getByRole('button', { name: 'Publish 1.0.0' }).dblclick()
    await expectPublished(page, 'pasted', problems)
  })
}
