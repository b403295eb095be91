// Serves the API on Netlify, with the platform's rate limit.
import type { Config, Context } from '@netlify/functions'
import { hubApp } from '../../src/wiring/hub-app.ts'

export default (request: Request, context: Context) => hubApp.fetch(request, context)

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: ['/api', '/api/*'],
  excludedPath: '/api/apm/*',
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
