// `npm run serve`: serves the build in dist/ with the functions, in one Node process, and switches to later builds. Run `npm run build` first.
import { openBuiltSite } from '../src/host/builds/built-site.ts'
import { openMonitoring, serveSites } from '../src/host/builds/serve-sites.ts'
import { addState, STARTING } from '../src/host/health.ts'
import { logUncaughtErrors } from '../src/host/http/uncaught-errors.ts'
import { openLocalStores, printSignInLink } from '../src/host/local-stores.ts'
import { placesOf } from '../src/site/build/build-places.ts'
import { readSettingsOrExit } from './read-settings.ts'
import { onShutdown } from './shutdown.ts'

const config = readSettingsOrExit()
const built = await openBuiltSite(placesOf('dist'))
if (!built) {
  console.error('No build found in dist/. Run `npm run build` first, or use `npm start`, which also builds.')
  process.exit(1)
}
const stores = await openLocalStores(config).catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
const host = await serveSites(() => built.current().site, stores, {
  ...config,
  ...(await openMonitoring(config)),
  pages: () => built.current().pages,
  healthOf: () =>
    addState({ ...STARTING, status: 'ok', built_at: built.current().builtAt }, stores.stateWatch.health()),
})
logUncaughtErrors()
console.log(`Serving dist/ at ${config.baseUrl}`)
printSignInLink(config, stores)
onShutdown(async (hurry) => {
  await host.drain(config.drainMs, hurry)
  await host.stop()
  built.close()
  await stores.close()
})
