// Checks the entry for MCP registries, and that every client's setup contains the server URL.
import { expect, test } from 'vitest'
import type { HubProfile } from '../rendering.ts'
import { listClientSetups } from './mcp-clients.ts'
import { describeForRegistries } from './mcp-registry.ts'
import { fillOwn } from './own-values.ts'

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

test('server.json of a hub for readers asks for a token', () => {
  const { remotes, description } = describeForRegistries('https://prompts.example.org', true)
  expect(remotes[0]).toMatchObject({ headers: [{ name: 'Authorization', isRequired: true, isSecret: true }] })
  expect([description.length <= 100, description.includes('no API key')]).toEqual([true, false])
})

test('on a hub for readers, every setup sends a token or names the variable, and no connector is offered', () => {
  const setups = listClientSetups('https://prompts.example.org/mcp', true)
  for (const { client, code, install } of setups) {
    expect(code, client).toMatch(/HUB_TOKEN|hub-token|hub_…/)
    if (install !== undefined) expect(decodeURIComponent(install), client).toMatch(/hub-token|config=/)
  }
  expect(setups.map(({ id }) => id)).not.toContain('claude-desktop')
})

test('a guide for readers sends the token with what reads, and nowhere else', () => {
  const profile = { baseUrl: 'https://hub.corp', isForReaders: true } as HubProfile
  const fill = (text: string, isForReaders = true) => fillOwn(text, { ...profile, isForReaders })
  const url = 'https://prompts.example.org'
  const cases = [
    [
      `curl -fsS '${url}/api/v1/repos'`,
      `curl -H "Authorization: Bearer $HUB_TOKEN" -fsS 'https://hub.corp/api/v1/repos'`,
    ],
    [`curl -fsS -o a/b.md ${url}/a`, `curl -H "Authorization: Bearer $HUB_TOKEN" -fsS -o a/b.md https://hub.corp/a`],
    [`curl -fsS ${url}/cli/hubcli`, 'curl -fsS https://hub.corp/cli/hubcli'],
    [`curl -X PUT ${url}/api/v1/x`, 'curl -X PUT https://hub.corp/api/v1/x'],
    ['machine prompts.example.org', 'machine hub.corp'],
    ['a\n<!-- public -->\nb\n<!-- /public -->\n<!-- readers -->\nc\n<!-- /readers -->\n', 'a\nc\n'],
  ]
  for (const [given = '', filled] of cases) expect(fill(given)).toBe(filled)
  expect(fill(cases[0]![0]!, false)).toBe("curl -fsS 'https://hub.corp/api/v1/repos'")
  expect(fill(cases[5]![0]!, false)).toBe('a\nb\n')
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
