// Tests search on the site: suggestions, filters, typos and errors.
import { beforeAll, describe, expect, test } from 'vitest'
import type { BuiltSite } from './built-site.ts'
import { hostile, MARKER, PLAIN_COUNT, REPOSITORY } from './hostile-content.ts'

/** Adds the tests. @param opened returns the site; called once the site is open */
export function testFinding(opened: () => BuiltSite): void {
  let site: BuiltSite
  beforeAll(() => {
    site = opened()
  })

  describe('search', () => {
    test('suggests prompts while typing, and opens one by keyboard alone', async () => {
      const { page, problems } = await site.open('/docs')
      await page.keyboard.press('/')
      await page.keyboard.type('hostile')
      await page.locator('[role=option]').first().waitFor()
      expect(await page.locator('[role=option] span').first().textContent()).toBe(hostile('title').slice(0, 200))
      await page.keyboard.press('ArrowDown')
      expect(await page.locator('[role=option][aria-selected=true]').count()).toBe(1)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${REPOSITORY}`)
      expect(problems).toEqual([])
    })

    test.each([
      ['many', { words: 'many', about: 'Tag', address: '/tags/many' }],
      ['mall', { words: 'mallory', about: 'Owner', address: '/mallory' }],
      ['trusted publ', { words: 'Publishing', about: 'Guide', address: '/docs/publishing' }],
    ])('suggests for %s what is no prompt', async (q, suggestion) => {
      const answer = await fetch(`${site.origin}/search/suggestions.json?q=${encodeURIComponent(q)}`)
      expect((await answer.json()).data).toContainEqual(suggestion)
    })

    test('keeps the query in the URL, and Back restores query, filter and page', async () => {
      const { page, problems } = await site.open('/')
      await page.locator('#q').fill('plain')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Prompts for “plain”' }).waitFor()
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/search?q=plain')
      expect(await page.locator('.row h3 mark').first().textContent()).toBe('Plain')
      await page.getByRole('link', { name: 'Next page' }).click()
      await page.getByText('Page 2 of').waitFor()
      const second = await page.locator('.row h3').allTextContents()
      await page.locator('.row h3 a').first().click()
      await page.waitForURL('**/mallory/plain-*')
      await page.goBack()
      await page.getByText('Page 2 of').waitFor()
      expect(await page.locator('.row h3').allTextContents()).toEqual(second)
      await page.goBack()
      await page.getByText('Page 1 of').waitFor()
      await page.goBack()
      await page.locator('.tasks').waitFor()
      expect(problems).toEqual([])
    })

    test('searches while the reader types, and keeps the focus, the filter and the URL', async () => {
      const { page, problems } = await site.open('/search?tag=many')
      await page.locator('#find-q').pressSequentially('plain')
      await page.getByRole('heading', { name: 'Prompts for “plain”' }).waitFor()
      await page.keyboard.type(' 7')
      await page.getByRole('heading', { name: 'Prompts for “plain 7”' }).waitFor()
      expect(await page.locator('#find-q').inputValue()).toBe('plain 7')
      // The title is that of the new page, and an element that was there before tells screen readers what was found.
      expect(await page.title()).toBe('Prompts for “plain 7” · Prompt Hub')
      expect(await page.locator('body > [role=status]').textContent()).toMatch(/^\d+ prompts?/)
      expect(new URL(page.url()).search).toBe('?q=plain+7&tag=many')
      expect(await page.locator('.row .full-name').first().textContent()).toBe('mallory/plain-7')
      expect(problems).toEqual([])
    })

    test('offers filters with counts, each of which can be removed again', async () => {
      const { page } = await site.open('/search?tag=many')
      await page.getByRole('link', { name: /^evil/ }).click()
      await page.getByText('1 prompt', { exact: true }).waitFor()
      expect(new URL(page.url()).search).toBe('?tag=many&tag=evil')
      await page.getByRole('link', { name: /^evil.*remove filter$/ }).click()
      await page.getByText(`${PLAIN_COUNT + 2} prompts`).waitFor()
    })

    test('the page of an owner with many prompts shows 60 and links to all of them', async () => {
      const { page } = await site.open('/mallory')
      expect(await page.locator('.row').count()).toBe(60)
      await page.getByRole('link', { name: /^View all \d+ prompts$/ }).click()
      await page.waitForURL('**/search?owner=mallory')
      await page.getByRole('link', { name: 'Next page' }).waitFor()
    })

    test('shows how a typo was corrected, and suggests tags when nothing is found', async () => {
      const { page } = await site.open('/search?q=hostlie')
      expect(await page.locator('#reading').textContent()).toContain('Showing results for hostile instead of “hostlie”')
      await page.goto(`${site.origin}/search?q=nothingofthatkind`)
      expect(await page.locator('.nothing .tags a').allTextContents()).toContain('evil')
      await page.goto(`${site.origin}/search?q=platypus&license=MIT`)
      expect(await page.locator('.nearby a').allTextContents()).toEqual(['plain'])
      await page.locator('.nearby a').click()
      await page.waitForURL('**/search?q=plain&license=MIT')
    })

    test('finds Agent Skills by the word, and does not correct or ignore it', async () => {
      const { page } = await site.open('/search?q=skills')
      expect(await page.locator('.row .full-name').allTextContents()).toContain(REPOSITORY.slice(1))
      expect(await page.locator('#reading').count()).toBe(0)
    })

    test('hostile queries are treated as text', async () => {
      const question = `"><script>window.${MARKER}=1</script>`
      const { page, problems } = await site.open(
        `/search?${new URLSearchParams({ q: question, license: question, tag: question })}`,
      )
      expect(await page.locator('#find-q').inputValue()).toBe(question)
      expect(await page.evaluate((marker) => Reflect.get(window, marker), MARKER)).toBeUndefined()
      expect(problems).toEqual([])
    })

    test('shows an error and allows a retry', async () => {
      const { page } = await site.open('/search')
      await page.route('**/search?*', (route) => route.abort())
      await page.locator('#find-q').fill('hostile')
      await page.getByText('The hub did not respond.').waitFor()
      await page.unroute('**/search?*')
      await page.getByRole('link', { name: 'Try again' }).click()
      await page.locator('#find .row').first().waitFor()
      expect(await page.getByText('The hub did not respond.').count()).toBe(0)
    })
  })
}
