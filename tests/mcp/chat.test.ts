// Tests chat prompts in MCP with the table shared by all clients. There are two ways to get a prompt, and no value can
// create a message in either.
import { afterAll, expect, test } from 'vitest'
import type { ChatPart } from '../../src/domain/values/chat.ts'
import { CHAT_CASES, writeChat } from '../fixtures/chat-cases.ts'
import { openMcpHub } from '../hubs/mcp.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const cases = CHAT_CASES.map((given, index) => ({ ...given, repository: `case-${index}` }))
const contentDir = temporaryFolder('hub-chat-')
for (const given of cases) writeChat(contentDir, `acme/${given.repository}`, '1.0.0', given)
const hub = openMcpHub(contentDir)
afterAll(() => hub.close())

const textsOf = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
// Leaves out cases that must be rejected, and cases with a history, which clients insert.
const filled = cases.filter((given) => Array.isArray(given.filled) && !given.history)

test('covers more than 45 cases', () => expect(filled.length).toBeGreaterThan(45))

test.each(filled)('$name', async ({ repository, values, messages, filled }) => {
  const variables = textsOf(values)
  const get = async (given: object) => {
    const answer = await hub.tool('get_prompt', { owner: 'acme', name: repository, ...given })
    return (answer.structuredContent as { data: { format: string; messages: ChatPart[] } }).data
  }
  expect(await get({})).toMatchObject({ format: 'chat', messages })
  expect((await get({ variables })).messages.filter((part) => 'role' in part)).toEqual(filled)

  const got = await hub.call('prompts/get', { name: `acme__${repository}`, arguments: variables })
  const expected = filled as { role: string; content: string }[]
  const system = expected.filter(({ role }) => role === 'system').map(({ content }) => content)
  const [first, ...others] = expected.filter(({ role }) => role !== 'system')
  const isUser = first?.role === 'user'
  const opening = [...system, ...(isUser ? [first.content] : [])].join('\n\n')
  const shown = (got.messages as { role: string; content: { text: string } }[]).map(({ role, content }) => [
    role,
    content.text,
  ])
  expect(shown).toEqual([
    ...(system.length > 0 || isUser ? [['user', opening]] : []),
    ...(first && !isUser ? [[first.role, first.content]] : []),
    ...others.map(({ role, content }) => [role, content]),
  ])
})
