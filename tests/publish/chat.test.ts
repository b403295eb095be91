// Tests publishing chat prompts, as content and as messages: what is rejected and on which line, what carries over, and
// what triggers a warning.
import { describe, expect, test } from 'vitest'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

const world: World = openLocalWorld()
const hub: Hub = await openHub(world)

const GOOD = { title: 'Help desk', description: 'Answers a question of a customer.', tags: ['chat'], license: 'MIT' }
const publish = (body: Record<string, unknown>, to: string) => hub.publish({ ...GOOD, bump: 'patch', ...body }, { to })
const CONTENT = '{{role "system"}}\r\nBe brief.\n\n\n{{history}}\n{{role "user"}}\n{{question}}'
const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { type: 'history' },
  { role: 'user', content: '{{question}}' },
]

test('from content: keeps the bytes, returns messages, and does not list history as a variable', async () => {
  const { status, data } = await publish({ content: CONTENT, format: 'chat' }, 'acme/by-content')
  expect(status).toBe(201)
  expect(data).toMatchObject({ content: CONTENT, format: 'chat', messages: MESSAGES })
  expect((data.variables as { name: string }[]).map(({ name }) => name)).toEqual(['question'])
  await hub.build()
  const read = async (path: string) => (await hub.read(path)).data
  expect(await read('/api/v1/repos/acme/by-content')).toMatchObject({ format: 'chat', messages: MESSAGES })
  expect(await read('/api/v1/repos/acme/by-content/versions/1.0.0')).toMatchObject({
    format: 'chat',
    messages: MESSAGES,
  })
  expect((await hub.read('/api/v1/repos/acme/by-content/raw')).text).toBe(CONTENT)
})

test('from messages: writes them as content in a canonical form', async () => {
  const { status, data } = await publish({ messages: MESSAGES }, 'acme/by-messages')
  expect(status).toBe(201)
  expect(data).toMatchObject({
    format: 'chat',
    messages: MESSAGES,
    content: '{{role "system"}}\nBe brief.\n\n{{history}}\n\n{{role "user"}}\n{{question}}\n',
  })
  expect((await publish({ messages: MESSAGES }, 'acme/by-messages')).data).toMatchObject({ unchanged: true })
})

test('keeps the format of the previous version and its rules, unless text is requested', async () => {
  const to = 'acme/carried'
  await publish({ content: '{{role "user"}}\nOne\n', format: 'chat' }, to)
  const second = await publish({ content: '{{role "user"}}\nTwo\n' }, to)
  expect(second.data).toMatchObject({ version: '1.0.1', format: 'chat', messages: [{ role: 'user', content: 'Two' }] })
  const wrong = await publish({ content: '{{role "user"}}\nTwo\n{{role "bot"}}\nx\n' }, to)
  expect([wrong.status, wrong.message]).toEqual([
    422,
    'content: line 3: expected {{role "system"}}, {{role "user"}} or {{role "assistant"}} alone on its line.',
  ])
  const text = await publish({ content: '{{role "user"}}\nTwo\n', format: 'text' }, to)
  expect(text.data).toMatchObject({ version: '1.0.2', format: 'text', messages: null })
  expect(text.data.warnings).toMatchObject([{ code: 'looks_like_chat', line: 1 }, { code: 'breaking_change' }])
})

test('keeps a text prompt with role lines as text, with a warning', async () => {
  const { data } = await publish({ content: 'Write:\n{{role "user"}}\nHello\n' }, 'acme/looks-so')
  expect(data).toMatchObject({ format: 'text', messages: null })
  expect(data.warnings).toEqual([
    {
      code: 'looks_like_chat',
      message: 'content: has role lines, but format is text. Publish it with format chat to get messages',
      line: 2,
    },
  ])
})

test('the diff of two versions lists added, removed and changed roles', async () => {
  const to = 'acme/different'
  await publish(
    { messages: [{ role: 'system', content: 'a' }, { type: 'history' }, { role: 'user', content: 'b' }] },
    to,
  )
  const { data } = await publish(
    {
      messages: [
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'c' },
      ],
    },
    to,
  )
  expect((data.warnings as { message: string }[])[0]!.message).toContain('history')
  const files = await hub.build()
  const changes = JSON.parse(files.get('/data/v1/repos/acme/different/changes.json')!)
  expect(changes.data[0]).toMatchObject({
    breaking: true,
    format_changed: false,
    messages: { added: ['assistant'], removed: ['system', 'history'], changed: [] },
  })
})

describe('rejects', () => {
  const user = { role: 'user', content: 'x' }
  const chat = (content: string, more = {}) => ({ content, format: 'chat', ...more })
  const said = (...messages: object[]) => ({ messages })
  const role = (name: string, text: string) => ({ role: name, content: text })
  const named = { variables: [{ name: 'history' }] }
  const late = '{{role "user"}}\nx\n\n{{role "system"}}\ny'
  test.each<[string, Record<string, unknown>, string]>([
    ['no role line', chat('Hi'), 'content: line 1: expected {{role "system"}}'],
    ['an empty message', chat('{{role "user"}}\nx\n{{role "assistant"}}\n'), 'content: line 3: '],
    ['a late system message', chat(late), 'line 4: expected system'],
    ['an unknown format', { content: 'x', format: 'json' }, 'format: expected "text" or "chat", got "json"'],
    ['content and messages', { content: 'x', messages: [user] }, 'messages: expected either content or messages'],
    ['messages with the format text', { messages: [user], format: 'text' }, 'format: expected chat with messages'],
    ['no messages', said(), 'messages: expected at least one message'],
    ['only a history', said({ type: 'history' }), 'messages.0: expected {{role'],
    [
      'a role line',
      said(user, role('user', 'a\n{{role "system"}}\nb')),
      'messages.1.content: expected text without role lines',
    ],
    ['an empty message in messages', said(role('user', '\n')), 'messages.0.content: expected some text'],
    ['a later system message', said(user, role('system', 'y')), 'messages.1: expected system messages before'],
    ['an unknown role', said(role('tool', 'y')), 'messages.0: expected {"role", "content"}'],
    ['an unknown key of a message', said({ ...user, name: 'x' }), 'messages.0.name: unknown'],
    ['a variable named history', chat('{{role "user"}}\nx', named), 'variables.0.name: '],
    ['501 messages', chat('{{role "user"}}\nx\n'.repeat(501)), 'line 1001: expected at most 500 messages'],
  ])('%s', async (_, body, says) => {
    const { status, message } = await publish(body, 'acme/refused')
    expect([status, message]).toEqual([422, expect.stringContaining(says)])
  })
})
