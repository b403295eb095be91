// Lists a site's downloads: hubcli and the client libraries, with the site's URL built in.
import type { Bytes, SiteFiles } from '../../src/ports/site-files.ts'
import { listCliDownloads } from './downloads/hubcli.ts'
import { listClientDownloads } from './downloads/libraries.ts'
import { readClientsReleases, readCliReleases } from './downloads/releases.ts'

/** Lists all downloads with their bytes. @param root the project's folder @param baseUrl the site's base URL */
export async function listDownloads(
  root: string,
  baseUrl: string,
): Promise<[path: string, content: string | Uint8Array][]> {
  return [
    ...listCliDownloads(await readCliReleases(root), baseUrl),
    ...listClientDownloads(await readClientsReleases(root), baseUrl),
  ]
}

/** Returns the downloads as files, which need no build. */
export async function openDownloads(root: string, baseUrl: string): Promise<SiteFiles> {
  const files = new Map<string, Bytes>()
  for (const [path, content] of await listDownloads(root, baseUrl)) files.set(path, Buffer.from(content))
  return { read: async (path) => files.get(path) }
}
