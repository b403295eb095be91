// Serves Agent Skills on Netlify, and all files that are missing, without the platform's rate limit: clients fetch every skill in an index, and APM the archive of every skill in a manifest.
import type { Config } from '@netlify/functions'
import { serveOnNetlify } from '../../src/hosts/netlify/serve.ts'
import { type FunctionContext, openHub } from '../../src/hub/open-hub.ts'
import { createApp } from '../../src/routes/app.ts'
import { skills } from '../../src/routes/skills.ts'

export default serveOnNetlify(createApp<FunctionContext>([skills({ hub: openHub })]))

// Only literals: the platform's bundler reads this without running it, and drops anything else.
export const config: Config = {
  path: [
    '/:a/:b/:file(SKILL.md|skill.md)', // the CLI matches paths in lower case
    '/:a/:b/v/:c/:d(.+)',
    '/:a?/:b?/:room(.well-known|.claude-plugin)/:file(agent-skills/.+|skills/.+|marketplace.json)',
    '/api/apm/*',
    '/:folder(data|assets|cli|clients|npm){/*}?',
  ],
  // What other functions answer.
  excludedPath: ['/:room(auth|settings)/*', '/api/:rest((?!apm/).+)'],
  preferStatic: true,
}
