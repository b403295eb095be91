// Tests publishing and managing a prompt in a browser, from sign-in to deprecation: with a conflict, by keyboard,
// without JavaScript, and with forged forms. All tests share one hub.

import type { Browser } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pointing } from '../fixtures/labels.ts'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { expectUsable } from '../site/axe.ts'
import { tabTo } from '../site/visitor-jobs.ts'
import { COMPOSED_CONTENT, testComposed } from './composed.ts'
import { testFirstPrompt } from './first-prompt.ts'
import { OWNER_CONTENT, testOwnerSettings } from './owner-settings.ts'
import { signInPlainly } from './plain-forms.ts'
import { press, promptField, signIn, useBrowserAndHub } from './signed-in.ts'
import { testWriting, WRITING_CONTENT } from './writing.ts'

const CONTENT = {
  'content/acme/index.md': '---\nname: Acme\nmembers: [alice]\n---\n',
  'content/acme/greet/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\nvariables:\n  - name: name\n    example: "Ada\\nGrace"\n---\nHello {{name}}\n',
  'content/zoe/shy/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: zoe\n---\nNot yours.\n',
  'content/alice/plain/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: alice\n---\nPlain.\n',
  'content/alice/keys/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: alice\n---\nPress {{key}}.\n',
  'content/alice/keys/versions/1.0.1.md':
    '---\npublished_at: "2026-11-21T10:00:00Z"\npublished_by: alice\n---\nPress {{key}} twice.\n',
  ...WRITING_CONTENT,
  ...COMPOSED_CONTENT,
  ...OWNER_CONTENT,
}

let browser: Browser
let hub: BuiltHub
useBrowserAndHub(CONTENT, (...opened) => {
  ;[browser, hub] = opened
})

const open = async (javaScriptEnabled: boolean) => {
  const { page } = await signIn(browser, hub, { javaScriptEnabled })
  // A page that stays open takes processor time.
  onTestFinished(() => page.close())
  return page
}

const record = async (name: string) => (await (await fetch(`${hub.url}/api/v1/repos/${name}`)).json()).data
const raw = async (name: string) => (await fetch(`${hub.url}/api/v1/repos/${name}/raw`)).text()

test('publishes, edits, labels, yanks and deprecates a prompt', { timeout: 300_000 }, async () => {
  const page = await open(true)
  await page.goto(`${hub.url}/new`)
  await page.locator('.code-field').waitFor()
  // The name is made from the title.
  await page.getByLabel('Title').fill('Hello')
  await promptField(page).fill('Say hello to {{name}}.\nTwice.')
  await page.getByText('Variables: name').waitFor({ state: 'attached' })
  // Pressing Enter in a field runs the check and never publishes.
  await page.getByLabel('Title').press('Enter')
  await page.getByRole('heading', { name: 'Version 1.0.0' }).waitFor()
  expect((await fetch(`${hub.url}/api/v1/repos/alice/hello`)).status).toBe(404)
  await page.getByRole('group').getByLabel('Description').fill('Whom to greet')
  await press(page, 'Publish 1.0.0')
  await page.waitForURL(`${hub.url}/alice/hello/edit?published=1.0.0`)
  expect(await raw('alice/hello')).toBe('Say hello to {{name}}.\nTwice.')
  expect((await record('alice/hello')).variables[0]).toMatchObject({ description: 'Whom to greet', required: true })

  await page.getByRole('link', { name: 'Edit again' }).click()
  await page.locator('.code-field').waitFor()
  await promptField(page).fill('Say hello to {{name}} in {{language}}.')
  await page.getByLabel('What changed').fill('A language')
  await page.getByRole('button', { name: 'Publish 2.0.0' }).waitFor()
  // Meanwhile, another user publishes.
  const other = await open(true)
  await other.goto(`${hub.url}/alice/hello/edit`)
  await other.locator('.code-field').waitFor()
  await promptField(other).fill('Say hello to {{name}}, twice.')
  await press(other, 'Publish 1.0.1')
  await other.waitForURL(`${hub.url}/alice/hello/edit?published=1.0.1`)
  await press(page, 'Publish 2.0.0')
  await page.getByRole('heading', { name: 'Published meanwhile: 1.0.1' }).waitFor()
  expect(await page.locator('[name=content]').inputValue()).toBe('Say hello to {{name}} in {{language}}.')
  await press(page, 'Publish 2.0.0')
  await page.waitForURL(`${hub.url}/alice/hello/edit?published=2.0.0`)
  expect(await raw('alice/hello')).toBe('Say hello to {{name}} in {{language}}.')

  const alice = await signInPlainly(hub, 'alice')
  let manage = await alice.open('/alice/hello/manage')
  /** @param expected what the next page says */
  const send = async (form: string, typed: Parameters<typeof alice.send>[2], expected: string) => {
    manage = await alice.send(manage, form, typed)
    expect(manage.text.replace(/\s+/g, ' ')).toContain(expected)
  }
  const newLabel = 'class="account-form" action="/alice/hello/manage" method="post"><input type="hidden" name="csrf"'
  await send(newLabel, { label: 'production', version: '1.0.1' }, 'Add production')
  await send('Add production', {}, 'production now points at 1.0.1.')
  expect((await record('alice/hello')).labels).toEqual(pointing({ production: '1.0.1' }))
  // What a move does to callers is said before it is made.
  await page.getByRole('link', { name: 'Manage' }).click()
  await expectUsable(page)
  await page.getByLabel('Move production to').selectOption('2.0.0')
  await press(page, 'Review moving production')
  await page.getByText('production: 1.0.1 → 2.0.0: breaking').waitFor()
  await page.getByText('adds required variable language').waitFor()
  await expectUsable(page, false)
  expect((await record('alice/hello')).labels).toEqual(pointing({ production: '1.0.1' }))
  // A rejected form keeps what it was sent with, and no other form on the page takes it over.
  const reason = { reason: 'Too many languages' }
  await send('>Yank<', { version: '1.0.0', ...reason }, 'Confirm the effect')
  expect(manage.html).toMatch(/id="yank-version".*?<option value="1\.0\.0" selected/s)
  expect(manage.html).toMatch(
    /id="label-version"(?:(?!<\/select>).)*<option value="2\.0\.0"(?:(?!<\/select>| selected).)*<\/select>/s,
  )
  expect(manage.html).toContain('value="Too many languages"')
  await send('>Yank<', { version: '2.0.0', ...reason, confirmed: 'yes' }, '2.0.0 is yanked.')
  expect((await record('alice/hello')).latest_version).toBe('1.0.1')
  await send('Un-yank 2.0.0', {}, '2.0.0 is not yanked.')
  expect((await record('alice/hello')).latest_version).toBe('2.0.0')
  const status = { status: 'deprecated', status_message: 'Greet by hand.' }
  await send('>Change the status<', { ...status, confirmed: 'yes' }, 'The status is deprecated.')
  expect(await record('alice/hello')).toMatchObject(status)

  // Within 72 hours, its author may delete what was just published.
  expect(manage.text).toContain('To delete a version that a label points at')
  await send('>Delete this version<', { version: '1.0.0', confirmed: 'yes' }, 'There is no version 1.0.0.')
  expect((await fetch(`${hub.url}/api/v1/repos/alice/hello/versions/1.0.0`)).status).toBe(404)
  const feed = await (await fetch(`${hub.url}/alice/hello/feed.xml`)).text()
  expect([...feed.matchAll(/<title>Hello:? ([^<]*)</g)].map(([, words]) => words)).toEqual([
    ...['Removed 1.0.0: Deleted within 72 hours'],
    ...['Changed the status from active to deprecated: Greet by hand.', 'Restored 2.0.0'],
    ...['Yanked 2.0.0: Too many languages', 'Set label production to 1.0.1', '2.0.0', '1.0.1'],
  ])
})

test('forks a prompt into a chat prompt, message by message, and records its source', async () => {
  const page = await open(true)
  await page.goto(`${hub.url}/acme/greet`)
  await page.getByRole('link', { name: 'Fork', exact: true }).click()
  await page.locator('.code-field').waitFor()
  expect(await page.locator('[name=content]').inputValue()).toBe('Hello {{name}}\n')
  await page.getByLabel('Name', { exact: true }).fill('greet-chat')
  await promptField(page).fill('')
  await page.getByLabel('Format', { exact: true }).selectOption('chat')
  await press(page, 'Add system')
  await page.keyboard.type('You are polite.')
  await press(page, 'Add user')
  await page.keyboard.type('Greet {{name}}.')
  await page.getByRole('button', { name: 'Publish 1.0.0' }).waitFor()
  await expectUsable(page, false)
  await press(page, 'Publish 1.0.0')
  await page.waitForURL(`${hub.url}/alice/greet-chat/edit?published=1.0.0`)
  const { messages, variables, forked_from } = await record('alice/greet-chat')
  // Line feeds in an example are preserved.
  expect(variables[0].example).toBe('Ada\nGrace')
  expect([messages, forked_from]).toEqual([
    [
      { role: 'system', content: 'You are polite.' },
      { role: 'user', content: 'Greet {{name}}.' },
    ],
    'acme/greet@1.0.0',
  ])
})

test('the forms of the hub work without JavaScript; requests without permission, confirmation or session are rejected', async () => {
  const page = await open(false)
  await page.goto(`${hub.url}/alice/plain/edit`)
  await page.getByText('The editor needs JavaScript.').waitFor()
  expect(await page.locator('#snippet-publish').textContent()).toContain(
    `'${hub.url}/api/v1/repos/alice/plain/versions'`,
  )
  expect(await page.locator('form.editor').isVisible()).toBe(false)
  // Those who are not members see why, and no form that would be refused.
  await page.goto(`${hub.url}/zoe/shy/manage`)
  await page.getByText('You are signed in as alice, who is not a member of zoe').waitFor()
  expect(await page.locator('main').getByRole('definition').allTextContents()).toEqual(['active'])
  expect(await page.locator('main form').count()).toBe(0)
  await page.goto(`${hub.url}/alice/plain/manage`)
  const cookie = (await page.context().cookies()).find(({ name }) => name === 'session')
  const csrf = await page.locator('input[name="csrf"]').first().getAttribute('value')
  const send = async (given: Record<string, string>, headers: Record<string, string> = {}) => {
    const { status } = await fetch(`${hub.url}/alice/plain/manage`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: hub.url, cookie: `${cookie!.name}=${cookie!.value}`, ...headers },
      body: new URLSearchParams(given),
    })
    return status
  }
  const good = { csrf: csrf!, change: 'status', status: 'deprecated', confirmed: 'yes' }
  expect(await send({ ...good, csrf: 'x' })).toBe(403)
  expect(await send(good, { origin: 'https://evil.example' })).toBe(403)
  expect(await send(good, { 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await send(good, { cookie: '' })).toBe(401)
  expect(await send({ csrf: csrf!, change: 'yank', version: '1.0.0', reason: 'x' })).toBe(422)
  expect(await send({ csrf: csrf!, change: 'delete' })).toBe(400)
  expect(await send({ csrf: csrf!, change: 'delete-prompt', confirmed: 'yes' })).toBe(422)
  expect((await record('alice/plain')).status).toBe('active')
  expect(await send(good)).toBe(303)

  // The API takes the session of a page of this hub: of the same origin, and with the token of the very session.
  const write = async (path: string, given: Record<string, string>) => {
    const all = {
      origin: hub.url,
      cookie: `${cookie!.name}=${cookie!.value}`,
      'x-csrf-token': csrf!,
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ content: 'By session.', dry_run: true })
    const answer = await fetch(`${hub.url}/api/v1/repos/${path}/versions`, {
      method: 'POST',
      headers: { ...all, ...given },
      body,
    })
    return [answer.status, (await answer.json()).error?.code ?? 'done']
  }
  expect(await write('alice/plain', {})).toEqual([200, 'done'])
  for (const [given, refusal] of [
    [{ origin: 'https://evil.example' }, [403, 'forbidden']],
    [{ 'sec-fetch-site': 'cross-site' }, [403, 'forbidden']],
    [{ 'sec-fetch-site': 'same-site' }, [403, 'forbidden']],
    [{ 'x-csrf-token': '' }, [401, 'unauthorized']],
    [{ 'x-csrf-token': `${csrf![0] === 'a' ? 'b' : 'a'}${csrf!.slice(1)}` }, [401, 'unauthorized']],
    [{ cookie: '' }, [401, 'unauthorized']],
    [{ cookie: `session=${'a'.repeat(43)}` }, [401, 'unauthorized']],
    [{ authorization: 'Bearer x' }, [401, 'unauthorized']],
    [{ 'content-type': 'text/plain' }, [415, 'unsupported_media_type']],
  ] as const)
    expect([given, await write('alice/plain', given)]).toEqual([given, refusal])
  expect(await write('zoe/shy', {})).toEqual([403, 'forbidden'])
  expect((await fetch(`${hub.url}/new`, { method: 'POST', headers: { origin: hub.url }, body: '{}' })).status).toBe(401)

  const framed = await fetch(`${hub.url}/alice/plain/manage`)
  expect([framed.status, framed.headers.get('cache-control')]).toEqual([401, 'no-store'])
  expect(framed.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect((await fetch(`${hub.url}/alice/nothing/edit`)).status).toBe(404)
  expect((await fetch(`${hub.url}/new`, { method: 'PUT' })).status).toBe(405)
  const headers = { origin: hub.url, cookie: `${cookie!.name}=${cookie!.value}` }
  expect((await fetch(`${hub.url}/alice/plain/edit`, { method: 'POST', headers })).status).toBe(405)
})

test('proposes in the editor, and accepts or rejects on the page of the proposal', async () => {
  const page = await open(true)
  const [alice, eve] = [await signInPlainly(hub, 'alice'), await signInPlainly(hub, 'eve')]
  const proposed = async (text: string) => {
    await page.goto(`${hub.url}/acme/greet/edit`)
    await page.locator('.code-field').waitFor()
    await promptField(page).fill(text)
    await page.getByRole('button', { name: 'Publish 1.0.1' }).waitFor()
    await press(page, 'Propose')
    await page.waitForURL(/\/acme\/greet\/proposals\/[0-9a-f]{32}$/)
    return page.url()
  }
  const rejected = await proposed('Hello there {{name}}\n')
  await expectUsable(page)
  expect((await record('acme/greet')).latest_version).toBe('1.0.0')
  // Whoever has the address may read it, and nobody keeps it.
  const read = await fetch(rejected)
  expect([read.status, read.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const html = await read.text()
  expect(html).toContain('Sign in</a> as a member of acme')
  expect(html).not.toContain('name="csrf"')
  expect((await fetch(rejected, { method: 'POST', headers: { origin: hub.url } })).status).toBe(401)
  expect((await fetch(rejected.replace('greet', 'other'))).status).toBe(404)
  // Nobody else gets it from a form that was refused.
  const theirs = /name="csrf" value="([^"]+)"/.exec((await eve.open('/eve/settings')).html)![1]!
  const post = async (address: string, cookie: string, form: Record<string, string>) => {
    const headers = { origin: hub.url, cookie }
    const body = new URLSearchParams(form)
    const answer = await fetch(address, { method: 'POST', redirect: 'manual', headers, body })
    return { status: answer.status, text: await answer.text() }
  }
  for (const [confirmed, status] of [
    ['', 422],
    ['yes', 403],
  ] as const) {
    const form = { csrf: theirs, change: 'status', status: 'archived', confirmed }
    const refused = await post(`${hub.url}/acme/greet/manage`, eve.cookie(), form)
    expect([refused.status, refused.text]).toEqual([status, expect.not.stringContaining('/proposals/')])
  }
  const [, listed = ''] = /href="([^"]+)"><span dir="auto">Without a changelog/.exec(
    (await alice.open('/acme/greet/manage')).html,
  )!
  const after = await alice.send(await alice.open(listed), '>Reject<', { reason: 'Too friendly' })
  expect(after.text).toContain('alice rejected it. Too friendly')
  const accepted = await proposed('Good day {{name}}\n')
  const shown = await alice.open(accepted)
  // Neither another session nor a page that shows something else accepts it.
  const csrf = /name="csrf" value="([^"]+)"/.exec(shown.html)![1]!
  expect((await post(accepted, alice.cookie(), { csrf: theirs, change: 'accept' })).status).toBe(403)
  expect((await post(accepted, alice.cookie(), { csrf, change: 'accept', seen: '1.0.0' })).status).toBe(409)
  await alice.send(shown, 'Accept and publish 1.0.1')
  expect(await raw('acme/greet')).toBe('Good day {{name}}\n')
  expect((await alice.open(accepted)).text).toContain('alice accepted it.')
})

test('labels and yanks by keyboard alone', async () => {
  const page = await open(true)
  const { keyboard } = page
  const fill = async (label: string | RegExp, text: string) => {
    await tabTo(page, label)
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type(text)
  }
  const choose = async (label: string | RegExp, key: string) => {
    await tabTo(page, label)
    await keyboard.press(key)
  }
  await page.goto(`${hub.url}/settings`)
  await tabTo(page, 'New prompt')
  await keyboard.press('Enter')
  await page.waitForURL(`${hub.url}/new`)
  await page.goto(`${hub.url}/alice/keys/manage`)
  await fill('Label', 'stable')
  await choose('Version', 'ArrowDown')
  await choose('Review', 'Enter')
  // The button that confirms has the focus.
  await page.getByRole('button', { name: 'Add stable' }).waitFor()
  await keyboard.press('Enter')
  await page.getByText('stable now points at 1.0.0.').waitFor()
  await choose(/^Yank a version/, 'Enter')
  await fill('Reason', 'Too often')
  await choose(/^Everyone can see/, 'Space')
  await choose('Yank', 'Enter')
  await page.getByText(/^\d\.\d\.\d is yanked\.$/).waitFor()
  const { latest_version, labels } = await record('alice/keys')
  expect([latest_version, labels]).toEqual(['1.0.0', { stable: { version: '1.0.0', split: null } }])
})

describe('a first prompt', () => testFirstPrompt(() => [browser, hub]))
describe('writing', () => testWriting(() => [browser, hub]))
describe('prompts with more than a text', () => testComposed(() => [browser, hub]))
describe('settings of an owner', () => testOwnerSettings(() => [browser, hub]))
