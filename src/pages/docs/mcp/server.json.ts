// Owns `/docs/mcp/server.json`, the entry for registries of MCP servers.
import { getCatalogue } from '../../../site/build/loaded-catalogue.ts'
import { describeForRegistries } from '../../../site/docs/mcp-registry.ts'

export const GET = () => new Response(`${JSON.stringify(describeForRegistries(getCatalogue().baseUrl), null, 2)}\n`)
