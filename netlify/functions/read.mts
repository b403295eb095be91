// Serves what the API reads on Netlify.
import { serveOnNetlify } from '../../src/hosts/netlify/serve.ts'
import { type FunctionContext, openHub } from '../../src/hub/open-hub.ts'
import { createApp } from '../../src/routes/app.ts'
import { reads } from '../../src/routes/reads.ts'

export default serveOnNetlify(createApp<FunctionContext>([reads({ hub: openHub })]))

// Only literals: the platform's bundler reads this without running it, and drops anything else. Its type lacks HEAD, so it is omitted.
export const config = {
  path: ['/api', '/api/*'],
  excludedPath: [
    '/api/apm/*',
    '/api/v1/repos/:owner/:name/versions/:version/export/:format',
    '/api/v1/repos/:owner/:name/proposals{/*}?',
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
