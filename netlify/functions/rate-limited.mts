// Responds to every request over the platform's own rate limit.
import type { Config } from '@netlify/functions'
import { respondRateLimited } from '../../src/server/refusals.ts'

export default (request: Request) => respondRateLimited(request)

export const config: Config = { path: '/rate-limited' }
