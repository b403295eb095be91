// `/docs/mcp/server.json`, the entry for registries of MCP servers.
import { readConfig } from '../../../config.ts'
import { describeForRegistries } from '../../../site/docs/mcp-registry.ts'

export const GET = () =>
  new Response(`${JSON.stringify(describeForRegistries(readConfig(process.env).baseUrl), null, 2)}\n`)
