// Connects exports to Netlify, as a separate function, because the converters need libraries that no other read does.
import type { Context } from '@netlify/functions'
import { handleExport } from '../../src/server/read/export.ts'
import { openHub } from '../../src/wiring/hub.ts'

const load = async () => (await import('../../src/wiring/export-version.ts')).exportVersion

export default (request: Request, context: Context) => handleExport(request, () => openHub(request, context), load)

// Only literals: the platform's bundler reads this without running it, and drops anything else. Its type lacks HEAD, so it is omitted.
export const config = {
  path: '/api/v1/repos/:owner/:name/versions/:version/export/:format',
  method: ['GET', 'HEAD', 'OPTIONS'],
  rateLimit: {
    action: 'rewrite',
    to: '/rate-limited',
    windowLimit: 120,
    windowSize: 60,
    aggregateBy: ['ip', 'domain'],
  },
}
