// Tests chat prompts: the table shared by all clients, and properties that a table cannot express. See docs/contract.md
// sections 2 and 11.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../tests/fixtures/records.ts'
import type { Variable } from '../api/schema.ts'
import { fillMessages } from '../content/filling.ts'
import { undeclaredVariable } from '../content/prompt-file.ts'
import { LIMITS } from '../limits.ts'
import { type CHAT_ROLES, type ChatPart, formatChat, isChatMessage, splitChat } from './chat.ts'
import { checkChat, findUnwritable } from './chat-rules.ts'

type Case = { name: string; content: string } & (
  | { problems: number[] }
  | { problems?: never; messages: ChatPart[]; variables: Variable[]; values: Record<string, unknown>; filled: unknown }
)

const { cases } = JSON.parse(readFileSync('tests/fixtures/chat-cases.json', 'utf8')) as { cases: Case[] }

test('the shared table has at least 60 cases', () => expect(cases.length).toBeGreaterThanOrEqual(60))

describe.each(cases)('$name', (given) => {
  const { content } = given
  if (given.problems) {
    const { problems } = given
    test('is rejected with the line numbers', () => {
      const lines = checkChat(content).map(({ offset }) => content.slice(0, offset).split('\n').length)
      expect([...new Set(lines)]).toEqual(problems)
    })
    return
  }
  const { messages, variables, values, filled } = given
  test('is accepted', () => expect(checkChat(content)).toEqual([]))
  test('is split into messages', () => expect(splitChat(content)).toEqual(messages))
  test('is the same after formatting and splitting again', () =>
    expect(splitChat(formatChat(messages))).toEqual(messages))
  test('is filled with values', () => {
    const { value, problems = [] } = fillMessages({ messages, variables }, values, 'strict')
    // Clients insert the history; here, the placeholder stays in the result.
    if (Array.isArray(filled) && !('history' in given)) expect(value?.messages.filter(isChatMessage)).toEqual(filled)
    else if (!Array.isArray(filled) && !('history' in given))
      expect(Object.fromEntries(problems.map(({ kind, name }) => [kind, [name]]))).toEqual(filled)
    else expect(value?.missing).toEqual([])
  })
})

const text = anyText.filter((some) => findUnwritable(some) === undefined && !/^[\r\n]|[\r\n]$/.test(some))
const message = (roles: readonly (typeof CHAT_ROLES)[number][]) =>
  fc.record({ role: fc.constantFrom(...roles), content: text })
const chat = fc
  .record({
    systems: fc.array(message(['system']), { maxLength: 2 }),
    turns: fc.array(message(['user', 'assistant']), { minLength: 1, maxLength: 5 }),
    history: fc.option(fc.nat(5)),
  })
  .map(({ systems, turns, history }): ChatPart[] => {
    const parts: ChatPart[] = [...turns]
    if (history !== null) parts.splice(history, 0, { type: 'history' })
    return [...systems, ...parts]
  })

/** Parts of messages and values, including some that could be mistaken for a role line. */
const pieces = fc
  .array(
    fc.constantFrom(
      '{{role "system"}}',
      '{{role "user"}}',
      '{{history}}',
      '{{a}}',
      '\n',
      '\r\n',
      '\r',
      ' ',
      '\t',
      '\ufeff',
      '{{role "',
      '}}',
      'x',
      '\u2028',
    ),
    { maxLength: 12 },
  )
  .map((some) => some.join(''))

test('a formatted chat prompt splits into the same messages and formats to the same bytes', () =>
  fc.assert(
    fc.property(chat, (parts) => {
      const content = formatChat(parts)
      const names = /\{\{( ?)(?:role|history)\1\}\}/
      if (!parts.some((part) => isChatMessage(part) && names.test(part.content))) expect(checkChat(content)).toEqual([])
      expect(splitChat(content)).toEqual(parts)
      expect(formatChat(splitChat(content))).toBe(content)
    }),
  ))

/**
 * Returns the text without whitespace and role lines. Role lines are removed only at the start of a line, or after a
 * leading byte order mark; elsewhere, they count as text.
 */
const textOf = (content: string) =>
  content.replaceAll(/(?<=^\ufeff?|\n)[ \t]*(?:\{\{role "\w+"\}\}|\{\{history\}\})/g, '').replaceAll(/[\s\ufeff]/g, '')

test('splitting, formatting and splitting again gives the same messages for any content', () =>
  fc.assert(
    fc.property(fc.oneof(pieces, anyText), (content) => {
      const parts = splitChat(content)
      // A text whose line ends are removed may be a role line, such as one that ends with two carriage returns.
      const isWritable = parts.every((part) => !isChatMessage(part) || findUnwritable(part.content) === undefined)
      if (isWritable) expect(splitChat(formatChat(parts))).toEqual(parts)
      else expect(checkChat(content)).not.toEqual([])
      // Formatting valid content changes only role lines, line endings, and the whitespace before the first role line.
      if (checkChat(content).length === 0) expect(textOf(formatChat(parts))).toBe(textOf(content))
    }),
  ))

test('values never change the number or roles of messages, and each is filled separately', () =>
  fc.assert(
    fc.property(fc.oneof(pieces, anyText), fc.oneof(pieces, anyText), (a, b) => {
      const messages = splitChat(
        '{{role "system"}}\n{{a}}\n{{history}}\n{{role "user"}}\n{{b}} {{a}}\n{{role "assistant"}}\n{{b}}',
      )
      const variables = [undeclaredVariable('a'), undeclaredVariable('b')]
      const { value } = fillMessages({ messages, variables }, { a, b }, 'strict')
      expect(value?.messages).toEqual([
        { role: 'system', content: a },
        { type: 'history' },
        { role: 'user', content: `${b} ${a}` },
        { role: 'assistant', content: b },
      ])
    }),
  ))

test('the size limit of the filled text counts all messages', () => {
  const variables = [undeclaredVariable('a')]
  const half = 'x'.repeat(LIMITS.filledBytes / 2)
  const messages: ChatPart[] = [
    { role: 'system', content: '{{a}}' },
    { role: 'user', content: '{{a}}' },
  ]
  expect(fillMessages({ messages, variables }, { a: half }, 'strict').problems).toBeUndefined()
  expect(fillMessages({ messages, variables }, { a: `${half}x` }, 'strict').problems).toMatchObject([
    { kind: 'too_large', name: '' },
  ])
})

test.each([
  ['{{role "user"}}'],
  ['a\n {{role "system"}}\t\nb'],
  ['{{history}}'],
  ['see {{history}}'],
  ['{{role "tool"}}'],
  ['a\r\n{{role "user"}} x'],
  [''],
  ['\n \n'],
])('rejects %j as message content', (some) => expect(findUnwritable(some)).toBeDefined())

test.each([['say {{role "user"}}'], ['{{a}}'], ['\nx\n'], ['{role "user"}']])('accepts %j as message content', (some) =>
  expect(findUnwritable(some)).toBeUndefined(),
)
