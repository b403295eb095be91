// `npm run serve`: serves dist/ as it is, with the functions, in one Node process. Run `npm run build` before; start it again after another build.
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../src/config.ts'
import { inBackground } from '../src/host/background.ts'
import { type Health, STARTING } from '../src/host/health.ts'
import { loadPages } from '../src/host/pages.ts'
import {
  openLocalStores,
  openSite,
  printSignInLink,
  searchIndexPath,
  serveSites,
  watchBy,
} from '../src/host/serve-sites.ts'
import { surviveUncaughtErrors } from '../src/host/uncaught-errors.ts'
import { whenAsked } from './ending.ts'

const config = readConfig(process.env)
const dist = resolve('dist')
const index = searchIndexPath(dist)
if (!existsSync(dist) || !existsSync(index)) {
  console.error('There is no whole build to serve. Run `npm run build` first, or `npm start`, which builds by itself.')
  process.exit(1)
}
const site = openSite(dist)
const pages = await loadPages(resolve('build/pages'), dist)
const stores = await openLocalStores(config).catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
// Every build writes the index, but of dist/ only what changed.
const builtAt = statSync(index).mtime.toISOString()
const health: Health = { ...STARTING, status: 'ok', built_at: builtAt }
const host = await serveSites(() => site, stores, {
  ...config,
  ...watchBy(config),
  pages: () => pages,
  healthOf: () => health,
})
surviveUncaughtErrors()
inBackground('Warming the search', () => site.warm())
console.log(`Serving dist/ at ${config.baseUrl}`)
printSignInLink(config, stores)
whenAsked(async () => {
  await host.stop()
  await stores.close()
})
