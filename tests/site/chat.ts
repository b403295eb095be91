// Tests how the pages show chat prompts: their messages, comparisons, feeds, and print.
import { beforeAll, expect, test } from 'vitest'
import { type ChatPart, splitChat } from '../../src/domain/values/chat.ts'
import { CHAT_CASES, writeChat } from '../fixtures/chat-cases.ts'
import type { BuiltSite } from './built-site.ts'

/** Cases of the shared table that a page could show as something else; chat.test.ts has all of them. */
const NAMES = [
  ...['examples in turns', 'two system messages', 'spaces at the ends of a message stay', 'CRLF and LF mixed'],
  ...['a CR alone is text inside a message', 'line separators of Unicode do not begin a line'],
  ...['a byte order mark and an empty line', 'a role named inside a line is text', 'ChatML is text'],
  ...['a variable in each message', 'history in the middle', 'history at the beginning'],
]
const cases = CHAT_CASES.filter(({ name }) => NAMES.includes(name)).map((given, index) => ({
  ...given,
  repository: `talk/case-${index}`,
}))
const SUPPORT = [
  '{{role "system"}}\nBe brief.\n\n{{history}}\n\n{{role "user"}}\nHello\n',
  '{{role "system"}}\nBe kind.\n\n{{role "user"}}\nHello\n\n{{role "assistant"}}\nHi!\n',
]

/** Writes the prompts, of an owner of their own. */
export function writeChats(dir: string): void {
  for (const given of cases) writeChat(dir, given.repository, '1.0.0', given)
  for (const [index, content] of SUPPORT.entries()) writeChat(dir, 'talk/support', `${index + 1}.0.0`, { content })
}

/** Adds the tests. @param opened returns the site; called once the site is open */
export function testChat(opened: () => BuiltSite): void {
  let site: BuiltSite
  beforeAll(() => {
    site = opened()
  })

  test('the page of a chat prompt shows one block per message with its role and content', async () => {
    expect(cases).toHaveLength(NAMES.length)
    const { page } = await site.open('/docs')
    const seen = await page.evaluate(
      (paths) =>
        Promise.all(
          paths.map(async (path) => {
            const html = await (await fetch(`/${path}`)).text()
            const content = new DOMParser().parseFromString(html, 'text/html').querySelector<HTMLElement>('#content')!
            const blocks = [...content.children].map((block) =>
              block.classList.contains('history')
                ? { type: 'history' }
                : { role: block.querySelector('h3')!.textContent, content: block.querySelector('code')!.textContent },
            )
            return { blocks, exact: JSON.parse(content.dataset.exact!) as string }
          }),
        ),
      cases.map(({ repository }) => repository),
    )
    // An HTML parser converts carriage returns to line feeds (HTML section 13.2.3.5); the buttons copy the exact text.
    const shown = (parts: readonly ChatPart[]) =>
      parts.map((part) => ('content' in part ? { ...part, content: part.content.replace(/\r\n?/g, '\n') } : part))
    for (const [index, { name, content, messages }] of cases.entries()) {
      expect([name, seen[index]!.blocks]).toEqual([name, shown(messages)])
      expect([name, seen[index]!.exact, splitChat(seen[index]!.exact)]).toEqual([name, content, messages])
    }
  })

  test('comparison lists changed messages by role; print and raw text contain every message', async () => {
    const { page, problems } = await site.open('/talk/support/compare/1.0.0...2.0.0')
    expect(await page.locator('.for-callers .mark').textContent()).toBe('Breaking change')
    expect(await page.locator('.for-callers li').allTextContents()).toEqual([
      '+ Added message: assistant',
      '− Removed message: history',
      '· Changed message: system',
    ])
    await page.goto(`${site.origin}/talk/support/v/1.0.0`)
    await page.emulateMedia({ media: 'print' })
    // biome-ignore lint/performance/useDomNodeTextContent: the test needs the printed text without hidden parts.
    const words = await page.locator('#content').innerText()
    expect(words.split(/\n+/)).toEqual([
      'system',
      'Be brief.',
      'Earlier messages in the conversation go here.',
      'user',
      'Hello',
    ])
    expect(problems).toEqual([])
    expect(await (await fetch(`${site.origin}/api/v1/repos/talk/support/raw`)).text()).toBe(SUPPORT[1])
    expect(await (await fetch(`${site.origin}/talk/support/feed.xml`)).text()).toContain('compare/1.0.0...2.0.0')
  })
}
