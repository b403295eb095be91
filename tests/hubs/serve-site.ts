// Serves a site in this process with our own host.
import { join } from 'node:path'
import { openSite } from '../../scripts/bench/open-build.ts'
import { builtFile, indexOf, placesOf } from '../../src/build/build-places.ts'
import { serveLook } from '../../src/build/hub-look.ts'
import { openDownloads } from '../../src/build/list-downloads.ts'
import { writeData } from '../../src/build/write-data.ts'
import { writeBuildRecord } from '../../src/built/build-record.ts'
import { readBuildSource } from '../../src/built/build-source.ts'
import { type Config, findProfile, readConfig } from '../../src/config.ts'
import { readHubLook } from '../../src/content/site-settings-file.ts'
import { openFolder } from '../../src/files/plain-files.ts'
import { bundlePlaceOf, ensureBundle } from '../../src/hosts/node/builds/pages-bundle.ts'
import { serveSites } from '../../src/hosts/node/builds/serve-sites.ts'
import { openLocalStores } from '../../src/hosts/node/local-stores.ts'
import { openBundle } from '../../src/hosts/node/pages.ts'
import { temporaryFolder } from '../temporary-folder.ts'

type Stores = Parameters<typeof serveSites>[1] & { close(): Promise<void> | void }
type Serving = Parameters<typeof serveSites>[2]

/** Options for serving a site. */
interface SiteOptions {
  /** Environment variables, set until the hub stops. CONTENT_DIR and SITE_URL are required. */
  settings: Readonly<Record<string, string>>
  /** Writes the data of the content folder; by default, as `npm run build` does. */
  write?: (config: Config, places: { siteDir: string; indexPath: string }) => unknown
  /** By default, the stores are opened according to the settings, with a state of this site alone, below its folder. */
  stores?: Stores
  /** The address that the host listens on, and its other options. */
  serving: Serving
}

/** Writes the data of a content folder in this process, and serves it with the page bundle, as `npm start` does. */
export async function serveSite({ settings, write = writeData, stores: given, serving }: SiteOptions) {
  const dir = temporaryFolder('hub-site-')
  const before = process.env
  // Settings are parsed once for each environment object.
  process.env = { ...before, ...settings }
  const config = readConfig(process.env)
  const places = placesOf(join(dir, 'dist'))
  const source = await readBuildSource(config.contentDir, process.env)
  await write(config, { siteDir: places.dist, indexPath: indexOf(places) })
  writeBuildRecord(builtFile(places), { built_at: new Date().toISOString(), source })
  const look = serveLook(readHubLook(openFolder(config.contentDir)))
  const bundle = await ensureBundle(bundlePlaceOf(process.cwd()))
  const pages = { current: await openBundle(bundle, findProfile(config, look.shown), look.files) }
  const downloads = await openDownloads('.', config.baseUrl)
  const site = openSite(places.dist)
  const stores = given ?? (await openLocalStores(config, dir))
  const host = await serveSites({ site }, stores, { ...config, pages, downloads, ...serving })
  return {
    dir,
    server: host.server,
    stores,
    async stop() {
      await host.stop()
      await stores.close()
      await site.close()
      process.env = before
    },
  }
}
