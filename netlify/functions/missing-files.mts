// Responds to missing files with a JSON error instead of the host's page. Existing files need no function.
import { respondNotFound } from '../../src/server/refusals.ts'

export default (request: Request) => respondNotFound(request)
export const config = {
  path: ['/data', '/data/*', '/assets', '/assets/*', '/cli', '/cli/*', '/clients', '/clients/*'],
  method: ['GET', 'HEAD', 'OPTIONS'],
  preferStatic: true,
}
