// Owns the addresses of the website at which no file may be: a search, a page that is still to be built, or nothing.
import type { Context } from '@netlify/functions'
import { answerPage } from '../../src/server/pages/answer-page.ts'
import { connectRead } from '../../src/wiring/read.ts'

export default (request: Request, context: Context) => answerPage(request, () => connectRead(request, context))

// Literals only: the platform's bundler reads this without running it, and drops what it cannot read. Its type lacks HEAD, so it has none.
export const config = {
  path: [
    '/search',
    '/:owner',
    '/:owner/:name',
    '/:owner/:name/:version',
    '/:owner/:name/v/:version',
    '/:owner/:name/compare/:pair',
  ],
  excludedPath: [
    '/api',
    '/mcp',
    '/auth',
    '/settings',
    '/data',
    '/rate-limited',
    '/api/*',
    '/auth/*',
    '/settings/*',
    '/data/*',
    '/cli/*',
    '/assets/*',
  ],
  method: ['GET', 'HEAD'],
  preferStatic: true,
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
