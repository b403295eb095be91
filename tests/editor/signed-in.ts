// Opens pages of the editor in a browser as a signed-in user.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { openBrowser } from '../pictures/look/browser.ts'
import type { Files } from '../stores/local-repository.ts'

/** Opens a browser and a hub for all tests of a file. @param files in the first commit of the hub's content @param use called with both before the tests */
export function useBrowserAndHub(files: Files, use: (browser: Browser, hub: BuiltHub) => unknown): void {
  let browser: Browser | undefined
  let hub: BuiltHub | undefined
  beforeAll(async () => {
    browser = await openBrowser()
    hub = await startBuiltHub(await freePort(), {}, files)
    await use(browser, hub)
  })
  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
  })
}

/** A page, and everything that its Content-Security-Policy blocked and every error that its scripts threw. */
export interface SignedIn {
  page: Page
  problems: string[]
}

/** The contexts in which somebody is signed in: a person signs in once for all tests of a file with the same options. */
const signedIn = new Map<string, Promise<BrowserContext>>()

async function openContext(browser: Browser, hub: BuiltHub, options: BrowserContextOptions, login: string) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  // Chromium reports a violation that a script catches only by this event.
  await context.addInitScript(() =>
    addEventListener('securitypolicyviolation', ({ violatedDirective }) =>
      console.error(`Blocked: ${violatedDirective}`),
    ),
  )
  const page = await context.newPage()
  await page.goto(hub.signInLink())
  await page.getByLabel('Username').fill(login)
  await page.keyboard.press('Enter')
  await page.getByText('Signed in as').waitFor()
  await page.close()
  return context
}

/** Opens a new tab, signed in with local sign-in. @param login the username */
export async function signIn(
  browser: Browser,
  hub: BuiltHub,
  options: BrowserContextOptions = {},
  login = 'alice',
): Promise<SignedIn> {
  const key = JSON.stringify([hub.url, login, options])
  const context = signedIn.get(key) ?? openContext(browser, hub, options, login)
  signedIn.set(key, context)
  const page = await (await context).newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  // Chromium reports a rejected form as an error, too.
  const isRejection = (text: string) => text.includes('status of 422')
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRejection(message.text())) problems.push(message.text())
  })
  return { page, problems }
}

/**
 * The code editor of the text. Until it has started, the page shows a textarea of the same name, which it then hides: a
 * test that found that one would wait for it forever.
 */
export const promptField = (page: Page) =>
  page.locator('.code-field').getByRole('textbox', { name: 'Prompt', exact: true })

/** The text that the form would send. */
export const textOf = (page: Page) => page.locator('[name=content]').inputValue()

export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

/** Replaces the text as a person does, key by key. */
export async function retype(page: Page, text: string): Promise<void> {
  await promptField(page).focus()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('Delete')
  await page.keyboard.type(text)
}
