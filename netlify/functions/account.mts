// Serves sign-in and settings on Netlify. Responses are never cached.
import type { Config } from '@netlify/functions'
import { serveOnNetlify } from '../../src/hosts/netlify/serve.ts'
import { connectAccount } from '../../src/hub/connect-account.ts'
import type { FunctionContext } from '../../src/hub/open-hub.ts'
import { accounts } from '../../src/routes/accounts.ts'
import { createApp } from '../../src/routes/app.ts'

export default serveOnNetlify(createApp<FunctionContext>([accounts({ account: connectAccount })]))

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: ['/settings', '/settings/*', '/auth', '/auth/*'],
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
