// Serves the build in the current folder with the functions, in a process of its own: `node build-server.ts`. It measures requests alone, because it neither builds nor follows the content.
import { readConfig } from '../../src/config.ts'
import { serveSites } from '../../src/host/builds/serve-sites.ts'
import { openSite } from '../../src/host/builds/site.ts'
import { openLocalStores } from '../../src/host/local-stores.ts'
import { openBuiltPages } from '../../src/host/pages.ts'

const config = readConfig(process.env)
const site = openSite('dist')
await site.warm()
const pages = await openBuiltPages('build/pages', 'dist')
await serveSites(() => site, await openLocalStores(config), { ...config, pages: () => pages })
