// Connects the account pages to Netlify. Responses are never cached.
import type { Config, Context } from '@netlify/functions'
import { handleAccount } from '../../packages/account/handle-account.ts'
import { connectAccount } from '../../src/wiring/account.ts'

export default (request: Request, context: Context) => handleAccount(request, () => connectAccount(request, context))

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
