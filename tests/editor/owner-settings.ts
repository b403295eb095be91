// Tests an owner's settings: every form, without JavaScript and by keyboard, with mistakes, a conflict, visitors who are
// no members, and forged forms.
import type { Browser } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { parseYaml } from '../../src/domain/text/yaml.ts'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { expectUsable } from '../site/axe.ts'
import { tabTo } from '../site/visitor-jobs.ts'
import { signInPlainly } from './plain-forms.ts'
import { press, signIn } from './signed-in.ts'

const OWNER = '---\n# ours\nname: Umbra\nmembers:\n  - alice # founder\n---\n\nWe review.\n'
/** An owner of which alice is a member. */
export const OWNER_CONTENT = {
  'content/umbra/index.md': OWNER,
  'content/umbra/greet/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\nHello\n',
}
const WORKFLOW = {
  repository: 'octo/prompts',
  repository_id: 'twelve',
  repository_owner_id: '34',
  workflow: 'publish.yml',
}

/** Adds the tests. @param opened returns the browser and the hub; called once both are open */
export function testOwnerSettings(opened: () => [Browser, BuiltHub]): void {
  let browser: Browser
  let hub: BuiltHub
  beforeAll(() => {
    ;[browser, hub] = opened()
  })

  const fileOf = (owner = 'umbra') => hub.git('show', `HEAD:content/${owner}/index.md`)
  /** The keys of the owner's file. */
  const keysOf = (owner = 'umbra') => parseYaml(fileOf(owner).split('---\n')[1]!, 2).value
  const userOf = async (owner = 'umbra') => (await (await fetch(`${hub.url}/api/v1/users/${owner}`)).json()).data
  const settingsOf = (owner = 'umbra') => `${hub.url}/${owner}/settings`
  /** Opens the settings, and sends their forms one after another. */
  const openSettings = async (login: string, owner = 'umbra') => {
    const plain = await signInPlainly(hub, login)
    let page = await plain.open(`/${owner}/settings`)
    return {
      ...plain,
      page: () => page,
      /** @param expected what the next page says */
      async save(button: string, typed: Parameters<typeof plain.send>[2], expected: string) {
        page = await plain.send(page, button, typed)
        expect(page.text).toContain(expected)
      },
      /** The IDs of the fields that are wrong. */
      wrong: () => [...page.html.matchAll(/<\w+ [^>]*id="(\w+)"[^>]*aria-invalid="true"/g)].map(([, id]) => id),
    }
  }

  test('changes everything without JavaScript; mistakes are named beside their fields', async () => {
    const { save, wrong, page, open, send } = await openSettings('alice')
    const profile = { name: 'Umbra Corp', bio: 'We *review*.' }
    await save(
      'Save the profile',
      { ...profile, avatar_url: 'https://user:secret@acme.example/a.png' },
      'Nothing was changed.',
    )
    expect(wrong()).toEqual(['avatar_url'])
    expect(page().html).toMatch(/<textarea[^>]*name="bio"[^>]*>\nWe \*review\*\.</)
    expect(page().html).toMatch(
      /<li><a href="#avatar_url">Picture: expected a URL without whitespace, invisible characters or a password\./,
    )
    await save('Save the profile', { avatar_url: '' }, 'The profile was saved.')
    expect(fileOf()).toBe('---\n# ours\nname: Umbra Corp\nmembers:\n  - alice # founder\n---\n\nWe *review*.\n')
    expect(await userOf()).toMatchObject(profile)
    expect((await open('/umbra')).html).toContain('<em>review</em>')

    // The last member has no button.
    expect(page().html).not.toContain('value="remove-member"')
    await save('Add the member', { member: 'not a login' }, 'New member: expected')
    expect(wrong()).toEqual(['member'])
    await save('Add the member', { member: 'Bob' }, 'The member was added.')
    await save('Add the member', { member: '583231', kind: 'id' }, 'GitHub ID 583231')
    expect(fileOf()).toContain('\nmembers:\n  - alice\n  - bob\n  - 583231\n')

    const publisher = { ...WORKFLOW, repos: 'greet, review', permissions: ['publish', 'label'] }
    await save('Trust the workflow', publisher, 'ID of the repository: expected a whole number.')
    expect(wrong()).toEqual(['repository_id'])
    await save('Trust the workflow', { repository_id: '12' }, 'The workflow is trusted.')
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
    await save('Save the labels', { protected_labels: 'production, stable' }, 'The protected labels were saved.')
    const needed = { label: 'production', min_score: '0.9', new_capabilities: 'approve' }
    await save(
      'Save the condition',
      { ...needed, requires: 'quality, Safe' },
      'Test suites: expected 1 to 64 characters',
    )
    expect(wrong()).toEqual(['requires'])
    await save('Save the condition', { requires: 'quality, safety' }, 'The condition was saved.')
    const condition = { ...needed, requires: ['quality', 'safety'], min_score: 0.9 }
    expect(keysOf()).toMatchObject({ protected_labels: ['stable', condition] })
    const manage = await open('/umbra/greet/manage')
    const review = await send(manage, 'value="label"', { label: 'production', version: '1.0.0' })
    expect(review.text).toContain('hubcli result umbra/greet 1.0.0 quality FILE')
    await save('Save the labels', { protected_labels: 'stable, beta' }, 'The protected labels were saved.')
    expect(keysOf()).toMatchObject({ protected_labels: ['stable', 'beta', condition] })
    await save('the condition of production', {}, 'The condition was removed.')
    await save('Save the rule', { publishing: 'semver' }, 'The rule was saved.')
    expect(fileOf()).toContain('\npublishing: semver\n')
    await save('Save the rule', { publishing: ['trusted-only', 'semver'] }, 'The rule was saved.')
    expect(keysOf()).toMatchObject({ protected_labels: ['stable', 'beta'], publishing: ['trusted-only', 'semver'] })
    await save('octo/prompts: publish.yml', {}, 'The workflow is no longer trusted.')
    expect(page().text).toContain('No workflow is trusted now, so nobody could publish at all.')
  })

  test('leaving needs a confirmation, by keyboard, and takes effect at once', async () => {
    const { page } = await signIn(browser, hub)
    onTestFinished(() => page.close())
    await page.goto(settingsOf())
    await page.getByText('Trust a workflow').click()
    for (const [name, text] of Object.entries(WORKFLOW)) await page.locator(`#${name}`).fill(text)
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
    const { save, page, open } = await openSettings('nell', 'nell')
    expect((await open('/nell')).status).toBe(404)
    expect(page().text).toContain('it belongs to whoever signs in as nell')
    await save('Save the profile', { bio: 'I write prompts.' }, 'The profile was saved.')
    expect((await open('/nell')).text).toContain('I write prompts.')
    await save('Add the member', { member: 'yan' }, 'The member was added.')
    expect(fileOf('nell')).toBe('---\nmembers:\n  - nell\n  - yan\n---\nI write prompts.\n')
  })

  test('two members at once: the second sees the change of the first before it is lost', async () => {
    const [one, two] = [await openSettings('nell', 'nell'), await openSettings('nell', 'nell')]
    await one.save('Save the profile', { name: 'Nell One' }, 'The profile was saved.')
    const changed = 'nell has changed since you opened this page, which now shows the current values'
    await two.save('Save the profile', { name: 'Nell Two' }, changed)
    expect(fileOf('nell')).toContain('name: Nell One')
    await two.save('Save the profile', {}, 'The profile was saved.')
    expect(fileOf('nell')).toContain('name: Nell Two')
  })

  test('visitors, strangers and forged forms', async () => {
    const signedOut = await fetch(settingsOf())
    expect([signedOut.status, signedOut.headers.get('cache-control')]).toEqual([401, 'no-store'])
    expect(await signedOut.text()).toContain('To sign in, open the link')
    expect((await fetch(settingsOf(), { method: 'PUT' })).status).toBe(405)
    const { open, page, cookie } = await openSettings('mallory', 'mallory')
    for (const [owner, status] of [
      ['umbra', 403],
      ['nobody', 404],
      ['badges', 404],
      // The guide to a hub's settings.
      ['docs', 200],
    ] as const)
      expect([owner, (await open(`/${owner}/settings`)).status]).toEqual([owner, status])
    const csrf = /name="csrf" value="([^"]+)"/.exec(page().html)![1]!
    const send = async (owner: string, given: Record<string, string>, headers: Record<string, string> = {}) => {
      const { status } = await fetch(settingsOf(owner), {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: hub.url, cookie: cookie(), ...headers },
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
