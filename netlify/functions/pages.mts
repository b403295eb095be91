// Serves the website on Netlify.
import { serveOnNetlify } from '../../src/hosts/netlify/serve.ts'
import { type FunctionContext, openHub } from '../../src/hub/open-hub.ts'
import { createApp } from '../../src/routes/app.ts'
import { pages } from '../../src/routes/pages.ts'

export default serveOnNetlify(createApp<FunctionContext>([pages({ hub: openHub })]))

// Only literals: the platform's bundler reads this without running it, and drops anything else. Its type lacks HEAD, so it is omitted.
export const config = {
  path: '/*',
  excludedPath: [
    '/:folder(api|assets|auth|cli|clients|data|npm|settings){/*}?',
    '/:file(mcp|new|rate-limited)',
    '/:owner/settings',
    '/:a/:b/(edit|manage|proposals/.+|SKILL.md|skill.md)',
    '/:a/:b/v/:c/:d(.+)',
    '/:a?/:b?/:room(.well-known|.claude-plugin)/:file(agent-skills/.+|skills/.+|marketplace.json)',
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
