// Connects the read API to Netlify: its routes and rate limit.
import type { Context } from '@netlify/functions'
import { handleRead } from '../../src/server/read/read.ts'
import { openHub } from '../../src/wiring/hub.ts'

export default (request: Request, context: Context) => handleRead(request, () => openHub(request, context))

// Only literals: the platform's bundler reads this without running it, and drops anything else. Its type lacks HEAD, so it is omitted.
export const config = {
  path: ['/api', '/api/*'],
  excludedPath: [
    '/api/apm/*',
    '/api/v1/repos/:owner/:name/check',
    '/api/v1/repos/:owner/:name/versions/:version/export/:format',
  ],
  method: ['GET', 'HEAD', 'OPTIONS'],
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
