// Provides page data in `npm run dev`; everywhere else, the function `pages` does this.
import type { MiddlewareHandler } from 'astro'
import { matchSkillPath } from '../../domain/api/routes.ts'
import { redirectMoved } from '../../server/pages/handle-page.ts'
import { handleSkill } from '../../server/pages/handle-skill.ts'
import { openPageData } from '../../server/pages/page-data.ts'
import { devSources } from './dev-sources.ts'

export const onRequest: MiddlewareHandler = ({ url, locals, request }, next) => {
  const sources = devSources()
  Object.assign(locals, { profile: sources.profile, hub: openPageData(sources, () => {}), path: url.pathname })
  const skill = matchSkillPath(url.pathname)
  return skill
    ? handleSkill(request, () => ({ ...sources, limiter: { take: () => 0 }, clientAddress: '' }))
    : (redirectMoved(url) ?? next())
}
