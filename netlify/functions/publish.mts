// Serves publishes and checks on Netlify.
import type { Config } from '@netlify/functions'
import { serveOnNetlify } from '../../src/hosts/netlify/serve.ts'
import { type FunctionContext, openCheckHub } from '../../src/hub/open-hub.ts'
import { openPublishHub } from '../../src/hub/open-publish-hub.ts'
import { createApp } from '../../src/routes/app.ts'
import { writes } from '../../src/routes/writes.ts'

/** https://docs.netlify.com/build/functions/overview/#default-deployment-options */
const PLATFORM_BYTES = 6_000_000

export default serveOnNetlify(
  createApp<FunctionContext>([
    writes({ publishing: openPublishHub, checking: openCheckHub, platformBytes: PLATFORM_BYTES }),
  ]),
)

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: ['/api', '/api/*'],
  excludedPath: '/api/apm/*',
  method: ['POST', 'PUT', 'PATCH', 'DELETE'],
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
