// Tests accounts in a browser, from sign-in to publishing: with GitHub, in local mode and with two providers. Their pages
// are checked with axe, in light and dark mode and on a small screen. Then the ways from a page to the editor: who sees
// which buttons, and what they do. Pages are the same for everybody, so a script shows what depends on the reader.
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { signIn } from '../editor/signed-in.ts'
import { pointing } from '../fixtures/labels.ts'
import { type GitHubStandIn, startGitHubStandIn } from '../github/stand-in.ts'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { CLIENT, startOpenIdProvider } from '../oidc/provider.ts'
import { openBrowser } from '../pictures/look/browser.ts'
import { expectUsable } from '../site/axe.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const CONTENT_AT_PROVIDERS = {
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
  return startBuiltHub(port, settings, CONTENT_AT_PROVIDERS)
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
  // A page that stays open takes processor time.
  onTestFinished(() => page.context().close())
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  return { page, problems }
}

/** @param hasColours whether colours are judged too, which takes most of the time: not where another page has the same parts */
async function expectPage(page: Page, title: string, hasColours = true): Promise<void> {
  expect(await page.locator('h1').textContent()).toBe(title)
  await expectUsable(page, hasColours)
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
    await expectPage(page, 'Your session', false)
    expect(await page.getByText('ada@acme.example').isVisible()).toBe(true)
    await page.locator('summary', { hasText: 'ada-acme' }).click()
    await page.locator('.menu.account').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await page.getByRole('link', { name: 'Sign out of' }).click()
    await page.waitForURL(`${oidc.issuer}/session/end?**`)
    await page.context().close()
  })
})

const version = (content: string, day: number, more = '') =>
  `---\npublished_at: "2026-11-0${day}T10:00:00Z"\npublished_by: acme\n${more}---\n${content}`
const CONTENT = {
  'content/site.yml': 'report_url: "https://example.com/report?prompt={prompt}"\n',
  'content/acme/index.md': '---\nname: Acme\nmembers: [alice]\n---\n',
  'content/acme/greet/index.md':
    '---\ntitle: Greet\ndescription: Says hello to somebody, in a language of their choice.\nlabels: {production: "1.0.0", staging: "1.1.0"}\n---\nA readme.\n',
  'content/acme/greet/versions/1.0.0.md': version('Hello {{name}}\r\nand goodbye\r\n', 1),
  'content/acme/greet/versions/1.1.0.md': version('Hello {{name}}!\n', 2),
  'content/acme/greet/versions/1.2.0.md': version(
    'Hello {{name}} in {{language}}.\n',
    3,
    'skill: {description: "Greets. Use it to say hello."}\n',
  ),
  'content/acme/talk/versions/1.0.0.md': version(
    '{{role "system"}}\nBe kind to {{name}}.\n\n{{role "user"}}\nHello\n',
    1,
    'format: chat\n',
  ),
  'content/acme/long/versions/1.0.0.md': version(`Hello {{name}}\n${'A long line. '.repeat(800)}\n`, 1),
  'content/acme/kept/index.md': '---\ntitle: Kept\nstatus: archived\n---\n',
  'content/acme/kept/versions/1.0.0.md': version('Old.\n', 1),
  'content/acme/left/index.md': '---\ntitle: Left\nmoved_to: acme/talk\n---\n',
  'content/acme/left/versions/1.0.0.md': version('Old.\n', 1),
  'content/acme/gone/index.md': '---\ntitle: Gone\nyanked: {"1.0.0": "A mistake"}\n---\n',
  'content/acme/gone/versions/1.0.0.md': version('Wrong.\n', 1),
  'content/zoe/shy/index.md': '---\ntitle: Shy\nforked_from: acme/greet@1.0.0\n---\n',
  'content/zoe/shy/versions/1.0.0.md': version('Not yours.\n', 1),
  ...Object.fromEntries(
    Array.from({ length: 22 }, (_, step) => [
      `content/zoe/steps/versions/1.0.${step}.md`,
      version(`Step ${step}.\n`, 1),
    ]),
  ),
}
const WIDE = { width: 1280, height: 800 }

/** The tabs of the tests about buttons: a new tab would start two processes. */
const tabs = new Map<string, Promise<Page>>()
/** Opens the tab of somebody, which the next test goes on with. @param handle signs in, unless it is undefined */
async function visit(handle?: string, javaScriptEnabled = true): Promise<Page> {
  const options = { javaScriptEnabled, reducedMotion: 'reduce', viewport: WIDE } as const
  const open = async () =>
    handle === undefined
      ? (await browser.newContext(options)).newPage()
      : (await signIn(browser, hub, options, handle)).page
  const key = `${handle} ${javaScriptEnabled}`
  const tab = tabs.get(key) ?? open()
  tabs.set(key, tab)
  const page = await tab
  await page.setViewportSize(WIDE)
  return page
}

/** Returns the names of the links and buttons in a part of the page, without the hidden ones. */
const namesIn = async (part: Locator) =>
  [...(await part.ariaSnapshot()).matchAll(/(?:link|button) "([^"]*)"/g)].map(([, name]) => name)
const doorsOf = (page: Page) => namesIn(page.locator('.doors'))
const recordOf = async (name: string) => (await (await fetch(`${hub.url}/api/v1/repos/${name}`)).json()).data

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
    await expectPage(page, 'Sign in', false)
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
    await expectPage(page, 'Something went wrong', false)
    await page.context().close()
  })

  test('a reader who is not signed in sees only Fork, and no page asks who is signed in', async () => {
    const page = await visit()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${hub.url}/acme/greet`, { waitUntil: 'networkidle' })
    expect(await doorsOf(page)).toEqual(['Fork'])
    expect(await namesIn(page.locator('.version-links').nth(1))).toEqual([
      ...['Compare 1.0.0 with 1.1.0', 'Raw content of 1.1.0', 'Fork 1.1.0'],
    ])
    expect(asked).not.toContain('/auth/session')
    // The header leads to the editor, which says what is needed.
    await page.getByRole('link', { name: 'New prompt' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('without JavaScript, a reader sees no button that leads only to signing in', async () => {
    const page = await visit(undefined, false)
    await page.goto(`${hub.url}/acme/greet`)
    expect(await doorsOf(page)).toEqual(['Fork'])
    await page.goto(`${hub.url}/acme`)
    expect(await page.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0)
    for (const path of ['edit', 'manage']) {
      await page.goto(`${hub.url}/acme/greet/${path}`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    }
  })

  test('somebody else, signed in, gets “Fork” alone; the header names them', async () => {
    const page = await visit('bob')
    await page.goto(`${hub.url}/acme/greet`)
    const fork = page.locator('.doors').getByRole('link', { name: 'Fork' })
    expect(await fork.getAttribute('href')).toBe('/new?from=acme/greet@1.2.0')
    await expect.poll(() => page.locator('[data-account]').textContent()).toBe('bob')
    expect(await doorsOf(page)).toEqual(['Fork'])
  })

  test('a member points labels from the page, and finds what else they may do; nothing moves when the buttons appear', async () => {
    const page = await visit('alice')
    await page.addInitScript(() => {
      const moved: string[] = []
      Reflect.set(window, 'moved', moved)
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          for (const { node } of Reflect.get(entry, 'sources') ?? [])
            if (node instanceof Element && node.closest('.site-header, .prompt-head')) moved.push(node.outerHTML)
      }).observe({ type: 'layout-shift', buffered: true })
    })
    // The answer comes after the page was painted.
    const { promise: painted, resolve: letAnswer } = Promise.withResolvers<void>()
    await page.route('**/auth/session', (route) => painted.then(() => route.continue()))
    await page.goto(`${hub.url}/acme/greet`)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    expect(await doorsOf(page)).toEqual(['Fork'])
    letAnswer()
    await page.getByRole('link', { name: 'Manage', exact: true }).waitFor()
    await page.unroute('**/auth/session')
    expect(await doorsOf(page)).toEqual(['Fork', 'Edit', 'Manage'])
    expect(await page.locator('[data-account]').textContent()).toBe('alice')
    expect(await page.evaluate(() => Reflect.get(window, 'moved'))).toEqual([])
    await page.locator('.version-row .menu summary').nth(1).click()
    await expectUsable(page, false)
    await page.keyboard.press('Escape')
    await page.setViewportSize(WIDE)

    const row = page.locator('.version-row', { has: page.getByRole('heading', { name: '1.1.0' }) })
    expect(await row.locator('.mark').allTextContents()).toEqual(['staging'])
    await row.locator('.menu summary').click()
    expect(await namesIn(row.locator('.menu > div'))).toEqual(['Revert to this version', 'Point production here'])
    await row.getByRole('button', { name: 'Point production here' }).click()
    await page.getByRole('button', { name: /^(?:Add production|Move production to 1)/ }).click()
    await page.getByText('production now points at 1.1.0.').waitFor()
    expect((await recordOf('acme/greet')).labels).toEqual(pointing({ production: '1.1.0', staging: '1.1.0' }))

    await page.goto(`${hub.url}/acme/greet`)
    // The browser may have the page in its cache.
    await page.reload()
    expect(await page.locator('.sections .facts').textContent()).toContain('production → 1.1.0')
    await page.locator('.version-row').last().locator('.menu summary').click()
    const revert = page.getByRole('link', { name: 'Revert to this version' }).filter({ visible: true })
    expect(await revert.getAttribute('href')).toBe('/acme/greet/edit?version=1.0.0')
  })

  test('a member sees only what a version’s page and an archived prompt allow', async () => {
    const page = await visit('alice')
    for (const [path, doors] of [
      ['/acme/talk', ['Fork', 'Edit', 'Manage']],
      ['/acme/greet/v/1.1.0', ['Fork', 'Revert to this version']],
      ['/acme/kept', ['Fork', 'Manage']],
      ['/acme/left', ['Fork', 'Manage']],
      ['/acme/gone', ['Manage']],
    ] as const) {
      await page.goto(hub.url + path)
      await expect.poll(() => doorsOf(page), { message: path }).toEqual(doors)
    }
    expect(await page.locator('.version-row [data-version]').count()).toBe(0)
    // Nobody writes a version that the hub would refuse.
    for (const [path, why] of [
      ['/acme/kept/edit', 'acme/kept is archived and accepts no new versions.'],
      ['/acme/left/edit', 'acme/left has moved to acme/talk. Publish there.'],
    ] as const) {
      expect((await page.goto(hub.url + path))?.status()).toBe(409)
      expect(await page.locator('main').textContent()).toContain(why)
    }
    await page.goto(`${hub.url}/acme/left/manage`)
    expect(await page.getByRole('link', { name: 'edit the prompt' }).count()).toBe(0)
  })

  test('the server judges, whatever the page shows', async () => {
    const page = await visit('bob')
    await page.goto(hub.url)
    const { csrf } = await page.evaluate(async () => (await (await fetch('/auth/session')).json()).data)
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    const point = async (given: Record<string, string>) =>
      (
        await fetch(`${hub.url}/acme/greet/manage`, {
          method: 'POST',
          redirect: 'manual',
          headers: { origin: hub.url, cookie },
          body: new URLSearchParams({ change: 'label', label: 'production', version: '1.0.0', ...given }),
        })
      ).status
    expect([await point({ csrf }), await point({ csrf: 'x' }), await point({})]).toEqual([403, 403, 403])
    expect((await fetch(`${hub.url}/acme/greet/edit?version=9.9.9`, { headers: { cookie } })).status).toBe(404)
    for (const [from, said] of [
      ['acme/greet@9.9.9', 'acme/greet@9.9.9'],
      ['<b>', '&lt;b&gt;'],
    ] as const) {
      const headers = { cookie, accept: 'text/html' }
      const answer = await fetch(`${hub.url}/new?from=${encodeURIComponent(from)}`, { headers })
      expect([answer.status, await answer.text()]).toEqual([
        404,
        expect.stringContaining(`There is no version ${said} to fork.`),
      ])
    }
  })

  test('“Install” is above the fold at 1280 × 800, and a skill opens on its commands', async () => {
    const page = await visit()
    for (const [path, start] of [
      ['/acme/talk', 'curl -fsS '],
      ['/zoe/shy', 'curl -fsS '],
      ['/acme/greet/v/1.0.0', 'curl -fsS '],
      ['/acme/greet/v/1.2.0', 'npx skills add '],
    ] as const) {
      await page.goto(hub.url + path)
      const command = page.locator('.use pre').filter({ visible: true }).first()
      const { y, height } = (await command.boundingBox())!
      expect(y + height, path).toBeLessThan(WIDE.height)
      expect(await command.textContent(), path).toContain(start)
    }
    await page.goto(`${hub.url}/acme/talk`)
    expect(await page.locator('.tools').getByText('Skill', { exact: true }).count()).toBe(0)
  })

  test('“fork of” stands in the header and beside the first version; “Report this prompt” names the version', async () => {
    const page = await visit()
    await page.goto(`${hub.url}/zoe/shy`)
    for (const place of ['.prompt-head', '.version-row'])
      expect(await page.locator(place).textContent()).toContain('fork of acme/greet@1.0.0')
    expect(await page.getByRole('link', { name: 'Report this prompt' }).getAttribute('href')).toBe(
      'https://example.com/report?prompt=zoe%2Fshy%401.0.0',
    )
  })

  test('“Open in” sends the filled text to the app that the reader clicks, and nothing else', async () => {
    const page = await visit()
    const sent: { url: string; referer: string | undefined }[] = []
    await page.context().route(/chatgpt\.com|claude\.ai/, async (route) => {
      const headers = await route.request().allHeaders()
      sent.push({ url: route.request().url(), referer: headers.referer })
      await route.fulfill({ body: 'Elsewhere' })
    })
    await page.goto(`${hub.url}/acme/talk`)
    await page.getByLabel('name').fill('Ada & co')
    const opened = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'Open in Claude' }).click()
    const elsewhere = await opened
    await elsewhere.getByText('Elsewhere').waitFor()
    expect(await elsewhere.evaluate(() => window.opener)).toBe(null)
    expect(sent.map(({ url, referer }) => [url.split('?')[0], new URL(url).searchParams.get('q'), referer])).toEqual([
      ['https://claude.ai/new', 'system:\nBe kind to Ada & co.\n\nuser:\nHello', undefined],
    ])
    // The values are in the address of the page, which is not sent.
    await page.goto(`${hub.url}/acme/greet#?name=Grace`)
    await page.reload()
    await expect
      .poll(() => page.getByRole('link', { name: 'Open in ChatGPT' }).getAttribute('href'))
      .toMatch(/^https:\/\/chatgpt\.com\/\?q=Hello%20Grace/)
    expect(sent).toHaveLength(1)
  })

  test('a text that is too long for a link cannot be opened, and the page says why and offers to copy it', async () => {
    const page = await visit()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${hub.url}/acme/long`)
    const link = page.getByRole('link', { name: 'Open in ChatGPT' })
    await expect.poll(() => link.getAttribute('aria-disabled')).toBe('true')
    expect(await link.getAttribute('href')).toBe(null)
    expect(await page.getByText('A link to an app has at most 8,000 characters').isVisible()).toBe(true)
    await page.getByLabel('name').fill('Ada')
    await page.getByRole('button', { name: 'Copy text' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^Hello Ada\nA long line\. /)
  })

  test('the commands on the home page and in the docs publish, as they stand', async () => {
    const page = await visit('alice')
    await page.goto(`${hub.url}/settings/tokens`)
    await page.getByLabel('Name').fill('shell')
    await page.getByRole('button', { name: 'Create token' }).click()
    const token = (await page.locator('#new-token').textContent()) ?? ''
    const folder = temporaryFolder('hub-doors-')
    writeFileSync(join(folder, 'PROMPT.md'), 'Summarise {{text}} in two sentences.\n')
    const versions: string[] = []
    for (const path of ['/docs', '/']) {
      await page.goto(hub.url + path)
      expect(await page.locator('main').getByRole('link', { name: 'New prompt' }).getAttribute('href')).toBe('/new')
      const command = ((await page.locator('#first-publish').textContent()) ?? '').replace('YOUR-NAME', 'alice')
      // A synchronous call would block the hub, which runs in the same process.
      const { stdout } = await promisify(execFile)('sh', ['-c', command], {
        cwd: folder,
        env: { ...process.env, HUB_TOKEN: token },
      })
      versions.push(JSON.parse(stdout).data.version)
    }
    expect(versions).toEqual(['1.0.0', '1.0.1'])
  })

  test('the account page lists my prompts with their state', async () => {
    const page = await visit('alice')
    await page.goto(`${hub.url}/settings`)
    const rows = await page.locator('.own-prompts .row').allTextContents()
    const states = rows.map((row) => [
      /acme\/\w+/.exec(row)?.[0],
      /archived|moved to|all versions yanked/.exec(row)?.[0],
    ])
    expect(states.toSorted()).toEqual([
      ['acme/gone', 'all versions yanked'],
      ['acme/greet', undefined],
      ['acme/kept', 'archived'],
      ['acme/left', 'moved to'],
      ['acme/long', undefined],
      ['acme/talk', undefined],
    ])
    expect(await page.getByRole('link', { name: /^Edit acme/ }).allTextContents()).toEqual(
      expect.arrayContaining(['Edit acme/greet', 'Edit acme/long', 'Edit acme/talk']),
    )
    for (const closed of ['kept', 'left', 'gone'])
      expect(await page.getByRole('link', { name: `Edit acme/${closed}` }).count()).toBe(0)
    expect(await page.locator('.own-prompts .face path').count()).toBeGreaterThan(0)
    await expectUsable(page)
    await page.getByRole('link', { name: 'Manage acme/kept' }).click()
    await page.waitForURL(`${hub.url}/acme/kept/manage`)
  })

  test('a member makes an archived prompt active again, which is all that its page offers', async () => {
    const page = await visit('alice')
    await page.goto(`${hub.url}/acme/kept/manage`)
    expect(await page.locator('main h2').allTextContents()).toEqual(['Danger zone'])
    expect(await page.locator('main').getByRole('link', { name: 'edit the prompt' }).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Status' }).selectOption('active')
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Change the status' }).click()
    await page.waitForURL(`${hub.url}/acme/kept/manage?done=status`)
    expect(await page.locator('main h2').allTextContents()).toContain('Labels')
  })

  // tests/site/many-versions.ts has which versions are on which page.
  test('a version is compared and labelled on the page of all versions, where patches are folded', async () => {
    const page = await visit('zoe')
    await page.goto(`${hub.url}/zoe/steps/versions`)
    await expect.poll(() => page.locator('.version-row h4').count()).toBe(22)
    await page.getByText('20 patches: 1.0.1 to 1.0.20', { exact: true }).click()
    expect(await page.getByRole('link', { name: 'Compare 1.0.0 with 1.0.1' }).getAttribute('href')).toBe(
      '/zoe/steps/compare/1.0.0...1.0.1',
    )
    await page.getByText('Actions for 1.0.0', { exact: true }).click()
    await page.getByRole('button', { name: 'Point production here' }).click()
    await page.getByRole('button', { name: /^(?:Add production|Move production to 1)/ }).click()
    await page.getByText('production now points at 1.0.0.').waitFor()
    expect((await recordOf('zoe/steps')).labels).toEqual(pointing({ production: '1.0.0' }))
  })

  test('any two versions are compared without a script, also patches that are folded', async () => {
    const page = await visit(undefined, false)
    await page.goto(`${hub.url}/zoe/steps`)
    await page.getByText('19 patches: 1.0.2 to 1.0.20', { exact: true }).click()
    await page.getByRole('radio', { name: 'From 1.0.3' }).check()
    await page.getByRole('radio', { name: 'To 1.0.19' }).check()
    await page.getByRole('button', { name: 'Compare the chosen two' }).click()
    await page.waitForURL(`${hub.url}/zoe/steps/compare/1.0.3...1.0.19`)
    expect(await page.locator('.steps a').allTextContents()).toEqual(['← 1.0.2 to 1.0.3', '1.0.19 to 1.0.20 →'])
  })

  test('the menu of versions shows dates, is filtered, and opens a version that it does not list', async () => {
    const page = await visit()
    await page.goto(`${hub.url}/zoe/steps`)
    const links = page.locator('.version-menu a[href^="/"]')
    await page.locator('.version-menu summary').click()
    expect((await links.first().textContent())?.replace(/\s+/g, ' ')).toBe('1.0.21 latest 1 Nov 2026')
    const field = page.getByRole('searchbox', { name: 'Filter the versions' })
    // The script, which is loaded when the menu is first opened on a page, moves the focus there.
    const isReady = () => field.evaluate((one) => one === document.activeElement)
    await expect.poll(isReady).toBe(true)
    await page.keyboard.type('1.0.1')
    expect(await links.filter({ visible: true }).count()).toBe(11)
    await page.keyboard.type('7')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${hub.url}/zoe/steps/v/1.0.17`)
    await page.locator('.version-menu summary').click()
    await expect.poll(isReady).toBe(true)
    await field.fill('9.9.9')
    await field.press('Enter')
    await page.waitForURL(`${hub.url}/zoe/steps/v/9.9.9`)
    expect(await page.title()).toContain('not found')
  })
})
