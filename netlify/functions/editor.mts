// Serves the pages for writing on Netlify. Responses are never cached.
import type { Config } from '@netlify/functions'
import { serveOnNetlify } from '../../src/hosts/netlify/serve.ts'
import { connectEditor } from '../../src/hub/connect-account.ts'
import { type FunctionContext, openHub } from '../../src/hub/open-hub.ts'
import { createApp } from '../../src/routes/app.ts'
import { editing } from '../../src/routes/editing.ts'
import { namesakes } from '../../src/routes/pages.ts'

export default serveOnNetlify(
  createApp<FunctionContext>([namesakes({ hub: openHub }), editing({ editor: connectEditor })]),
)

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: ['/new', '/:owner/settings', '/:owner/:name/edit', '/:owner/:name/manage', '/:owner/:name/proposals/:proposal'],
  // What other functions answer.
  excludedPath: [
    '/:room(api|assets|auth|cli|clients|data|npm|settings)/*',
    '/.well-known/:list(agent-skills|skills)/*',
  ],
  preferStatic: true,
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
