// Builds `server.json`, the entry for MCP registries.
import { describeServer } from '../../server/mcp/identity.ts'

/**
 * Returns the entry for MCP registries.
 *
 * @param baseUrl the hub's base URL; its reversed hostname is the namespace, whose ownership a registry verifies @see https://modelcontextprotocol.io/registry/remote-servers
 * @param isForReaders whether only readers may read the hub
 */
export function describeForRegistries(baseUrl: string, isForReaders = false) {
  const { name, title, version, websiteUrl } = describeServer(baseUrl)
  const namespace = new URL(baseUrl).hostname.split('.').reverse().join('.')
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `${namespace}/${name}`,
    title,
    // A registry accepts at most 100 characters.
    description: isForReaders
      ? 'Search and read a catalogue of versioned prompts. Read-only, for readers with a token.'
      : 'Search and read a public catalogue of versioned prompts. Read-only, no API key needed.',
    version,
    websiteUrl,
    remotes: [{ type: 'streamable-http', url: `${baseUrl}/mcp`, ...(isForReaders && { headers: [TOKEN] }) }],
  }
}

const TOKEN = {
  name: 'Authorization',
  description: '“Bearer ” and a token with the permission read',
  isRequired: true,
  isSecret: true,
}
