// Gives pages under `npm run dev` what the function `pages` gives them elsewhere.
import { defineMiddleware } from 'astro:middleware'
import { answerMoved } from '../server/pages/answer-page.ts'
import { openPageData } from '../server/pages/page-data.ts'
import { devSources } from './dev-sources.ts'

export const onRequest = defineMiddleware(({ url, locals }, next) => {
  Object.assign(locals, { hub: openPageData(devSources(), () => {}), path: url.pathname })
  return answerMoved(url) ?? next()
})
