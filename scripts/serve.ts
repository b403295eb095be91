// `npm run serve`: serves the finished build in dist/ with the functions, in one Node process, and the next one as soon as it is finished.
import { resolve } from 'node:path'
import { readConfig } from '../src/config.ts'
import { inBackground } from '../src/host/background.ts'
import { openFinishedSite } from '../src/host/finished-site.ts'
import { openLocalStores, printSignInLink, serveSites, watchBy } from '../src/host/serve-sites.ts'
import { surviveUncaughtErrors } from '../src/host/uncaught-errors.ts'
import { whenAsked } from './ending.ts'

const config = readConfig(process.env)
const finished = openFinishedSite(resolve('dist'))
if (!finished) {
  console.error(
    'There is no finished build in dist/. Run `npm run build` first, or `npm start`, which builds by itself.',
  )
  process.exit(1)
}
const stores = await openLocalStores(config).catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
const host = await serveSites(finished.site, stores, {
  ...config,
  ...watchBy(config),
  healthOf: finished.health,
})
surviveUncaughtErrors()
inBackground('Warming the search', finished.warm)
console.log(`Serving dist/ at ${config.baseUrl}`)
printSignInLink(config, stores)
whenAsked(async () => {
  await host.stop()
  finished.close()
  await stores.close()
})
