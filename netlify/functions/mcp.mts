// Serves MCP on Netlify. The limit is higher than that of reads, because users of a hosted client share that client's IP addresses.
import type { Config } from '@netlify/functions'
import { serveOnNetlify } from '../../src/hosts/netlify/serve.ts'
import { type FunctionContext, openMessageHub } from '../../src/hub/open-hub.ts'
import { createApp } from '../../src/routes/app.ts'
import { mcp } from '../../src/routes/mcp.ts'

export default serveOnNetlify(createApp<FunctionContext>([mcp({ mcp: openMessageHub })]))

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
