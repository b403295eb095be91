// Builds `server.json`, the entry for MCP registries.
import { describeServer } from '../../server/mcp/identity.ts'

/**
 * Returns the entry for MCP registries.
 *
 * @param baseUrl the hub's base URL; its reversed hostname is the namespace, whose ownership a registry verifies @see https://modelcontextprotocol.io/registry/remote-servers
 */
export function describeForRegistries(baseUrl: string) {
  const { name, title, version, websiteUrl } = describeServer(baseUrl)
  const namespace = new URL(baseUrl).hostname.split('.').reverse().join('.')
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `${namespace}/${name}`,
    title,
    // A registry accepts at most 100 characters.
    description: 'Search and read a public catalogue of versioned prompts. Read-only, no API key needed.',
    version,
    websiteUrl,
    remotes: [{ type: 'streamable-http', url: `${baseUrl}/mcp` }],
  }
}
