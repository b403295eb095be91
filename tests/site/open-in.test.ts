// Tests the links that open a filled-in prompt in a chat app.
import { expect, test } from 'vitest'
import { CHAT_APPS, joinMessages, openInAddress } from '../../src/site/prompt/open-in.ts'

test('the apps', () => {
  expect(CHAT_APPS).toEqual([
    { name: 'ChatGPT', address: 'https://chatgpt.com/?q=' },
    { name: 'Claude', address: 'https://claude.ai/new?q=' },
  ])
})

test.each(['a b+c&d=e#f?g%20', 'line\r\nline\n\ttab', 'ünïcödé 👋🏽', '\'"<script>'])(
  '%j arrives unchanged',
  (text) => {
    const { href, isShort } = openInAddress('https://chatgpt.com/?q=', text)
    const { searchParams, hash } = new URL(href)
    expect([searchParams.get('q'), hash, isShort]).toEqual([text, '', true])
  },
)

test('a lone surrogate is replaced, because a URL cannot contain it', () => {
  expect(openInAddress('https://claude.ai/new?q=', 'a\uD800b').href).toBe('https://claude.ai/new?q=a%EF%BF%BDb')
})

test('a link has at most 8,000 characters', () => {
  const address = 'https://claude.ai/new?q='
  const longest = 'a'.repeat(8_000 - address.length)
  expect(openInAddress(address, longest)).toEqual({ href: address + longest, isShort: true })
  expect(openInAddress(address, `${longest}a`).isShort).toBe(false)
  // In a URL, this letter takes six characters.
  expect(openInAddress(address, 'ü'.repeat(2_000)).isShort).toBe(false)
  expect(openInAddress(address, 'x'.repeat(300_000)).isShort).toBe(false)
})

test('a chat becomes one text; the place of earlier messages is omitted', () => {
  const system = { role: 'system', content: 'Be polite.' } as const
  const user = { role: 'user', content: 'Hello\nAda' } as const
  expect(joinMessages([user])).toBe('Hello\nAda')
  expect(joinMessages([{ type: 'history' }, user])).toBe('Hello\nAda')
  expect(joinMessages([system, { type: 'history' }, user])).toBe('system:\nBe polite.\n\nuser:\nHello\nAda')
})
