// Runs the read test suite and the MCP clients against `npm run preview`, the Netlify dev server with the built site.
import { CLIENTS, testClients } from '../mcp/clients.ts'
import { readSuite } from './reading/suite.ts'
import { npmTarget } from './targets.ts'

/**
 * Only the oldest and the newest client run here, because a call takes up to a second and runs the same code as
 * elsewhere.
 */
const clients = [CLIENTS[0]!, CLIENTS.at(-1)!]

readSuite(npmTarget('preview', 1), (hub) => testClients(() => `${hub.base}/mcp`, { clients }))
