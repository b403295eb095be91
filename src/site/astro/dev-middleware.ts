// Provides the data of pages in `npm run dev`, as the function `pages` does elsewhere.
import type { MiddlewareHandler } from 'astro'
import { matchSkillPath } from '../../domain/api/routes.ts'
import { answerMoved } from '../../server/pages/answer-page.ts'
import { answerSkill } from '../../server/pages/answer-skill.ts'
import { openPageData } from '../../server/pages/page-data.ts'
import { devSources } from './dev-sources.ts'

export const onRequest: MiddlewareHandler = ({ url, locals, request }, next) => {
  Object.assign(locals, { hub: openPageData(devSources(), () => {}), path: url.pathname })
  const skill = matchSkillPath(url.pathname)
  return skill ? answerSkill(request, skill, devSources()) : (answerMoved(url) ?? next())
}
