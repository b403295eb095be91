// Tests the preview of a prompt: values from examples and defaults, messages, and long values.
import { expect, test } from 'vitest'
import { undeclaredVariable } from '../../domain/content/prompt-file.ts'
import { renderPreview } from './preview.ts'

const name = { ...undeclaredVariable('name'), example: '<b>Ada</b>' }
const tone = { ...undeclaredVariable('tone'), default: 'warm' }
const textOf = (html: string) => html.replace(/<[^>]*>/g, '').trim()

test('shows the example, otherwise the default, otherwise the placeholder, as text', () => {
  const html = renderPreview({
    content: '{{name}} {{tone}} {{other}}',
    format: 'text',
    variables: [name, tone, undeclaredVariable('other')],
  })
  expect(textOf(html)).toBe('&lt;b&gt;Ada&lt;/b&gt; warm {{other}}')
  expect(html).not.toContain('<b>')
})

test('shows each message of a chat prompt with its role, and the place of earlier messages', () => {
  const content = '{{role "system"}}\nBe {{tone}}.\n{{history}}\n{{role "user"}}\n{{name}}\n'
  const html = renderPreview({ content, format: 'chat', variables: [name, tone] })
  expect([...html.matchAll(/<h3 class="role">(\w+)</g)].map(([, role]) => role)).toEqual(['system', 'user'])
  expect(textOf(html)).toMatch(/^systemBe warm\.\s*Earlier messages go here\s*user&lt;b&gt;Ada/)
})

test('a value that does not match its type, or would make the text too long, leaves the placeholder', () => {
  const count = { ...undeclaredVariable('count'), type: 'integer' as const, default: 'many' }
  expect(textOf(renderPreview({ content: '{{count}}', format: 'text', variables: [count] }))).toBe('{{count}}')
  const long = { ...undeclaredVariable('long'), example: '\n'.repeat(10_000) }
  const html = renderPreview({ content: '{{long}}'.repeat(100), format: 'text', variables: [long] })
  expect(html.length).toBeLessThan(20_000)
  expect(textOf(html)).toContain('{{long}}{{long}}')
})
