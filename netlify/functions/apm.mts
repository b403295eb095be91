// Serves skills to APM on Netlify, without the platform's rate limit: APM fetches the archive of every skill in a manifest.
import type { Context } from '@netlify/functions'
import { handleApm } from '../../src/server/pages/handle-apm.ts'
import { connectRead } from '../../src/wiring/read.ts'

export default (request: Request, context: Context) => handleApm(request, () => connectRead(request, context))
export const config = { path: '/api/apm/*', method: ['GET', 'HEAD', 'OPTIONS'] }
