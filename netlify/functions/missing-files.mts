// Responds to missing files with a JSON error instead of the host's page. Existing files need no function.
import type { Config } from '@netlify/functions'
import { respondNotFound } from '../../src/server/refusals.ts'

export default (request: Request) => respondNotFound(request)

export const config: Config = {
  path: ['/data', '/data/*', '/assets', '/assets/*', '/cli', '/cli/*', '/clients', '/clients/*'],
  preferStatic: true,
}
