// Runs against `npm start` what only sends requests: the read test suite, the MCP clients, the installation of hubcli, and Astro's dev server beside it.
import { afterAll, beforeAll, describe } from 'vitest'
import { testInstall } from '../cli/install.ts'
import { testClients } from '../mcp/clients.ts'
import { testDevPages } from './dev-pages.ts'
import { addresses } from './reading/addresses.ts'
import { dataFiles } from './reading/data-files.ts'
import { openReading } from './reading/hub.ts'
import { labels } from './reading/labels.ts'
import { limit } from './reading/limit.ts'
import { lists } from './reading/lists.ts'
import { methods } from './reading/methods.ts'
import { models } from './reading/models.ts'
import { queryValues } from './reading/query-values.ts'
import { records } from './reading/records.ts'
import { search } from './reading/search.ts'

const hub = openReading()
beforeAll(() => hub.open())
afterAll(() => hub.close())

for (const part of [records, lists, addresses, methods, dataFiles, labels, models, search, queryValues]) part(hub)
testClients(() => `${hub.base}/mcp`)
testInstall(() => hub.base)
describe('npm run dev:pages', () => testDevPages(() => hub.base))
limit(hub)
