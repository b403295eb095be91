// Runs the read test suite and the MCP clients against `npm start`, our own host with a built site, and the read test suite against the URL in E2E_URL if it is set.
import { testClients } from '../mcp/clients.ts'
import { readSuite } from './reading/suite.ts'
import { npmTarget, runningAt } from './targets.ts'

readSuite(npmTarget('start'), (hub) => testClients(() => `${hub.base}/mcp`))
if (process.env.E2E_URL) readSuite(runningAt(process.env.E2E_URL))
