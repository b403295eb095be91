// Connects the publish API to Netlify. The read API has the same routes but different methods, because only one function may match a request.
import type { Config, Context } from '@netlify/functions'
import { handleWrite } from '../../src/server/publish/handle-write.ts'
import { openPublishHub } from '../../src/wiring/publish.ts'

export default (request: Request, context: Context) => handleWrite(request, () => openPublishHub(request, context))

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: ['/api', '/api/*'],
  excludedPath: ['/api/apm/*', '/api/v1/repos/:owner/:name/check'],
  method: ['POST', 'PUT', 'PATCH', 'DELETE'],
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
