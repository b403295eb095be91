// Tests an owner's settings in a browser: every form, by keyboard and without JavaScript, with mistakes, a conflict,
// visitors who are no members, and forged forms.
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { parseYaml } from '../../src/domain/text/yaml.ts'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { expectUsable } from '../site/axe.ts'
import { tabTo } from '../site/visitor-jobs.ts'
import { signIn } from './signed-in.ts'

const OWNER = '---\n# ours\nname: Umbra\nmembers:\n  - alice # founder\n---\n\nWe review.\n'
/** An owner of which alice is a member. */
export const OWNER_CONTENT = {
  'content/umbra/index.md': OWNER,
  'content/umbra/greet/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\nHello\n',
}

/** Adds the tests. @param opened returns the browser and the hub; called once both are open */
export function testOwnerSettings(opened: () => [Browser, BuiltHub]): void {
  let browser: Browser
  let hub: BuiltHub
  beforeAll(() => {
    ;[browser, hub] = opened()
  })

  async function open(login: string, javaScriptEnabled = false): Promise<Page> {
    const { page } = await signIn(browser, hub, { javaScriptEnabled }, login)
    onTestFinished(() => page.close())
    return page
  }

  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  const fileOf = (owner = 'umbra') => hub.git('show', `HEAD:content/${owner}/index.md`)
  /** The keys of the owner's file. */
  const keysOf = (owner = 'umbra') => parseYaml(fileOf(owner).split('---\n')[1]!, 2).value
  const userOf = async (owner = 'umbra') => (await (await fetch(`${hub.url}/api/v1/users/${owner}`)).json()).data
  const settingsOf = (owner = 'umbra') => `${hub.url}/${owner}/settings`

  test('changes everything without JavaScript; mistakes are named beside their fields', {
    timeout: 300_000,
  }, async () => {
    const page = await open('alice')
    await page.goto(`${hub.url}/umbra`)
    // Without a script, the page does not know who may change it, and offers nobody what leads only to signing in.
    expect(await page.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0)
    await page.goto(`${hub.url}/umbra/settings`)
    await page.getByLabel('Name', { exact: true }).fill('Umbra Corp')
    await page.getByLabel('Picture').fill('https://user:secret@acme.example/a.png')
    await page.getByLabel('Bio').fill('We *review*.')
    await press(page, 'Save the profile')
    await page.getByText('Nothing was changed.').waitFor()
    expect(await page.getByLabel('Bio').inputValue()).toBe('We *review*.')
    const wrong = page.locator('[aria-invalid="true"]')
    expect(await wrong.evaluateAll((fields) => fields.map(({ id }) => id))).toEqual(['avatar_url'])
    expect(await page.locator('#avatar_url-wrong').textContent()).toBe(
      'Picture: expected a URL without whitespace, invisible characters or a password.',
    )
    expect(await page.getByRole('alert').getByRole('link').getAttribute('href')).toBe('#avatar_url')
    await page.getByLabel('Picture').fill('')
    await press(page, 'Save the profile')
    await page.getByText('The profile was saved.').waitFor()
    expect(fileOf()).toBe('---\n# ours\nname: Umbra Corp\nmembers:\n  - alice # founder\n---\n\nWe *review*.\n')
    expect(await userOf()).toMatchObject({ name: 'Umbra Corp', bio: 'We *review*.' })
    expect(await (await fetch(`${hub.url}/umbra`)).text()).toContain('<em>review</em>')

    // The last member has no button.
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0)
    await page.getByLabel('New member').fill('not a login')
    await press(page, 'Add the member')
    expect(await page.locator('#member-wrong').textContent()).toMatch(/^New member: expected/)
    await page.getByLabel('New member').fill('Bob')
    await press(page, 'Add the member')
    await page.getByText('The member was added.').waitFor()
    await page.getByLabel('New member').fill('583231')
    await page.getByLabel('Given as').selectOption('GitHub ID')
    await press(page, 'Add the member')
    await page.getByText('GitHub ID 583231').first().waitFor()
    expect(fileOf()).toContain('\nmembers:\n  - alice\n  - bob\n  - 583231\n')

    await page.getByText('Trust a workflow').click()
    await page.getByLabel('Repository on GitHub').fill('octo/prompts')
    await page.getByLabel('ID of the repository').fill('twelve')
    await page.getByLabel('ID of its owner').fill('34')
    await page.getByLabel('Workflow', { exact: true }).fill('publish.yml')
    await page.getByLabel('Prompts (optional)').fill('greet, review')
    await page.getByLabel('label', { exact: true }).check()
    await press(page, 'Trust the workflow')
    expect(await page.locator('#repository_id-wrong').textContent()).toBe(
      'ID of the repository: expected a whole number.',
    )
    await page.getByLabel('ID of the repository').fill('12')
    await press(page, 'Trust the workflow')
    await page.getByText('The workflow is trusted.').waitFor()
    expect(keysOf()).toMatchObject({
      trusted_publishers: [
        {
          repository: 'octo/prompts',
          repository_id: 12,
          repository_owner_id: 34,
          workflow: 'publish.yml',
          repos: ['greet', 'review'],
          permissions: ['publish', 'label'],
        },
      ],
    })
    await page.getByLabel('Labels, separated by commas').fill('production, stable')
    await press(page, 'Save the labels')
    await page.getByText('The protected labels were saved.').waitFor()
    await page.getByText('Require test results').click()
    await page.getByLabel('Label', { exact: true }).fill('production')
    await page.getByLabel('Test suites (optional)').fill('quality, Safe')
    await page.getByLabel('Lowest score (optional)').fill('0.9')
    await page.getByLabel('Only a member, not a token').check()
    await press(page, 'Save the condition')
    expect(await page.locator('#requires-wrong').textContent()).toMatch(/^Test suites: expected 1 to 64 characters/)
    await page.getByLabel('Test suites (optional)').fill('quality, safety')
    await press(page, 'Save the condition')
    await page.getByText('The condition was saved.').waitFor()
    const condition = {
      label: 'production',
      requires: ['quality', 'safety'],
      min_score: 0.9,
      new_capabilities: 'approve',
    }
    expect(keysOf()).toMatchObject({ protected_labels: ['stable', condition] })
    await page.goto(`${hub.url}/umbra/greet/manage`)
    await page.locator('details', { hasText: 'Add a label' }).evaluate((fold: HTMLDetailsElement) => (fold.open = true))
    await page.getByLabel('Label', { exact: true }).first().fill('production')
    await page.getByLabel('Version', { exact: true }).first().selectOption('1.0.0')
    await press(page, 'Review')
    await page.getByText('hubcli result umbra/greet 1.0.0 quality FILE').waitFor()
    await page.goto(settingsOf())
    await page.getByLabel('Labels, separated by commas').fill('stable, beta')
    await press(page, 'Save the labels')
    expect(keysOf()).toMatchObject({ protected_labels: ['stable', 'beta', condition] })
    await press(page, 'Remove the condition of production')
    await page.getByText('The condition was removed.').waitFor()
    await page.getByLabel('A breaking change only as a major version').check()
    await press(page, 'Save the rule')
    await page.getByText('The rule was saved.').waitFor()
    expect(fileOf()).toContain('\npublishing: semver\n')
    await page.getByLabel('Only trusted workflows').check()
    await press(page, 'Save the rule')
    await page.getByText('The rule was saved.').waitFor()
    expect(keysOf()).toMatchObject({
      protected_labels: ['stable', 'beta'],
      publishing: ['trusted-only', 'semver'],
    })
    await page.goto(settingsOf())
    await press(page, 'Remove octo/prompts: publish.yml')
    await page.getByText('The workflow is no longer trusted.').waitFor()
    await page.getByText('No workflow is trusted now, so nobody could publish at all.').waitFor()
  })

  test('leaving needs a confirmation, by keyboard, and takes effect at once', async () => {
    const page = await open('alice', true)
    await page.goto(settingsOf())
    await page.getByText('Trust a workflow').click()
    for (const [label, text] of [
      ['Repository on GitHub', 'octo/prompts'],
      ['ID of the repository', 'twelve'],
      ['ID of its owner', '34'],
      ['Workflow', 'publish.yml'],
    ] as const)
      await page.getByLabel(label, { exact: true }).fill(text)
    await press(page, 'Trust the workflow')
    await page.locator('#repository_id-wrong').waitFor()
    await expectUsable(page)
    const { keyboard } = page
    await tabTo(page, 'Remove alice')
    await keyboard.press('Enter')
    // The browser asks for the checkbox first.
    expect(page.url()).toBe(settingsOf())
    await tabTo(page, /^I will no longer be able/)
    await keyboard.press('Space')
    await tabTo(page, 'Remove alice')
    await Promise.all([page.waitForURL(`${hub.url}/umbra`), keyboard.press('Enter')])
    expect(keysOf()).toMatchObject({ members: ['bob', 583231] })
    const refused = await page.goto(settingsOf())
    expect(refused?.status()).toBe(403)
    await page.getByText('who is not a member of umbra').waitFor()
    await page.getByRole('link', { name: 'Your account' }).waitFor()
  })

  test('the first owner is made by signing in, and adding a member keeps its own', async () => {
    const page = await open('nell')
    expect((await fetch(`${hub.url}/nell`)).status).toBe(404)
    await page.goto(settingsOf('nell'))
    await page.getByText('it belongs to whoever signs in as nell').waitFor()
    await page.getByLabel('Bio').fill('I write prompts.')
    await press(page, 'Save the profile')
    await page.getByText('The profile was saved.').waitFor()
    expect(await (await fetch(`${hub.url}/nell`)).text()).toContain('I write prompts.')
    await page.getByLabel('New member').fill('yan')
    await press(page, 'Add the member')
    await page.getByText('The member was added.').waitFor()
    expect(fileOf('nell')).toBe('---\nmembers:\n  - nell\n  - yan\n---\nI write prompts.\n')
  })

  test('two members at once: the second sees the change of the first before it is lost', async () => {
    const [one, two] = [await open('nell'), await open('nell')]
    for (const page of [one, two]) await page.goto(settingsOf('nell'))
    await one.getByLabel('Name', { exact: true }).fill('Nell One')
    await press(one, 'Save the profile')
    await one.getByText('The profile was saved.').waitFor()
    await two.getByLabel('Name', { exact: true }).fill('Nell Two')
    await press(two, 'Save the profile')
    await two.getByText('nell has changed since you opened this page, which now shows the current values').waitFor()
    expect(fileOf('nell')).toContain('name: Nell One')
    expect(await two.getByLabel('Name', { exact: true }).inputValue()).toBe('Nell Two')
    await press(two, 'Save the profile')
    await two.getByText('The profile was saved.').waitFor()
    expect(fileOf('nell')).toContain('name: Nell Two')
  })

  test('visitors, strangers and forged forms', async () => {
    const signedOut = await fetch(settingsOf())
    expect([signedOut.status, signedOut.headers.get('cache-control')]).toEqual([401, 'no-store'])
    expect(await signedOut.text()).toContain('To sign in, open the link')
    expect((await fetch(settingsOf(), { method: 'PUT' })).status).toBe(405)
    const page = await open('mallory')
    expect((await page.goto(settingsOf()))?.status()).toBe(403)
    expect((await page.goto(settingsOf('nobody')))?.status()).toBe(404)
    expect((await page.goto(settingsOf('badges')))?.status()).toBe(404)
    // The guide to a hub's settings.
    expect((await page.goto(settingsOf('docs')))?.status()).toBe(200)
    await page.goto(settingsOf('mallory'))
    const [cookie] = await page.context().cookies()
    const csrf = (await page.locator('input[name="csrf"]').first().getAttribute('value'))!
    const send = async (owner: string, given: Record<string, string>, headers: Record<string, string> = {}) => {
      const { status } = await fetch(settingsOf(owner), {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: hub.url, cookie: `${cookie!.name}=${cookie!.value}`, ...headers },
        body: new URLSearchParams(given),
      })
      return status
    }
    const [head = ''] = hub.git('log', '-n1', '--format=%H', '--', 'content/umbra/index.md').split('\n')
    const taking = { csrf, change: 'add-member', member: 'mallory', kind: 'login', commit: head }
    expect(await send('umbra', taking)).toBe(403)
    const mine = { csrf, change: 'profile', name: 'M', commit: '' }
    expect(await send('mallory', { ...mine, csrf: 'x' })).toBe(403)
    expect(await send('mallory', mine, { origin: 'https://evil.example' })).toBe(403)
    expect(await send('mallory', mine, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await send('mallory', mine, { cookie: '' })).toBe(401)
    expect(await send('mallory', { ...mine, commit: head })).toBe(409)
    expect(await send('mallory', { ...mine, change: 'delete' })).toBe(400)
    expect(await send('mallory', { ...mine, change: '__proto__' })).toBe(400)
    expect(await send('mallory', { csrf, change: 'remove-member', place: '7', commit: '' })).toBe(400)
    expect(await send('mallory', { ...mine, bio: 'x'.repeat(300_000) })).toBe(413)
    expect((await fetch(`${hub.url}/api/v1/users/mallory`)).status).toBe(404)
    expect(fileOf()).not.toContain('mallory')
    expect(await send('mallory', mine)).toBe(303)
    expect(await userOf('mallory')).toMatchObject({ name: 'M' })
  })

  test('no prompt can have the name of this page', async () => {
    for (const path of ['/api/v1/repos/umbra/settings', '/api/v1/repos/umbra/settings/versions'])
      expect((await fetch(`${hub.url}${path}`)).status).toBe(404)
  })
}
