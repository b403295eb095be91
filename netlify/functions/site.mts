// Serves the website on Netlify: its pages, sign-in and the editor.
import type { Config, Context } from '@netlify/functions'
import { hubApp } from '../../src/wiring/hub-app.ts'

export default (request: Request, context: Context) => hubApp.fetch(request, context)

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: '/*',
  excludedPath: [
    '/:folder(api|assets|cli|clients|data){/*}?',
    '/:file(mcp|rate-limited|.well-known/agent-skills/index.json)',
    '/:a/:b/(SKILL.md|skill.md|v/.+/.+)',
    '/:a{/:b}?/.well-known/agent-skills/*',
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
