// Compares our quick check for the protocol generation of a request with the library's own result.
import { isLegacyRequest } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLegacy } from '../../src/server/mcp/modern-leg.ts'
import type { Message } from '../../src/server/mcp/read-message.ts'
import { openMcpHub, post } from '../hubs/mcp.ts'

test('our check for the protocol generation agrees with the library', async () => {
  const hub = openMcpHub('content')
  const deps = { ...hub.dependencies, waitSeconds: 0 }
  const version = fc.constantFrom(
    '2024-11-05',
    '2025-06-18',
    '2025-11-25',
    '2026-07-28',
    '2030-01-01',
    '1999-01-01',
    'x',
  )
  const method = fc.constantFrom(
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'server/discover',
    'subscriptions/listen',
  )
  const meta = fc.record(
    {
      'io.modelcontextprotocol/protocolVersion': fc.oneof(version, fc.constant(1)),
      'io.modelcontextprotocol/clientCapabilities': fc.constant({}),
      'io.modelcontextprotocol/clientInfo': fc.constant({ name: 'a', version: '1' }),
      progressToken: fc.constant(1),
    },
    { requiredKeys: [] },
  )
  const params = fc.record(
    { name: fc.constant('list_tags'), protocolVersion: version, _meta: meta },
    { requiredKeys: [] },
  )
  const headers = fc.record({ 'MCP-Protocol-Version': version, 'Mcp-Method': method }, { requiredKeys: [] })
  const message = fc.record(
    { jsonrpc: fc.constant('2.0' as const), id: fc.constant(1), method, params },
    { requiredKeys: ['jsonrpc', 'method'] },
  )
  await fc.assert(
    fc.asyncProperty(message, headers, async (given: Message, sent: Record<string, string>) => {
      const request = post(given, sent)
      expect(await isLegacy({ request, message: given, deps })).toBe(await isLegacyRequest(request, given))
    }),
    { numRuns: 500 },
  )
  hub.close()
})
