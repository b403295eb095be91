// Serves the build in the current folder with the functions, in a process of its own: `node build-server.ts`. It measures requests alone, because it neither builds nor follows the content.

import { readConfig } from '../../src/config.ts'
import { serveSites } from '../../src/hosts/node/builds/serve-sites.ts'
import { openLocalStores } from '../../src/hosts/node/local-stores.ts'
import { openBuiltPages, openSite } from './open-build.ts'

const config = readConfig(process.env)
const site = openSite('dist')
await site.search().warm()
const pages = await openBuiltPages('dist')
await serveSites({ site }, await openLocalStores(config), { ...config, pages: { current: pages } })
