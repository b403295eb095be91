// `/docs/mcp/server.json`, the entry for registries of MCP servers.
import { describeForRegistries } from '../../../site/docs/mcp-registry.ts'
import { thisHub } from '../../../site/docs/this-hub.ts'

export const GET = () => new Response(`${JSON.stringify(describeForRegistries(thisHub().baseUrl), null, 2)}\n`)
