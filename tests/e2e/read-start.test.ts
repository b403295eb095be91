// Runs the read test suite and the MCP clients against `npm start`, our own host with a built site. If E2E_URL is set,
// also runs the read test suite against that URL.
import { testClients } from '../mcp/clients.ts'
import { readSuite } from './reading/suite.ts'
import { npmStart, runningAt } from './targets.ts'

readSuite(npmStart, (hub) => testClients(() => `${hub.base}/mcp`))
if (process.env.E2E_URL) readSuite(runningAt(process.env.E2E_URL))
