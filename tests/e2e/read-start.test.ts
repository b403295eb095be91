// Aims the reading suite and the MCP clients at `npm start`, our own host on a built site, and reading at the address in E2E_URL when there is one.
import { testClients } from '../mcp/clients.ts'
import { readSuite } from './reading/suite.ts'
import { npmTarget, runningAt } from './targets.ts'

readSuite(npmTarget('start'), (hub) => testClients(() => `${hub.base}/mcp`))
if (process.env.E2E_URL) readSuite(runningAt(process.env.E2E_URL))
