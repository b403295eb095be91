// Serves skills to APM on Netlify, without the platform's rate limit: APM fetches the archive of every skill in a manifest.
import type { Context } from '@netlify/functions'
import { handleApm } from '../../packages/skills/handle-apm.ts'
import { openHub } from '../../src/wiring/hub.ts'

export default (request: Request, context: Context) => handleApm(request, () => openHub(request, context))
export const config = { path: '/api/apm/*' }
