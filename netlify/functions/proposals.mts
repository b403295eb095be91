// Serves reads of proposals on Netlify. Responses are never cached.
import { serveOnNetlify } from '../../src/hosts/netlify/serve.ts'
import { type FunctionContext, openCheckHub } from '../../src/hub/open-hub.ts'
import { openPublishHub } from '../../src/hub/open-publish-hub.ts'
import { createApp } from '../../src/routes/app.ts'
import { proposals } from '../../src/routes/proposals.ts'

export default serveOnNetlify(
  createApp<FunctionContext>([proposals({ publishing: openPublishHub, checking: openCheckHub })]),
)

// Only literals: the platform's bundler reads this without running it, and drops anything else. Its type lacks HEAD, so it is omitted.
export const config = {
  path: ['/api/v1/repos/:owner/:name/proposals', '/api/v1/repos/:owner/:name/proposals/*'],
  method: ['GET', 'HEAD', 'OPTIONS'],
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
