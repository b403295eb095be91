// Connects the MCP endpoint to Netlify. Its `config` specifies no method, so that the function responds to every method with the hub's own headers.
import type { Config, Context } from '@netlify/functions'
import { handleMcp } from '../../src/server/mcp/handle-mcp.ts'
import { connectMcp } from '../../src/wiring/mcp.ts'

export default (request: Request, context: Context) => handleMcp(request, () => connectMcp(request, context))

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: '/mcp',
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 1200,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
