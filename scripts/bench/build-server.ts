// Serves the build in the current folder with the functions, in a process of its own: `node build-server.ts`. It measures requests alone, because it neither builds nor follows the content.

import { serveSites } from '../../packages/node-server/builds/serve-sites.ts'
import { openLocalStores } from '../../packages/node-server/local-stores.ts'
import { readConfig } from '../../src/config.ts'
import { openBuiltPages, openSite } from './open-build.ts'

const config = readConfig(process.env)
const site = openSite('dist')
await site.search().warm()
const pages = await openBuiltPages('dist')
await serveSites({ site }, await openLocalStores(config), { ...config, pages: { current: pages } })
