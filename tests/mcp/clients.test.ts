// Runs the official clients against the endpoint in this process.
import { afterAll, describe, expect, test } from 'vitest'
import { findPlaceholders } from '../../src/domain/content/placeholders.ts'
import { ENDPOINT, openMcpHub } from '../hubs/mcp.ts'
import { CLIENTS, testClients } from './clients.ts'

const hub = openMcpHub('content')
afterAll(() => hub.close())

describe('official clients in this process', () => {
  testClients(() => ENDPOINT, { fetch: hub.fetch })
})

describe('starter prompts with only required arguments have no unfilled placeholder', () => {
  const prompts = [...hub.catalogue.entries.values()].filter(({ isListed }) => isListed)

  test.each(CLIENTS)('%s', async (_, _version, connect) => {
    const client = await connect(ENDPOINT, hub.fetch)
    for (const { repository } of prompts) {
      const needed = repository.variables.filter(({ required, default: usual }) => required && usual === null)
      const given = needed.map(({ name, type, options, example }) => [
        name,
        options[0] ?? String(example ?? { string: 'a text', integer: 3, number: 0.5, boolean: true, enum: '' }[type]),
      ])
      const name = `${repository.owner}__${repository.name}`
      const { messages } = await client.getPrompt({ name, arguments: Object.fromEntries(given) })
      const [{ content }] = messages as [{ content: { text: string } }]
      const declared = new Set(repository.variables.map((variable) => variable.name))
      expect(findPlaceholders(content.text).filter((open) => declared.has(open))).toEqual([])
    }
    await client.close()
  })

  test('covers more than 30 prompts', () => expect(prompts.length).toBeGreaterThan(30))
})
