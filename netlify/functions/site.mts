// Owns the addresses of the website at which no file may be: a search, a page that is still to be built, or nothing. Its `config` is literals only.
import type { Context } from '@netlify/functions'
import { answerPage } from '../../src/server/pages/answer-page.ts'
import { connectRead } from '../../src/wiring/read.ts'

export default (request: Request, context: Context) => answerPage(request, () => connectRead(request, context))
export const config = {
  path: ['/search', '/:owner', '/:owner/:name', '/:owner/:name/:version', '/:owner/:name/:kind/:place'],
  excludedPath: ['/:room(api|assets|auth|cli|data|mcp|settings|rate-limited){/*}?'],
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
