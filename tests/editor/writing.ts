// Tests what the editor does while somebody writes: live problems, suggestions, drafts, saved details, and files of other tools.
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { expectUsable, findViolationsOfSize } from '../site/axe.ts'
import { press, promptField, retype, signIn, textOf } from './signed-in.ts'

const VERSION = 'published_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n'
/** Prompts of acme, of which alice is a member. */
export const WRITING_CONTENT = {
  'content/acme/welcome/index.md': '---\ntitle: Greet\nlicense: MIT\ntags: [hello]\n---\nOld readme.\n',
  'content/acme/welcome/versions/1.0.0.md': `---\n${VERSION}---\nHello {{name}}\n`,
}

/** Adds the tests. @param opened returns the browser and the hub; called once both are open */
export function testWriting(opened: () => [Browser, BuiltHub]): void {
  let browser: Browser
  let hub: BuiltHub
  beforeAll(() => {
    ;[browser, hub] = opened()
  })

  const record = async (name: string) => (await (await fetch(`${hub.url}/api/v1/repos/${name}`)).json()).data
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.id)

  test('names problems while somebody types, at fields that were visited, until they are mended', async () => {
    const { page, problems } = await signIn(browser, hub)
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    await page.getByLabel('Title').fill('Email Polisher')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('email-polisher')
    await page.getByLabel('Name', { exact: true }).fill('Email Polisher')
    await page.locator('#name-wrong', { hasText: 'Expected lower-case letters' }).waitFor()
    await page.getByLabel('Name', { exact: true }).press('End')
    await page.keyboard.type('!')
    // It is gone at once, not after the next check.
    expect(await page.locator('#name-wrong').isVisible()).toBe(false)
    await press(page, 'Use email-polisher')
    expect(await page.locator('#content-wrong').isVisible()).toBe(false)
    await page.getByLabel('Format', { exact: true }).selectOption('chat')
    await retype(page, '{{role "user"}}\nHello\n{{role "sistem"}}\nYou')
    await page.locator('#content-wrong', { hasText: 'expected {{role "system"}}' }).waitFor()
    expect(await promptField(page).getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('.cm-wrong').allTextContents()).toEqual(['{{role "sistem"}}'])
    await page.getByLabel('Title').press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('code-field')
    await retype(page, 'Hello {{tone}}')
    await press(page, 'Make this text a user message')
    expect(await textOf(page)).toBe('{{role "user"}}\nHello {{tone}}')
    await page.locator('[name="variable.tone.type"]').selectOption('enum')
    const options = page.locator('[id="variable.tone.options-wrong"]')
    await expect.poll(() => options.textContent()).toBe('Expected at least one option, because the type is enum.')
    await page.locator('[name="variable.tone.options"]').fill('warm\nbrief')
    await page.locator('[name="variable.tone.default"]').fill('warm')
    await page.locator('.preview .chip.filled', { hasText: 'warm' }).waitFor()
    // A renamed placeholder keeps its fields.
    await promptField(page).focus()
    await page.keyboard.press('ControlOrMeta+End')
    for (const key of ['ArrowLeft', 'ArrowLeft', 's']) await page.keyboard.press(key)
    expect(await textOf(page)).toBe('{{role "user"}}\nHello {{tones}}')
    expect(await page.locator('[name="variable.tones.options"]').inputValue()).toBe('warm\nbrief')
    // A warning leads to its line.
    await retype(page, '{{role "user"}}\nHello {{ tones.x }} {{tones}}')
    await page.locator('[data-findings] a', { hasText: 'line 2' }).first().click()
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('code-field')
    expect(problems).toEqual([])
    await page.close()
  })

  test('late, lost and refused answers: nothing typed is lost, and nothing is published unseen', async () => {
    const { page } = await signIn(browser, hub)
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    const said = (words: string) => page.locator('[data-progress]', { hasText: words }).waitFor()
    let checks = 0
    const [released, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/check', async (route) => {
      checks++
      if (checks === 1)
        return route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { detail: 'Too many requests.' } })
      if (checks !== 3) return route.continue()
      // The answer about a text that has changed meanwhile arrives late.
      const response = await route.fetch()
      await released.promise
      await route.fulfill({ response }).catch(() => {})
      answered.resolve()
    })
    await page.getByLabel('Title').fill('Lost answers')
    await promptField(page).fill('Hello {{a}}')
    await said('Too many requests.')
    await page.getByRole('button', { name: 'Publish 1.0.0' }).waitFor()
    await promptField(page).fill('')
    await expect.poll(() => checks).toBe(3)
    await promptField(page).fill('Hello {{b}}')
    await page.getByRole('button', { name: 'Publish 1.0.0' }).waitFor()
    released.resolve()
    await answered.promise
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await page.locator('#content-wrong').isVisible()).toBe(false)
    // The answer to the publish is lost: the next click finds the version that it made.
    await page.route('**/versions', async (route) => {
      if (route.request().postDataJSON().dry_run) return route.continue()
      await route.fetch()
      await page.unroute('**/versions')
      return route.abort()
    })
    await press(page, 'Publish 1.0.0')
    await said('The hub did not answer.')
    await press(page, 'Publish 1.0.0')
    await page.getByRole('heading', { name: 'Published 1.0.0' }).waitFor()
    expect((await record('alice/lost-answers')).versions).toEqual(['1.0.0'])
    // The session ends while somebody writes.
    await page.goto(`${hub.url}/alice/lost-answers/edit`)
    await page.locator('.code-field').waitFor()
    await promptField(page).fill('Hello {{b}} again')
    await page.getByRole('button', { name: 'Publish 1.0.1' }).waitFor()
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    await press(page, 'Publish 1.0.1')
    await said('Your session has ended, so nothing was published.')
    await page.context().addCookies(cookies)
    await press(page, 'Publish 1.0.1')
    await page.getByRole('heading', { name: 'Published 1.0.1' }).waitFor()
    await page.close()
  })

  test('the code editor has line numbers, marks, and leaves with Tab; it is loaded on this page alone', async () => {
    const { page, problems } = await signIn(browser, hub)
    const scripts: string[] = []
    page.on(
      'request',
      (request) => request.resourceType() === 'script' && scripts.push(new URL(request.url()).pathname),
    )
    const lengthOf = async (path: string) => (await (await fetch(hub.url + path)).text()).length
    await page.goto(`${hub.url}/settings`, { waitUntil: 'networkidle' })
    for (const script of scripts) expect(await lengthOf(script)).toBeLessThan(20_000)
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    await page.getByLabel('Format', { exact: true }).selectOption('chat')
    await promptField(page).fill('One {{name}}\n{{role "user"}}\nThree')
    expect(await page.locator('.cm-variable').allTextContents()).toEqual(['{{name}}'])
    expect(await page.locator('.cm-role').allTextContents()).toEqual(['{{role "user"}}'])
    const numbers = page.locator('.cm-lineNumbers .cm-gutterElement:visible')
    expect((await numbers.allTextContents()).slice(-3)).toEqual(['1', '2', '3'])
    await promptField(page).focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.className)).not.toBe('code-field')
    await page.keyboard.press('Shift+Tab')
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('code-field')
    expect(problems).toEqual([])
    await page.close()
  })

  test('a draft survives a reload and can be discarded; leaving warns; publishing forgets it', async () => {
    const { page, problems } = await signIn(browser, hub)
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('drafted')
    await promptField(page).fill('Hello {{name}}')
    await page.locator('[name="variable.name.description"]').fill('Whom')
    await page.locator('[name="variable.name.required"]').uncheck()
    const dialogs: string[] = []
    page.on('dialog', async (dialog) => {
      dialogs.push(dialog.type())
      await dialog.accept()
    })
    await page.reload()
    await page.locator('.code-field').waitFor()
    expect(dialogs).toEqual(['beforeunload'])
    // The draft belongs to the tab and to the user.
    expect(await page.evaluate(() => [localStorage.length, Object.keys(sessionStorage)])).toEqual([
      0,
      ['draft alice /new'],
    ])
    expect(await textOf(page)).toBe('Hello {{name}}')
    expect(await page.locator('[name="variable.name.description"]').inputValue()).toBe('Whom')
    expect(await page.locator('[name="variable.name.required"]').isChecked()).toBe(false)
    await page.getByText('Your draft was restored.').waitFor()
    await page.goto(`${hub.url}/acme/welcome`)
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    expect(await textOf(page)).toBe('Hello {{name}}')
    await press(page, 'Publish 1.0.0')
    await page.getByRole('heading', { name: 'Published 1.0.0' }).waitFor()
    await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0)
    dialogs.length = 0
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    expect(await textOf(page)).toBe('')
    await page.getByLabel('Title').fill('Unwanted')
    await page.reload()
    await press(page, 'Discard it')
    await page.getByRole('status').first().waitFor({ state: 'attached' })
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('')
    expect(dialogs).toEqual(['beforeunload'])
    expect(problems).toEqual([])
    await page.close()
  })

  test('saves every detail that the form offers', async () => {
    const { page } = await signIn(browser, hub)
    const title = 'Greet them'
    await page.goto(`${hub.url}/acme/welcome/edit`)
    await page.locator('.code-field').waitFor()
    // A title cannot be removed, and the form says so.
    await page.getByLabel('Title').fill('')
    await page.locator('#title-wrong', { hasText: 'Expected some text.' }).waitFor()
    await page.getByLabel('Title').fill('Greet')
    await page.getByText('Nothing has changed since 1.0.0.').waitFor()
    await page.getByLabel('Title').fill(title)
    await page.getByLabel('Description').last().fill('Greets somebody.')
    await page.getByLabel('Tags').fill('greeting, hello')
    await page.getByLabel('Readme').fill('# New\n\nA readme.')
    await page.getByLabel('License').fill('')
    await page.getByRole('heading', { name: 'Changed details' }).waitFor()
    const changes = page.locator('.review .fact-list')
    // The list may be drawn again meanwhile.
    await expect.poll(() => changes.locator('dt').allTextContents()).toContain('Title')
    await press(page, 'Save the details')
    await page.getByRole('heading', { name: 'Saved the details' }).waitFor()
    const { latest_version, description, tags, license, readme, ...rest } = await record('acme/welcome')
    expect({ latest_version, description, tags, license, readme, title: rest.title }).toEqual({
      latest_version: '1.0.0',
      description: 'Greets somebody.',
      tags: ['greeting', 'hello'],
      license: null,
      readme: '# New\n\nA readme.',
      title,
    })
    await page.close()
  })

  test('the Publish button is always in view and covers no field; every state is accessible', async () => {
    const { page, problems } = await signIn(browser, hub)
    const expectBarInView = async () => {
      for (const top of [0, 10_000]) {
        await page.evaluate((y) => scrollTo(0, y), top)
        const { y, height } = (await page.locator('.publish-bar [data-publish]').boundingBox())!
        expect(y).toBeGreaterThan(0)
        expect(y + height).toBeLessThanOrEqual(page.viewportSize()!.height)
      }
    }
    await page.goto(`${hub.url}/new`)
    await page.locator('.code-field').waitFor()
    // A long text scrolls with the keyboard, and a text in Arabic starts at the right, also in the preview.
    await promptField(page).fill(`مرحبا\n${'Line\n'.repeat(80)}`)
    const isAtTheRight = (box: Element) => {
      const text = document.createRange()
      text.selectNode(document.createTreeWalker(box, NodeFilter.SHOW_TEXT).nextNode()!)
      const { left, width } = box.getBoundingClientRect()
      const [line] = text.getClientRects()
      return line !== undefined && line.left > left + width / 2
    }
    await page.locator('[data-preview]').getByText('Line').first().waitFor()
    // The preview may be drawn again meanwhile.
    for (const box of ['.cm-line', '[data-preview] pre'])
      await expect.poll(() => page.locator(box).first().evaluate(isAtTheRight), { message: box }).toBe(true)
    expect(await page.getByLabel('Title').getAttribute('dir')).toBe('auto')
    expect(await findViolationsOfSize(page)).toEqual([])
    await expectBarInView()
    await promptField(page).fill('Hello {{name}} {{tone}}')
    await page.locator('[name="variable.tone.type"]').selectOption('enum')
    await page.getByLabel('Name', { exact: true }).fill('Not A Name')
    await page.locator('#name-wrong').waitFor()
    await expectUsable(page)
    await page.setViewportSize({ width: 360, height: 740 })
    await expectBarInView()
    const field = page.getByLabel('What changed')
    await field.focus()
    const [bar, box] = [await page.locator('.publish-bar').boundingBox(), await field.boundingBox()]
    expect(box!.y + box!.height).toBeLessThanOrEqual(bar!.y)
    await press(page, 'Use not-a-name')
    await page.locator('[name="variable.tone.options"]').fill('warm')
    await page.getByLabel('Title').press('Enter')
    await page.getByRole('heading', { name: 'Version 1.0.0' }).waitFor()
    expect(await focused(page)).toBe('review-title')
    await expectUsable(page, false)
    await press(page, 'Publish 1.0.0')
    await page.getByRole('heading', { name: 'Published 1.0.0' }).waitFor()
    await expectUsable(page, false)
    const links = await page.locator('.page-head .actions a').evaluateAll((all) => all.map((one) => one.textContent))
    expect(links).toEqual(['View the prompt', 'View 1.0.0', 'Edit again', 'Manage', 'New prompt'])
    await page.getByRole('link', { name: 'View 1.0.0' }).click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Not a name')
    expect(problems).toEqual([])
    await page.close()
  })
}
