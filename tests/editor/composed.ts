// Tests the pages and the editor of prompts with more than a text: those that include others or are included, skills with
// files, prompts that were renamed, and breaking changes.
import { createHash } from 'node:crypto'
import type { Browser, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BuiltHub } from '../hubs/built-hub.ts'
import { signInPlainly } from './plain-forms.ts'
import { press, promptField, signIn, textOf } from './signed-in.ts'

const OLD = 'Be kind.'
const NEW = 'Be kind and short, for {{reader}}.'
const versionOf = (content: string, more = '') =>
  `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: corp\n${more}---\n${content}`
const includeOf = (version: string, content: string, text: string) =>
  `includes:\n  - repository: corp/house-style\n    range: ^1\n    version: ${version}\n    content_sha256: ${createHash('sha256').update(content).digest('hex')}\n    start: 0\n    length: ${Buffer.byteLength(text)}\n    variables: []\n`
const SKILL =
  'skill:\n  description: Fills in forms.\n  license: MIT\n  compatibility: Needs Python 3.\n  metadata:\n    author: alice\n'
/** Prompts of corp, of which alice is a member, and of others. */
export const COMPOSED_CONTENT = {
  'content/corp/index.md': '---\nname: Corp\nmembers: [alice]\n---\n',
  'content/corp/house-style/index.md':
    '---\ntitle: House style\nlicense: MIT\nyanked: {"1.0.0": "Too short"}\nadvisories: [{range: "<1.1.0", severity: high, message: "Says nothing of length"}]\n---\n',
  'content/corp/house-style/versions/1.0.0.md': versionOf(`${OLD}\n`),
  'content/corp/house-style/versions/1.1.0.md': versionOf(`${NEW}\n`),
  'content/corp/review/index.md': '---\ntitle: Review\nlicense: MIT\n---\n',
  'content/corp/review/versions/1.0.0.md': versionOf(`${OLD}\nReview {{code}}.\n`, includeOf('1.0.0', `${OLD}\n`, OLD)),
  'content/corp/plain/versions/1.0.0.md': versionOf('Plain.\n'),
  // A version of the part, and a part, that were taken down.
  'content/yan/tone/versions/1.0.0.md': versionOf('Kindly.\n'),
  'content/yan/letter/versions/1.0.0.md': versionOf(
    `${OLD}\nWrite.\n`,
    includeOf('1.0.1', `${OLD}\n`, OLD).replace('corp/house-style', 'yan/tone'),
  ),
  'content/yan/note/versions/1.0.0.md': versionOf(
    `${OLD}\nNote.\n`,
    includeOf('1.0.0', `${OLD}\n`, OLD).replace('corp/house-style', 'yan/illegal'),
  ),
  'content/corp/forms/index.md': '---\ntitle: Forms\nlicense: MIT\n---\n',
  'content/corp/forms/versions/1.0.0.md': versionOf('Run old.py.\r\nThen go on.\r\n', SKILL),
  'content/corp/forms/versions/1.0.0/old.py': 'print(1)\n',
  'content/corp/forms/versions/1.1.0.md': versionOf('Run new.py.\r\nThen stop.\r\n', SKILL),
  'content/corp/forms/versions/1.1.0/new.py': 'print(2)\n',
  'content/corp/greet/versions/1.0.0.md': versionOf('Hello {{name}}\n'),
  'content/alice/moving/versions/1.0.0.md': versionOf('Hello\n'),
  'content/alice/moving/index.md': '---\nlabels: { production: "1.0.0" }\n---\n',
  'content/alice/new-name/versions/1.0.0.md': versionOf('Hello\n'),
}
const SOURCE = '{{include "corp/house-style@^1"}}\nReview {{code}}.\n'

/** Adds the tests. @param opened returns the browser and the hub; called once both are open */
export function testComposed(opened: () => [Browser, BuiltHub]): void {
  let hub: BuiltHub
  let page: Page
  beforeAll(async () => {
    const [browser, ...others] = opened()
    ;[hub] = others
    page = (await signIn(browser, hub)).page
  })

  const read = async (path: string) => (await fetch(`${hub.url}${path}`)).text()
  const record = async (name: string) => JSON.parse(await read(`/api/v1/repos/${name}`)).data
  const textIn = async (place: Locator) => ((await place.textContent()) ?? '').replace(/\s+/g, ' ').trim()
  const words = (html: string) =>
    html
      .replace(/<(?:head|script|style)\b.*?<\/(?:head|script|style)>/gs, ' ')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')

  describe('pages', () => {
    test('a prompt says what it includes, what is newer, and what is wrong with it', async () => {
      const shown = words(await read('/corp/review'))
      expect(shown).toContain('Includes corp/house-style 1.0.0 (1.1.0 is out)')
      expect(shown).toContain('This version includes corp/house-style 1.0.0 , which was yanked. Too short')
      expect(shown).toContain(
        'Advisory for corp/house-style 1.0.0 , which this version includes (high). Says nothing of length',
      )
      expect(shown).toContain('hubcli recompose corp/review')
      expect(words(await read('/corp/house-style/v/1.0.0'))).toContain('Advisory (high). Says nothing of length')
      expect(words(await read('/corp/house-style'))).not.toContain('Advisory')
    })

    test('a prompt says that what it includes was taken down, and links to no page that is gone', async () => {
      for (const [name, part] of [
        ['letter', 'yan/tone 1.0.1'],
        ['note', 'yan/illegal 1.0.0'],
      ] as const) {
        const html = await read(`/yan/${name}`)
        expect(words(html)).toContain(`This version includes ${part}, which is no longer on this hub.`)
        expect(html).not.toContain(`href="/${part.replace(' ', '/v/')}"`)
      }
      for (const path of ['/api/v1/repos/yan/illegal/dependents', '/data/v1/dependents/yan/illegal.json'])
        expect([path, (await fetch(hub.url + path)).status]).toEqual([path, 404])
    })

    test('a part says how many prompts include it, with the list one click away', async () => {
      expect(await read('/corp/house-style')).toContain(
        '<a href="/corp/house-style/dependents" rel="nofollow">1 prompt</a>',
      )
      const list = words(await read('/corp/house-style/dependents'))
      expect(list).toContain('1 prompt whose latest version includes House style')
      expect(list).toContain('includes 1.0.0 (^1) 1.1.0 is out')
    })

    test('a page without includes says nothing about them', async () => {
      expect(await read('/corp/plain')).not.toMatch(/includ|dependent/i)
      expect(await read('/corp/plain/dependents')).toContain('No prompt includes Plain')
      for (const path of ['/corp/nothing/dependents', '/api/v1/repos/corp/nothing/dependents'])
        expect([path, (await fetch(hub.url + path)).status]).toEqual([path, 404])
    })

    test('the API lists the dependents of a prompt, and none of one that nobody includes', async () => {
      const dependents = async (name: string) => JSON.parse(await read(`/api/v1/repos/corp/${name}/dependents`))
      expect(await dependents('plain')).toEqual({ data: [], meta: { page: 1, pages: 0, total: 0 } })
      expect(await dependents('house-style')).toMatchObject({
        data: [{ full_name: 'corp/review', includes: [{ version: '1.0.0' }], html_url: `${hub.url}/corp/review` }],
        meta: { page: 1, pages: 1, total: 1 },
      })
    })
  })

  describe('the editor', () => {
    const check = () => page.locator('[name=compose]').isChecked()
    const preview = (text: string) => expect.poll(() => textIn(page.locator('[data-preview]'))).toBe(text)
    const open = async (path: string) => {
      await page.goto(`${hub.url}${path}`)
      await page.locator('.code-field').waitFor()
    }

    test('shows the source, and beside it the assembled text, also of a revert and a fork', async () => {
      for (const path of ['/corp/review/edit', '/corp/review/edit?version=1.0.0', '/new?from=corp/review@1.0.0']) {
        await open(path)
        expect([await textOf(page), await check()]).toEqual([SOURCE, true])
        await preview(
          path === '/corp/review/edit'
            ? 'Be kind. Review {{code}}.'
            : 'Be kind and short, for {{reader}}. Review {{code}}.',
        )
      }
    })

    test('what is wrong with an include line is said at the text', async () => {
      await open('/corp/review/edit')
      await promptField(page).fill('Hello\n{{include "corp/nothing"}}\n')
      const words = page.locator('#content-wrong')
      await expect.poll(() => words.textContent()).toContain('corp/nothing is not a prompt on this hub')
    })

    test('include lines without the checkbox are text, with a suggestion', async () => {
      await open('/corp/plain/edit')
      await promptField(page).fill('{{include "corp/house-style"}}\n')
      await preview('{{include "corp/house-style"}}')
      await page.getByText(/^More: /).click()
      await press(page, 'Replace the include lines')
      expect(await check()).toBe(true)
      await preview('Be kind and short, for {{reader}}.')
    })

    test('only the text that was shown is published: not with a part that was published meanwhile', async () => {
      await open('/corp/review/edit')
      await promptField(page).fill('{{include "corp/house-style@^1"}}\nReview {{code}} well.\n')
      await page.getByRole('button', { name: 'Publish 2.0.0' }).waitFor()
      await preview('Be kind and short, for {{reader}}. Review {{code}} well.')
      const shown = await textIn(page.locator('.review'))
      expect(shown).toContain('Added required variable: reader')
      expect(shown).toContain('Changed corp/house-style 1.0.0 → 1.1.0')
      const other = await page.context().newPage()
      await other.goto(`${hub.url}/corp/house-style/edit`)
      await promptField(other).fill('Be kind, short and clear, for {{reader}}.\n')
      await press(other, 'Publish 1.1.1')
      await other.waitForURL(/published=1\.1\.1/)
      await press(page, 'Publish 2.0.0')
      await page.getByText('Something that this version depends on has changed.').waitFor()
      await preview('Be kind, short and clear, for {{reader}}. Review {{code}} well.')
      expect((await record('corp/review')).latest_version).toBe('1.0.0')
      await press(page, 'Publish 2.0.0')
      await page.waitForURL(/published=2\.0\.0/)
      expect(await record('corp/review')).toMatchObject({
        latest_version: '2.0.0',
        content: 'Be kind, short and clear, for {{reader}}.\nReview {{code}} well.\n',
        includes: [{ repository: 'corp/house-style', range: '^1', version: '1.1.1', start: 0 }],
      })
    })
  })

  describe('skills with files', () => {
    const summarise = ({ latest_version, content, skill, files }: Awaited<ReturnType<typeof record>>) => ({
      latest_version,
      content,
      skill,
      files: files.map(({ path }: { path: string }) => path),
    })
    const UNSHOWN = { compatibility: 'Needs Python 3.', metadata: { author: 'alice' } }

    test('editing keeps the files of the latest version, and its Windows line ends', async () => {
      await page.goto(`${hub.url}/corp/forms/edit`)
      await promptField(page).fill('Run new.py now.\nThen stop.\n')
      await press(page, 'Publish 1.1.1')
      await page.waitForURL(/published=1\.1\.1/)
      const expected = { latest_version: '1.1.1', content: 'Run new.py now.\r\nThen stop.\r\n', files: ['new.py'] }
      expect(summarise(await record('corp/forms'))).toMatchObject({
        ...expected,
        skill: UNSHOWN,
      })
    })

    test('reverting brings back the files of the old version, and the check shows that', async () => {
      await page.goto(`${hub.url}/corp/forms/edit?version=1.0.0`)
      await page.getByRole('button', { name: 'Publish 1.2.0' }).waitFor()
      expect(await page.getByLabel('What changed').inputValue()).toBe('Revert to 1.0.0')
      expect(await page.locator('[aria-labelledby=files] li').allTextContents()).toEqual([
        '+ Added old.py',
        '− Removed new.py',
      ])
      await press(page, 'Publish 1.2.0')
      await page.waitForURL(/published=1\.2\.0/)
      const content = 'Run old.py.\r\nThen go on.\r\n'
      expect(summarise(await record('corp/forms'))).toMatchObject({
        latest_version: '1.2.0',
        content,
        files: ['old.py'],
      })
    })

    test('a fork has the very bytes and the files of its origin', async () => {
      await page.goto(`${hub.url}/new?from=corp/forms@1.1.0`)
      await page.locator('.code-field').waitFor()
      await page.locator('[name=owner]').selectOption('corp')
      await page.getByLabel('Name', { exact: true }).fill('my-forms')
      await press(page, 'Publish 1.0.0')
      await page.waitForURL(/published=1\.0\.0/)
      expect(summarise(await record('corp/my-forms'))).toMatchObject({
        content: 'Run new.py.\r\nThen stop.\r\n',
        files: ['new.py'],
        skill: UNSHOWN,
      })
      const file = await fetch(`${hub.url}/api/v1/repos/corp/my-forms/versions/1.0.0/files/new.py`)
      expect(await file.text()).toBe('print(2)\n')
    })
  })

  test('a renamed prompt stays where it was and points to its new name, until that is undone', async () => {
    const alice = await signInPlainly(hub, 'alice')
    const send = async (form: string, typed: Parameters<typeof alice.send>[2], expected: string) => {
      const after = await alice.send(await alice.open('/alice/moving/manage'), form, typed)
      expect(after.text).toContain(expected)
      return after
    }
    const move = (moved_to: string, expected: string) =>
      send('name="moved_to"', { moved_to, confirmed: 'yes' }, expected)
    await move('alice/nothing', 'Moved to: expected a repository that exists, got alice/nothing.')
    const writing = await page.context().newPage()
    await writing.goto(`${hub.url}/alice/moving/edit`)
    await move('alice/new-name', 'This prompt points to alice/new-name.')

    const api = `${hub.url}/api/v1/repos/alice/moving`
    const pinned = await fetch(`${api}/raw?version=1.0.0`)
    expect([pinned.status, await pinned.text()]).toEqual([200, 'Hello\n'])
    const labelled = await fetch(`${api}/raw?label=production`)
    expect([labelled.status, labelled.headers.get('Link')]).toEqual([
      200,
      `<${hub.url}/api/v1/repos/alice/new-name/raw>; rel="successor-version"`,
    ])
    expect(await read('/alice/moving')).toContain('href="/alice/new-name"')
    // A form that was opened before is refused, and no other is shown.
    await promptField(writing).fill('Hello again')
    await writing.getByText('alice/moving has moved to alice/new-name.').waitFor()
    await writing.close({ runBeforeUnload: false })
    expect((await alice.open('/alice/moving/edit')).status).toBe(409)
    // Labels can still be moved.
    const review = await send('id="label-version"', { label: 'stable' }, 'Add stable')
    expect((await alice.send(review, 'Add stable')).text).toContain('stable now points at 1.0.0.')
    await move('', 'This prompt points to no other.')
    expect((await record('alice/moving')).moved_to).toBe(null)
  })

  test('of a breaking change, auto is preselected, and a smaller number needs a second choice', async () => {
    const version = page.getByLabel('Version', { exact: true })
    await page.goto(`${hub.url}/corp/greet/edit`)
    await page.locator('.code-field').waitFor()
    expect(await version.inputValue()).toBe('auto')
    await promptField(page).fill('Hello {{name}} in {{lang}}')
    await page.getByText('Breaking change', { exact: true }).waitFor()
    await version.selectOption('patch')
    await page
      .locator('#bump-wrong', { hasText: 'adds required variable lang. Select auto, which makes it 2.0.0.' })
      .waitFor()
    await page.getByLabel('Although callers must change').check()
    await page.getByText('breaking change since 1.0.0, published as patch: adds required variable lang').waitFor()
    await press(page, 'Use 2.0.0')
    expect(await version.inputValue()).toBe('auto')
    // The second click of a double click publishes nothing.
    await page.getByRole('button', { name: 'Publish 2.0.0' }).dblclick()
    await page.waitForURL(`${hub.url}/corp/greet/edit?published=2.0.0`)
  })
}
