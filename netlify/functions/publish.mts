// Connects the publish API to Netlify. Reading has the same addresses but other methods, because only one function may match a request.
import type { Config, Context } from '@netlify/functions'
import { answerPublish } from '../../src/server/publish/publish.ts'
import { connectPublish } from '../../src/wiring/publish.ts'

export default (request: Request, context: Context) => answerPublish(request, () => connectPublish(request, context))

// Literals only: the platform's bundler reads this without running it, and drops what it cannot read.
export const config: Config = {
  path: ['/api', '/api/*'],
  method: ['POST'],
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
