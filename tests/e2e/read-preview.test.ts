// Runs the read test suite and the MCP clients against `npm run preview`, the Netlify dev server with the built site.
import { CLIENTS, testClients } from '../mcp/clients.ts'
import { readSuite } from './reading/suite.ts'
import { npmTarget } from './targets.ts'

/** Only the newest client runs here, because a call takes up to a second. tests/netlify/bundles.test.ts sends an older message to the same function. */
const clients = CLIENTS.slice(-1)

readSuite(npmTarget('preview', 1), (hub) => testClients(() => `${hub.base}/mcp`, { clients }))
