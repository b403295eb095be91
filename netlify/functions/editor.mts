// Connects the pages on which people publish and manage prompts to Netlify. Responses are never cached.
import type { Config, Context } from '@netlify/functions'
import { answerEditor } from '../../src/server/editor/answer-editor.ts'
import { connectEditor } from '../../src/wiring/editor.ts'

export default (request: Request, context: Context) => answerEditor(request, () => connectEditor(request, context))

// Literals only: the platform's bundler reads this without running it, and drops what it cannot read.
export const config: Config = {
  path: ['/new', '/:owner/:name/edit', '/:owner/:name/manage'],
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
