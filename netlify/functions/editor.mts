// Connects the pages for publishing, managing prompts and an owner's settings to Netlify. Responses are never cached.
import type { Config, Context } from '@netlify/functions'
import { handleEditor } from '../../packages/editor/handle-editor.ts'
import { connectEditor } from '../../src/wiring/account.ts'

export default (request: Request, context: Context) => handleEditor(request, () => connectEditor(request, context))

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: ['/new', '/:owner/settings', '/:owner/:name/edit', '/:owner/:name/manage'],
  // A guide, a tag and what other functions answer, none of which is an owner.
  excludedPath: '/:room(api|auth|data|docs|settings|tags)/settings',
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
