// Serves Agent Skills on Netlify, without the platform's rate limit: clients fetch every skill in an index.
import type { Context } from '@netlify/functions'
import { handleSkill } from '../../packages/skills/handle-skill.ts'
import { openHub } from '../../src/wiring/hub.ts'

export default (request: Request, context: Context) => handleSkill(request, () => openHub(request, context))
export const config = {
  path: [
    '/:a/:b/:file(SKILL.md|skill.md)', // the CLI matches paths in lower case
    '/:a/:b/v/:c/:d(.+)',
    '/.well-known/agent-skills/index.json',
    '/:a/.well-known/agent-skills/*',
    '/:a/:b/.well-known/agent-skills/*',
  ],
  method: ['GET', 'HEAD', 'OPTIONS'],
}
