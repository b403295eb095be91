// `/.well-known/ai-catalog.json`: what this hub has for agents, for those that look for it by its host. https://agenticresourcediscovery.org
import type { APIRoute } from 'astro'

export const GET: APIRoute = ({ locals: { profile } }) => {
  const { baseUrl, look } = profile
  const { hostname } = new URL(baseUrl)
  const entry = (kind: string, name: string, type: string, path: string, description: string, queries: string[]) => ({
    identifier: `urn:air:${hostname}:${kind}`,
    displayName: `${look.name}: ${name}`,
    type,
    url: baseUrl + path,
    description,
    representativeQueries: queries,
  })
  const catalog = {
    specVersion: '1.0',
    host: { displayName: look.name, identifier: baseUrl },
    entries: [
      entry('mcp', 'MCP server', 'application/mcp-server+json', '/docs/mcp/server.json', 'Finds and reads prompts.', [
        'find a prompt for a code review',
        'get version 1.2.0 of a prompt',
      ]),
      entry(
        'skills',
        'Agent Skills',
        'application/agent-skills+json',
        '/.well-known/agent-skills/index.json',
        'The index of all Agent Skills, each with the SHA-256 of its bytes.',
        ['list the skills of this hub', 'install a skill'],
      ),
      entry('api', 'API', 'application/vnd.oai.openapi+json', '/api/v1/openapi.json', 'Reads and publishes prompts.', [
        'publish a new version of a prompt',
        'list the versions of a prompt',
      ]),
    ],
  }
  return new Response(`${JSON.stringify(catalog, null, 2)}\n`)
}
