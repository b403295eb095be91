// Connects checks of a publish to Netlify. Its `config` specifies no method, so that only this function responds at its path.
import type { Config, Context } from '@netlify/functions'
import { handleCheck } from '../../src/server/publish/handle-check.ts'
import { openCheckHub } from '../../src/wiring/hub.ts'

export default (request: Request, context: Context) => handleCheck(request, () => openCheckHub(request, context))

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: '/api/v1/repos/:owner/:name/check',
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
