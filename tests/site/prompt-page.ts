// Tests the prompt page: the bytes of the prompt, filling, copying, status notices, and versions published after the
// build.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltSite, SITE_URL } from './built-site.ts'
import { CONTENT, hostile, MARKER, REPOSITORY, SCRIPT_LINE, UNSEEN_CONTENT } from './hostile-content.ts'

/** Adds the tests. @param opened returns the site; called once the site is open */
export function testPromptPage(opened: () => BuiltSite): void {
  let site: BuiltSite
  beforeAll(() => {
    site = opened()
  })

  describe('prompt page', () => {
    const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
    const copyAs = async (page: Page, words: string) => {
      await page.locator('.split summary').click()
      await page.getByRole('button', { name: words }).click()
      await page.locator('#spoken', { hasText: 'Copied' }).waitFor({ state: 'attached' })
      return readClipboard(page)
    }

    test('shows and copies the exact bytes from the API, filled as in every client', async () => {
      const { page, problems } = await site.open(REPOSITORY)
      const { data } = await site.getJson(`/api/v1/repos${REPOSITORY}`)
      expect(data.content).toBe(CONTENT)
      expect(await copyAs(page, 'Copy template')).toBe(CONTENT)
      expect(await page.locator('#progress').textContent()).toBe('0 of 2 required')
      await page.getByLabel('language').fill('$& {{tone}} <b>')
      await page.getByLabel('tone').selectOption(hostile('option'))
      await page.getByLabel('strict').selectOption('true')
      await page.getByLabel('free').fill('two\nlines')
      expect(await page.locator('#progress').textContent()).toBe('2 of 2 required')
      const filled = CONTENT.replaceAll('{{language}}', () => '$& {{tone}} <b>')
        .replace('{{ tone }}', () => hostile('option'))
        .replace('{{count}}', '3')
        .replace('{{strict}}', 'true')
        .replace('{{free}}', 'two\nlines')
      // The value contains a placeholder, which must not be filled again.
      expect(await copyAs(page, 'Copy filled-in prompt')).toBe(
        filled.replaceAll(`$& ${hostile('option')} <b>`, '$& {{tone}} <b>'),
      )
      expect(await page.locator('.chip.filled', { hasText: '$& {{tone}} <b>' }).first().isVisible()).toBe(true)
      await page.getByRole('button', { name: 'Template', exact: true }).click()
      expect(await page.locator('#content .chip').first().textContent()).toBe('{{language}}')
      expect(problems).toEqual([])
    })

    test('values are stored only after the # of the URL, and can be shared by link', async () => {
      const { page } = await site.open(REPOSITORY)
      const sent: string[] = []
      page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')))
      await page.getByLabel('free').fill('my secret & value')
      await page.waitForURL(/#\?free=/)
      const link = await copyAs(page, 'Copy link with my values')
      await page.getByRole('button', { name: 'Clear' }).click()
      await page.waitForFunction(() => location.hash === '')
      await page.goto(link)
      expect(await page.getByLabel('free').inputValue()).toBe('my secret & value')
      expect(sent.filter((one) => one.split('#')[0]!.includes('secret'))).toEqual([])
    })

    test('a chip focuses its field; examples fill only empty fields and can be removed; types are checked', async () => {
      const { page } = await site.open(REPOSITORY)
      await page.locator('#content a.chip').first().click()
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('variable-language')
      await page.keyboard.type('typed')
      await page.getByRole('button', { name: 'Fill in examples' }).click()
      expect(await page.getByLabel('language').inputValue()).toBe('typed')
      expect(await page.getByLabel('tone').inputValue()).toBe('calm')
      await page.getByRole('button', { name: 'Remove examples' }).click()
      expect([await page.getByLabel('language').inputValue(), await page.getByLabel('tone').inputValue()]).toEqual([
        'typed',
        '',
      ])
      await page.getByLabel('count').fill('abc')
      expect(await page.locator('#variable-count-wrong').textContent()).toBe(
        'Expected a whole number such as 3, got "abc"',
      )
      expect(await page.locator('#progress').textContent()).toBe('1 invalid value')
    })

    test('a skill opens on its install commands to copy, and a version that is not a skill has none', async () => {
      const { page } = await site.open(REPOSITORY)
      const address = `${SITE_URL}${REPOSITORY}/v/1.1.0`
      const fetched = (folder: string) => `curl -fsS --create-dirs -o ${folder}/hostile/SKILL.md ${address}/SKILL.md`
      for (const [what, line] of [
        ['npx', `npx skills add ${address}`],
        ['hubcli', 'hubcli add mallory/hostile@1.1.0 --as skill'],
        ['Claude Code', fetched('.claude/skills')],
        ['Codex', fetched('.agents/skills')],
      ] as const) {
        if (what === 'hubcli') await page.getByText('Other agents').click()
        await page.getByRole('button', { name: `Copy command for ${what}` }).click()
        await expect.poll(() => readClipboard(page)).toBe(line)
      }
      await page.goto(`${site.origin}${REPOSITORY}/v/1.0.0`)
      expect(await page.locator('.tools').getByText('Skill', { exact: true }).count()).toBe(0)
    })

    test('lists the files of a skill, shows short texts with line numbers, and marks scripts', async () => {
      const { page, problems } = await site.open('/trent/long')
      const items = page.locator('.panes > ul > li')
      expect(await items.count()).toBe(4)
      expect(await items.locator('> code').allTextContents()).toEqual([`${'a'.repeat(100)}/`, 'scripts/'])
      // It is too long to be shown.
      expect(await page.locator('.panes li > a').allTextContents()).toEqual(['long.txt'])
      expect(await page.getByRole('region', { name: 'SKILL.md' }).isVisible()).toBe(true)
      expect(await page.locator('.runs-here').textContent()).toBe('1 script that runs on your machine')
      expect(await page.locator('.skill-files > .bar').textContent()).toContain('4 files, 1 script')
      await page.locator('.panes summary', { hasText: 'run.sh' }).click()
      expect(await page.getByRole('region', { name: 'SKILL.md' }).isVisible()).toBe(false)
      const pane = page.getByRole('region', { name: 'scripts/run.sh' })
      const text = `#!/bin/sh\n${SCRIPT_LINE}\nrm \u202etxt.a\n`
      expect(await pane.locator('.l').allTextContents()).toEqual(text.split(/(?<=\n)/))
      expect(await pane.locator('.unseen').getAttribute('data-code')).toBe('U+202E')
      const tree = (await page.locator('.panes > ul').boundingBox())!
      expect((await pane.boundingBox())!.x).toBeGreaterThanOrEqual(tree.x + tree.width - 1)
      await pane.getByRole('button', { name: 'Copy scripts/run.sh' }).click()
      await expect.poll(() => readClipboard(page)).toBe(text)
      const { status, headers } = await fetch(
        `${site.origin}/trent/long/v/999999.999999.999999/${'a'.repeat(100)}/page.html`,
      )
      expect([status, headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8'])
      expect(await page.locator('#skill-claude-code').textContent()).toContain(
        '/archive | tar -xzf - -C .claude/skills/long',
      )
      expect(await page.evaluate('window.hostileFieldRan')).toBeUndefined()
      expect(problems).toEqual([])
    })

    test('copying without permission selects the text instead, and the button keeps its width', async () => {
      const { page } = await site.open(REPOSITORY)
      await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
      await page.locator('.tools label', { hasText: 'curl' }).click()
      const button = page.getByRole('button', { name: 'Copy curl code' })
      const before = (await button.boundingBox())?.width
      await button.click()
      await page.getByText('Press Ctrl+C').waitFor()
      expect(await page.evaluate(() => String(getSelection()))).toBe(
        `curl -fsS '${SITE_URL}/api/v1/repos${REPOSITORY}/raw?version=1.1.0'`,
      )
      expect((await button.boundingBox())?.width).toBe(before)
    })

    test('shows the results of tests, with the run', async () => {
      const { page, problems } = await site.open(REPOSITORY)
      const cells = page.locator('section:has(#results) tbody tr > *')
      expect(await cells.allInnerTexts()).toEqual([
        ...['quality', hostile('model').slice(0, 200), '1234 (3 skipped)', '2', '0.98'],
        expect.stringContaining('mallory'),
      ])
      const listed = page.locator('.trust li:not(.good) a[href="#results"]')
      expect(await listed.allInnerTexts()).toEqual(['quality: 1234 passed, 2 failed, 3 skipped, score 0.98'])
      const run = page.getByRole('link', { name: 'Run of quality' })
      expect(await run.getAttribute('rel')).toBe('nofollow ugc noopener')
      expect(await run.getAttribute('href')).toMatch(/^https:\/\/x\.example\//)
      expect(problems).toEqual([])
      await page.goto(`${site.origin}${REPOSITORY}/v/1.0.0`)
      expect(await page.locator('#results').count()).toBe(0)
      for (const feed of [`${REPOSITORY}/feed.xml`, '/mallory/feed.xml']) {
        const text = await (await fetch(`${site.origin}${feed}`)).text()
        expect(text).toContain('Tested 1.1.0 with quality: 1234 passed, 2 failed, 3 skipped, score 0.98')
      }
    })

    test('shows what is deprecated, archived or yanked, and what to use instead', async () => {
      const { page } = await site.open(REPOSITORY)
      expect(await page.getByRole('note').first().textContent()).toMatch(
        /^Deprecated: .*status_message<\/script>.*Use mallory\/plain-1 instead\.$/s,
      )
      expect(await page.locator('.version-row.yanked').textContent()).toContain(hostile('yank_reason').slice(0, 40))
      await page.goto(`${site.origin}${REPOSITORY}/v/1.0.1`)
      expect(await page.getByText('1.0.1 was yanked.').isVisible()).toBe(true)
      expect(await page.locator('#content').textContent()).toBe('bad')
      await page.goto(`${site.origin}/mallory/old`)
      expect(await page.getByRole('note').textContent()).toMatch(/^Archived: /)
      await page.goto(`${site.origin}/mallory/gone`)
      expect(await page.getByRole('note').textContent()).toContain('All versions were yanked')
      expect(await page.locator('#content').count()).toBe(0)
    })

    test('a fork links to its original, and the original to a page with its forks', async () => {
      const { page } = await site.open('/mallory/unseen')
      await page.getByRole('link', { name: 'mallory/hostile@1.0.0' }).first().click()
      await page.waitForURL('**/mallory/hostile')
      expect(await page.getByText('mallory/unseen').count()).toBe(0)
      await page.getByRole('link', { name: '1 fork', exact: true }).click()
      await page.waitForURL('**/mallory/hostile/forks')
      await page.getByRole('link', { name: 'Unseen', exact: true }).click()
      await page.waitForURL('**/mallory/unseen')
    })

    test('invisible characters are counted and shown, and the text stays unchanged', async () => {
      const { page } = await site.open('/mallory/unseen')
      expect(await page.locator('#content').textContent()).toBe(UNSEEN_CONTENT)
      expect(
        await page
          .locator('#content .unseen')
          .evaluateAll((marks) => marks.map((mark) => (mark as HTMLElement).dataset.code)),
      ).toEqual(['U+200B', 'U+202E', 'U+202C', 'U+E0041'])
      expect(await page.getByText('This text contains 4 hidden characters').isVisible()).toBe(true)
    })
  })

  describe('a version published after the build', () => {
    test('is shown at once on its page and in a comparison', async () => {
      const name = 'unvisited'
      const content = `${hostile('fresh')}\nAsk https://newest.example/a first.\n`
      const { data: repository } = await site.getJson(`/api/v1/repos/mallory/${name}`)
      const { data: record } = await site.getJson(`/api/v1/repos/mallory/${name}/versions/1.0.0`)
      const { data: versions } = await site.getJson(`/api/v1/repos/mallory/${name}/versions`)
      const version = { ...record, version: '1.1.0', content, previous_version: '1.0.0' }
      const origin = { commit: 'a'.repeat(40), kept_at: new Date().toISOString() }
      await site.fresh.keep('versions', { ...origin, version })
      await site.fresh.keep('repositories', {
        repository: { ...repository, latest_version: '1.1.0', versions_count: 2 },
        versions: [{ ...versions[0], version: '1.1.0' }, versions[0]],
        results: {},
        activity: [],
        ...origin,
      })
      const { page, problems } = await site.open(`/mallory/${name}/v/1.1.0`)
      expect(await page.locator('#content').textContent()).toBe(content)
      expect(await page.locator('#content .unseen').first().getAttribute('data-code')).toBe('U+2028')
      expect(await page.evaluate((marker) => Reflect.get(window, marker), MARKER)).toBeUndefined()
      await page.goto(`${site.origin}/mallory/${name}`)
      expect(await page.locator('#content').textContent()).toBe(content)
      expect(await page.locator('.activity').textContent()).toMatch(/Published 1\.1\.0: now contacts newest\.example/)
      await page.getByRole('link', { name: /^Compare.*1\.0\.0 with 1\.1\.0$/ }).click()
      expect(await page.locator('.line.added').first().isVisible()).toBe(true)
      expect(problems).toEqual([])
    })
  })
}
