// `/docs/mcp/server.json`, the entry for registries of MCP servers.
import type { APIRoute } from 'astro'
import { describeForRegistries } from '../../../site/docs/mcp-registry.ts'

export const GET: APIRoute = ({ locals: { profile } }) =>
  new Response(`${JSON.stringify(describeForRegistries(profile.baseUrl, profile.isForReaders), null, 2)}\n`)
