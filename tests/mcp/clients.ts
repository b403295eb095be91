// The official MCP clients of both generations, and what each must be able to do.
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test } from 'vitest'

type Json = Record<string, unknown>

/** What the tests need from a client of either generation. */
interface AnyClient {
  version: () => string | undefined
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments?: Json }): Promise<Json>
  listPrompts(): Promise<{ prompts: { name: string }[] }>
  getPrompt(prompt: { name: string; arguments?: Record<string, string> }): Promise<{ messages: unknown[] }>
  readResource(resource: { uri: string }): Promise<{ contents: unknown[] }>
  close(): Promise<void>
}

const INFO = { name: 'tests', version: '1.0.0' }

/** The clients, keyed by the name that appears in test titles. */
const CLIENTS: readonly (readonly [string, string, (address: string) => Promise<AnyClient>])[] = [
  ['the 1.x client', '2025-11-25', connectLegacy],
  ['the 2.x client with its defaults', '2025-11-25', (address) => connectModern(address)],
  ['the 2.x client that negotiates the version', '2026-07-28', (address) => connectModern(address, 'auto')],
  ['the 2.x client of 2026-07-28', '2026-07-28', (address) => connectModern(address, { pin: '2026-07-28' })],
]

async function connectLegacy(address: string): Promise<AnyClient> {
  const client = new Client(INFO)
  const transport = new StreamableHTTPClientTransport(new URL(address))
  await client.connect(transport)
  return Object.assign(client, { version: () => transport.protocolVersion })
}

async function connectModern(address: string, mode?: 'auto' | { pin: string }): Promise<AnyClient> {
  const client = new ModernClient(INFO, mode && { versionNegotiation: { mode } })
  await client.connect(new ModernTransport(new URL(address)))
  return Object.assign(client, { version: () => client.getNegotiatedProtocolVersion() })
}

/** Adds the tests that every client must pass. @param addressOf called when the tests run */
export function testClients(addressOf: () => string): void {
  test.each(CLIENTS)('%s lists and calls all four tools', async (_, version, connect) => {
    const client = await connect(addressOf())
    try {
      expect(client.version()).toBe(version)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['search_prompts', 'get_prompt', 'list_versions', 'list_tags'])
      const repo = { owner: 'acme', name: 'code-review' }
      const found = await client.callTool({ name: 'search_prompts', arguments: { q: 'code review', limit: 3 } })
      expect(found.structuredContent).toMatchObject({ data: expect.arrayContaining([expect.objectContaining(repo)]) })
      const got = await client.callTool({ name: 'get_prompt', arguments: { ...repo, version: '1.0.0' } })
      expect(got.structuredContent).toMatchObject({
        data: { ...repo, version: '1.0.0', yanked: expect.any(Boolean) },
      })
      const versions = await client.callTool({ name: 'list_versions', arguments: repo })
      expect(versions.structuredContent).toMatchObject({ data: expect.any(Array), meta: { page: 1 } })
      const tags = await client.callTool({ name: 'list_tags', arguments: { limit: 1 } })
      expect(tags.structuredContent).toMatchObject({ data: [{ count: expect.any(Number) }] })
      const failed = await client.callTool({ name: 'get_prompt', arguments: { ...repo, version: '999.0.0' } })
      expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^not_found: /) }] })
      expect((await client.listPrompts()).prompts.length).toBeGreaterThan(10)
      const name = 'acme__commit-message'
      const needed = { diff: 'a' }
      expect((await client.getPrompt({ name, arguments: needed })).messages).toHaveLength(1)
      const { contents } = await client.readResource({ uri: 'hub://prompts/acme/code-review/versions/1.0.0' })
      expect(contents).toMatchObject([{ mimeType: 'text/plain', text: expect.any(String) }])
    } finally {
      await client.close()
    }
  })
}
