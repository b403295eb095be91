// Checks the entry for MCP registries, and that every client's setup contains the server URL.
import { expect, test } from 'vitest'
import { listClientSetups } from './mcp-clients.ts'
import { describeForRegistries } from './mcp-registry.ts'

test('server.json for MCP registries', () => {
  expect(describeForRegistries('https://prompts.example.org')).toEqual({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'org.example.prompts/prompt-hub',
    title: 'Prompt Hub',
    description: 'Search and read a public catalogue of versioned prompts. Read-only, no API key needed.',
    version: '1.0.0',
    websiteUrl: 'https://prompts.example.org',
    remotes: [{ type: 'streamable-http', url: 'https://prompts.example.org/mcp' }],
  })
})

test('every client setup contains the server URL, and JSON setups are valid', () => {
  const address = 'https://prompts.example.org/mcp'
  const setups = listClientSetups(address)
  for (const { client, code } of setups) {
    expect(code, client).toContain(address)
  }
  const inJson = setups.filter(({ code }) => code.startsWith('{'))
  for (const { client, code } of inJson) expect(() => JSON.parse(code), client).not.toThrow()
  expect(inJson.map(({ client }) => client)).toEqual([
    ...['VS Code', 'Cursor', 'Windsurf', 'Zed', 'Clients that only support stdio'],
  ])
  expect(setups.map(({ client }) => client)).toEqual([
    ...['Claude Code', 'Claude Desktop and claude.ai', 'VS Code', 'Cursor', 'Codex', 'Gemini CLI', 'Windsurf', 'Zed'],
    ...['Clients that only support stdio', 'curl'],
  ])
})
