// Connects the website's pages, rendered on request, to Netlify. Its `config` contains only literals.
import type { Context } from '@netlify/functions'
import { handlePage } from '../../src/server/pages/handle-page.ts'
import { openHub } from '../../src/wiring/hub.ts'

export default (request: Request, context: Context) => handlePage(request, () => openHub(request, context))
export const config = {
  path: '/*',
  excludedPath: [
    '/:room(api|assets|auth|cli|clients|data|settings){/*}?',
    '/:file(mcp|new|rate-limited|.well-known/agent-skills/index.json)',
    '/:a([a-su-zA-Z\\d][\\w\\-]*|t[b-z\\d\\-][\\w\\-]*|ta[a-fh-z\\d\\-][\\w\\-]*|tag[a-rt-z\\d\\-][\\w\\-]*|tags[\\w\\-]+|ta?g?)/settings', // every owner, but not the tag of this name
    '/:a/:b/(edit|manage|SKILL.md|skill.md|v/.+/.+)',
    '/:a{/:b}?/.well-known/agent-skills/*',
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
