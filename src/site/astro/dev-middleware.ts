// Gives pages under `npm run dev` what the function `pages` gives them elsewhere.
import type { MiddlewareHandler } from 'astro'
import { answerMoved } from '../../server/pages/answer-page.ts'
import { openPageData } from '../../server/pages/page-data.ts'
import { devSources } from './dev-sources.ts'

export const onRequest: MiddlewareHandler = ({ url, locals }, next) => {
  Object.assign(locals, { hub: openPageData(devSources(), () => {}), path: url.pathname })
  return answerMoved(url) ?? next()
}
