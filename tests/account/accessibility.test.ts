// Checks the accessibility of the account pages with axe, in light and dark mode and on a small screen.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { CLIENT, startOpenIdProvider } from '../oidc/provider.ts'
import { openBrowser } from '../pictures/look/browser.ts'
import { findViolations } from '../site/axe.ts'

const CONTENT = {
  'content/acme/index.md': '---\nname: Acme\nmembers: [alice]\n---\n',
  'content/acme/greet/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\nHello {{name}}\n',
}
const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 360, height: 740 }

let browser: Browser
let hub: BuiltHub
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())
afterEach(() => hub?.stop())

/** Checks the current page at both screen sizes, in light and dark mode. */
async function expectUsable(page: Page, title: string): Promise<void> {
  expect(await page.locator('h1').textContent()).toBe(title)
  for (const size of [WIDE, NARROW]) {
    await page.setViewportSize(size)
    expect(await findViolations(page), `${title} at ${size.width}`).toEqual({ inLight: [], inDark: [] })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width)
  }
}

const makeToken = async (page: Page, name: string, repository = '') => {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Repository').fill(repository)
  await page.getByRole('button', { name: 'Create token' }).click()
}

test('account pages are accessible with local sign-in: signed out, sign-in, tokens, and errors', async () => {
  hub = await startBuiltHub(await freePort(), {}, CONTENT)
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await page.goto(`${hub.url}/settings`)
  await expectUsable(page, 'Your account')
  await page.goto(hub.signInLink())
  await expectUsable(page, 'Sign in')
  await page.getByLabel('Username').fill('alice')
  await page.keyboard.press('Enter')
  await page.getByText('Signed in as alice').waitFor()
  await expectUsable(page, 'Your account')
  await makeToken(page, 'A name that is much too long for one line of a small screen', 'greetings-for-everybody')
  await expectUsable(page, 'Your new token')
  await page.getByRole('link', { name: 'Back to your account' }).click()
  await makeToken(page, 'laptop')
  await page.getByRole('link', { name: 'Back to your account' }).click()
  expect(await page.locator('.tokens tbody tr').count()).toBe(2)
  await expectUsable(page, 'Your account')
  await page.getByRole('button', { name: /^Revoke laptop/ }).click()
  await page.getByText('The token was revoked').waitFor()
  await expectUsable(page, 'Your account')
  await makeToken(page, 'laptop', 'No Name')
  await page.getByRole('alert').waitFor()
  await expectUsable(page, 'Your account')
  await page.goto(`${hub.url}/auth/callback`)
  await expectUsable(page, 'Something went wrong')
  await page.context().close()
})

test('pages are accessible with two providers: signed out, the choice, the account, and signed out of the hub', async () => {
  const port = await freePort()
  const provider = await startOpenIdProvider([`http://localhost:${port}/auth/callback/oidc`])
  const both = {
    ...{ GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret', SESSION_SECRET: 'a secret of the tests, long enough' },
    ...{
      SIGN_IN_ISSUER: provider.issuer,
      SIGN_IN_CLIENT_ID: CLIENT.clientId,
      SIGN_IN_CLIENT_SECRET: CLIENT.clientSecret,
    },
  }
  hub = await startBuiltHub(port, both, CONTENT)
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  // After signing in, the reader is where they wanted to go, with the version to fork or revert to.
  for (const path of ['/new?from=acme/greet@1.0.0', '/acme/greet/edit?version=1.0.0']) {
    await page.goto(hub.url + path)
    const link = await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')
    expect(new URL(link ?? '', hub.url).searchParams.get('return_to')).toBe(path)
  }
  await page.goto(`${hub.url}/settings`)
  await expectUsable(page, 'Your account')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expectUsable(page, 'Sign in')
  await page.getByRole('link', { name: `Sign in with ${new URL(provider.issuer).host}` }).click()
  await page.getByPlaceholder('Enter any login').fill('ada')
  await page.getByPlaceholder('and password').fill('any')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Signed in as ada-acme').waitFor()
  await expectUsable(page, 'Your account')
  expect(await page.getByText('ada@acme.example').isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expectUsable(page, 'You are signed out')
  await page.getByRole('link', { name: 'Sign out of' }).click()
  await page.waitForURL(`${provider.issuer}/session/end?**`)
  await page.context().close()
  await provider.close()
})
