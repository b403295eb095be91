// Owns the addresses below /data at which no file is: they answer a JSON error instead of the host's page. Files are served without a function.
import type { Config } from '@netlify/functions'
import { answerNotFound } from '../../src/server/refusals.ts'

export default (request: Request) => answerNotFound(request)

export const config: Config = { path: ['/data', '/data/*'], preferStatic: true }
