// Tests accounts in a browser, from sign-in to publishing: with GitHub, in local mode and with two providers. Their pages
// are checked with axe, in light and dark mode and on a small screen.
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type GitHubStandIn, startGitHubStandIn } from '../github/stand-in.ts'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { CLIENT, startOpenIdProvider } from '../oidc/provider.ts'
import { openBrowser } from '../pictures/look/browser.ts'
import { expectUsable } from '../site/axe.ts'

const CONTENT = {
  'content/acme/index.md': '---\nname: Acme\nmembers: [alice]\n---\n',
  'content/acme/greet/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\nprovenance: {issuer: "https://token.actions.githubusercontent.com", repository: octo/prompts, workflow: w, ref: r, sha: "0123456789", run_id: "42"}\n---\nHello {{name}}\n',
}

let hub: BuiltHub
let standIn: GitHubStandIn
let oidc: Awaited<ReturnType<typeof startOpenIdProvider>>
const browser = await openBrowser()
afterAll(() => browser?.close())

/** Access tokens that GitHub issued to the hub, captured from the hub's requests. */
const accessTokens: string[] = []
const realFetch = globalThis.fetch
const watchAccessTokens = () =>
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await realFetch(input, init)
    if (!String(input).endsWith('/login/oauth/access_token')) return answer
    accessTokens.push(z.object({ access_token: z.string() }).parse(await answer.clone().json()).access_token)
    return answer
  })

/** Starts a hub where people sign in at GitHub or at another provider. */
const startHostedHub = async () => {
  const port = await freePort()
  const callback = `http://localhost:${port}/auth/callback`
  standIn = await startGitHubStandIn({ redirectUris: [callback] })
  oidc = await startOpenIdProvider([`${callback}/oidc`])
  const { url, oauth } = standIn
  const settings = {
    GITHUB_OAUTH_URL: url,
    GITHUB_API_URL: url,
    GITHUB_CLIENT_ID: oauth.clientId,
    GITHUB_CLIENT_SECRET: oauth.clientSecret,
    SIGN_IN_ISSUER: oidc.issuer,
    SIGN_IN_CLIENT_ID: CLIENT.clientId,
    SIGN_IN_CLIENT_SECRET: CLIENT.clientSecret,
    SESSION_SECRET: 'a secret of the tests, long enough',
  }
  return startBuiltHub(port, settings, CONTENT)
}

const publish = (token: string, to: string, content = 'Say hello.') =>
  fetch(`${hub.url}/api/v1/repos/${to}/versions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  })

/**
 * Opens a page and records everything that its Content-Security-Policy blocks and every error that its scripts throw.
 */
const open = async (
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ page: Page; problems: string[] }> => {
  const page = await (await browser.newContext(options)).newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  return { page, problems }
}

async function expectPage(page: Page, title: string): Promise<void> {
  expect(await page.locator('h1').textContent()).toBe(title)
  await expectUsable(page)
}

const openTab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name }).click()

const fillInToken = async (page: Page, name: string, repository = '') => {
  await openTab(page, 'Tokens')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Repository').fill(repository)
  await page.getByRole('button', { name: 'Create token' }).click()
}

const makeToken = async (page: Page, name: string, repository = ''): Promise<string> => {
  await fillInToken(page, name, repository)
  const token = (await page.locator('#new-token').textContent()) ?? ''
  expect(token).toMatch(/^hub_[0-9A-Za-z]{38}$/)
  return token
}

describe('sign-in at providers', () => {
  beforeAll(async () => {
    hub = await startHostedHub()
  })
  afterAll(async () => {
    await hub?.stop()
    await standIn?.close()
    await oidc?.close()
  })

  test('signs in, creates a token, publishes, sees its last use, revokes it, and is then refused', async () => {
    const watching = watchAccessTokens()
    const { page, problems } = await open()
    await page.goto(`${hub.url}/`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Continue with GitHub' }).click()
    expect(new URL(page.url()).origin).toBe(standIn.url)
    expect(new URL(page.url()).searchParams.get('scope')).toBeNull()
    await page.getByRole('button', { name: 'alice' }).click()
    await page.waitForURL(`${hub.url}/settings`)
    expect(await page.locator('.lead').textContent()).toBe('Signed in as alice')
    await openTab(page, 'Tokens')
    expect(await page.locator('#owner option').allTextContents()).toEqual(['alice', 'acme'])

    const token = await makeToken(page, 'laptop')
    const first = await publish(token, 'alice/hello')
    expect([first.status, await first.json()]).toMatchObject([
      201,
      { data: { version: '1.0.0', published_by: 'alice' } },
    ])
    expect((await fetch(`${hub.url}/api/v1/repos/alice/hello`)).status).toBe(200)
    expect((await publish(token, 'acme/greet')).status).toBe(403)

    await page.getByRole('link', { name: 'Back to your account' }).click()
    const row = page.getByRole('row', { name: /laptop/ })
    expect((await row.getByRole('cell').allTextContents()).slice(0, 3)).toEqual([
      'alice/*',
      'publish',
      `…${token.slice(-4)}`,
    ])
    const used = (await row.locator('time').last().getAttribute('datetime')) ?? ''
    expect(Math.abs(Date.parse(used) - Date.now())).toBeLessThan(60_000)
    expect(await page.content()).not.toContain(token)

    expect(hub.storedTexts()).toContain(hash('sha256', token))
    await row.getByRole('button', { name: /^Revoke laptop/ }).click()
    expect(await page.getByRole('status').first().textContent()).toContain('revoked')
    expect(await page.getByRole('row', { name: /laptop/ }).count()).toBe(0)
    const after = await publish(token, 'alice/hello', 'More.')
    expect([after.status, (await after.json()).error.code]).toEqual([401, 'unauthorized'])

    expect(hub.git('log', '--format=%s', '-1').trim()).toBe('Publish alice/hello 1.0.0')
    await page.goto(`${hub.url}/acme/greet`)
    const origin = page.locator('.version-row .provenance')
    expect(await origin.textContent()).toMatch(/^\s*from octo\/prompts at 0123456\s*$/)
    expect(await origin.locator('a').getAttribute('href')).toBe('https://github.com/octo/prompts/actions/runs/42')
    expect(problems).toEqual([])
    await expectNoSecrets(token, page)
    watching.mockRestore()
  })

  /**
   * Checks that no stored data contains a usable secret: the hub token, GitHub's token and the session cookie never
   * appear in a store, log line or commit.
   */
  const expectNoSecrets = async (token: string, page: Page) => {
    const session = (await page.context().cookies()).find(({ name }) => name === 'session')?.value ?? ''
    expect(session).toMatch(/^[\w-]{43}$/)
    const everywhere = `${hub.storedTexts()}\n${hub.logged()}\n${hub.git('log', '-p')}`
    // Each token is captured twice, because the parts of the fake GitHub server also call each other through `fetch`.
    expect(new Set(accessTokens).size).toBe(1)
    expect(everywhere).toContain(hash('sha256', session))
    // Revoking a token also removes its digest.
    for (const secret of [token, token.slice(4), hash('sha256', token), session, ...accessTokens, 'sekret'])
      expect(everywhere).not.toContain(secret)
  }

  test('pages are accessible with two providers: signed out, the choice, the account, and signed out of the hub', async () => {
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    // After signing in, the reader is where they wanted to go, with the version to fork or revert to.
    for (const path of ['/new?from=acme/greet@1.0.0', '/acme/greet/edit?version=1.0.0']) {
      await page.goto(hub.url + path)
      const link = await page.getByRole('link', { name: 'Continue with GitHub' }).getAttribute('href')
      expect(new URL(link ?? '', hub.url).searchParams.get('return_to')).toBe(path)
    }
    await page.goto(`${hub.url}/settings`)
    await expectPage(page, 'Sign in')
    await page.getByRole('link', { name: `Continue with ${new URL(oidc.issuer).host}` }).click()
    await page.getByPlaceholder('Enter any login').fill('ada')
    await page.getByPlaceholder('and password').fill('any')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Signed in as ada-acme').waitFor()
    // The menu behind the name leads everywhere, and signs out.
    await page.locator('summary', { hasText: 'ada-acme' }).click()
    await page.locator('.menu.account').getByRole('link', { name: 'Session' }).click()
    await expectPage(page, 'Your session')
    expect(await page.getByText('ada@acme.example').isVisible()).toBe(true)
    await page.locator('summary', { hasText: 'ada-acme' }).click()
    await page.locator('.menu.account').getByRole('button', { name: 'Sign out' }).click()
    await expectPage(page, 'You are signed out')
    await page.getByRole('link', { name: 'Sign out of' }).click()
    await page.waitForURL(`${oidc.issuer}/session/end?**`)
    await page.context().close()
  })
})

describe('local sign-in', () => {
  beforeAll(async () => {
    hub = await startBuiltHub(await freePort(), {}, CONTENT)
  })
  afterAll(() => hub?.stop())

  const signInAs = async (handle: string, options = {}) => {
    const opened = await open(options)
    await opened.page.goto(hub.signInLink())
    await opened.page.getByLabel('Username').fill(handle)
    await opened.page.keyboard.press('Enter')
    await opened.page.waitForURL(`${hub.url}/settings`)
    return opened
  }

  test('works without JavaScript and with the keyboard alone', async () => {
    const { page } = await signInAs('Bob', { javaScriptEnabled: false })
    expect(await page.locator('.lead').textContent()).toBe('Signed in as bob')
    await openTab(page, 'Tokens')
    await page.getByLabel('Name').focus()
    await page.keyboard.type('by hand')
    for (const _ of ['Owner', 'Repository', 'Days']) await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const token = (await page.locator('#new-token').textContent()) ?? ''

    // Runs the lines exactly as the page shows them.
    const lines = await page.locator('#snippet-set, #snippet-curl').allTextContents()
    // A synchronous call would block the hub, which runs in the same process.
    const { stdout: answer } = await promisify(execFile)('sh', ['-c', lines.join('\n')])
    expect(JSON.parse(answer)).toMatchObject({ data: { full_name: 'bob/my-prompt', version: '1.0.0' } })

    await page.goto(`${hub.url}/settings/tokens`)
    await page.getByRole('button', { name: /^Revoke by hand/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('The token was revoked').waitFor()
    expect((await publish(token, 'bob/my-prompt', 'More.')).status).toBe(401)
    await openTab(page, 'Session')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    expect(await page.locator('.notice').textContent()).toBe('You are signed out.')
    await page.goto(`${hub.url}/settings`)
    expect(await page.getByText('open the link that npm start printed').count()).toBe(1)
  })

  test('the copy button works and the page fits a small screen', async () => {
    const { page, problems } = await signInAs('alice', { viewport: { width: 360, height: 740 } })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const token = await makeToken(page, '<b>"small" & x</b>', 'hello')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await page.getByRole('button', { name: 'Copy token' }).click()
    await page.locator('#spoken', { hasText: 'Copied' }).waitFor({ state: 'attached' })
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token)
    await page.getByRole('link', { name: 'Back to your account' }).click()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    const names = await page.locator('.tokens tbody th').allTextContents()
    expect(names).toContain('<b>"small" & x</b>')
    expect(problems).toEqual([])
  })

  test('account pages are accessible with local sign-in: signed out, sign-in, tokens, and errors', async () => {
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    // Who comes from a page is back there after signing in.
    await page.goto(`${hub.url}/acme/greet`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(hub.signInLink())
    await expectPage(page, 'Sign in')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('handle')
    await page.keyboard.type('carol')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${hub.url}/acme/greet`)
    await page.goto(`${hub.url}/settings`)
    await page.getByText('Signed in as carol').waitFor()
    await fillInToken(page, 'A name that is much too long for one line of a small screen', 'greetings-for-everybody')
    await expectPage(page, 'Your new token')
    await page.getByRole('link', { name: 'Back to your account' }).click()
    await fillInToken(page, 'laptop')
    await page.getByRole('link', { name: 'Back to your account' }).click()
    expect(await page.locator('.tokens tbody tr').count()).toBe(2)
    await page.getByRole('button', { name: /^Revoke laptop/ }).click()
    await page.getByText('The token was revoked').waitFor()
    await fillInToken(page, 'laptop', 'No Name')
    await page.getByRole('alert').waitFor()
    await expectPage(page, 'Your tokens')
    await page.goto(`${hub.url}/auth/callback`)
    await expectPage(page, 'Something went wrong')
    await page.context().close()
  })
})
