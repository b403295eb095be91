// Serves a built site in this process with our own host.
import { rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { serveSites } from '../../packages/node-server/builds/serve-sites.ts'
import { openSite } from '../../packages/node-server/builds/site.ts'
import { openLocalStores } from '../../packages/node-server/local-stores.ts'
import { openBuiltPages } from '../../packages/node-server/pages.ts'
import { readConfig } from '../../src/config.ts'
import { buildSite } from './build-site.ts'

type Stores = Parameters<typeof serveSites>[1] & { close(): Promise<void> | void }

/** Options for building and serving a site. */
export interface SiteOptions<S extends Stores> {
  /**
   * Environment variables, set from the start of the build until the hub stops. CONTENT_DIR and SITE_URL are required.
   */
  settings: Readonly<Record<string, string>>
  /** Opens the host's stores; called with the site's folder once the site is built. */
  openStores: (dir: string) => Promise<S>
  /** The address that the host listens on, and its other options. */
  serving: Parameters<typeof serveSites>[2]
}

/**
 * Opens the stores according to the settings, with a separate state for this site, so that nothing from an earlier run
 * affects a test.
 */
export const openOwnStores = (dir: string) => openLocalStores(readConfig(process.env), dir)

/**
 * Builds a content folder and serves it.
 *
 * @param dir a folder from `makeSiteFolder`: the site is written to its `dist`, and the folder is removed when the hub
 * stops
 */
export async function serveBuiltSite<S extends Stores>(
  dir: string,
  { settings, openStores, serving }: SiteOptions<S>,
): Promise<{ server: Server; stores: S; stop(): Promise<void> }> {
  const before = { ...process.env }
  Object.assign(process.env, settings)
  await buildSite(join(dir, 'dist'), settings)
  const site = openSite(join(dir, 'dist'))
  const pages = await openBuiltPages(join(dir, 'build/pages'), join(dir, 'dist'))
  const stores = await openStores(dir)
  const { trustedProxies, baseUrl, hostnames, isPrivate, readAccess } = readConfig(process.env)
  const addresses = { baseUrl, hostnames, isPrivate, readAccess }
  const host = await serveSites(() => site, stores, { trustedProxies, ...addresses, pages: () => pages, ...serving })
  return {
    server: host.server,
    stores,
    async stop() {
      await host.stop()
      await stores.close()
      await site.close()
      process.env = before
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
