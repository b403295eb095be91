// Serves the build in the current folder with the functions, in a process of its own: `node build-server.ts`. It measures requests alone, because it neither builds nor follows the content.

import { serveSites } from '../../packages/node-server/builds/serve-sites.ts'
import { openSite } from '../../packages/node-server/builds/site.ts'
import { openLocalStores } from '../../packages/node-server/local-stores.ts'
import { openBuiltPages } from '../../packages/node-server/pages.ts'
import { readConfig } from '../../src/config.ts'

const config = readConfig(process.env)
const site = openSite('dist')
await site.warm()
const pages = await openBuiltPages('build/pages', 'dist')
await serveSites(() => site, await openLocalStores(config), { ...config, pages: () => pages })
