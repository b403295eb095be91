// Lists a site's downloads: hubcli and the client libraries, with the site's URL built in.
import type { Bytes, SiteFiles } from '../built/site-files.ts'
import { listCliDownloads } from './downloads/hubcli.ts'
import { checkClientsAddress, listClientDownloads, packCommand } from './downloads/libraries.ts'
import { readClientsReleases, readCliReleases } from './downloads/releases.ts'

/** The npm package of the command line: `npx https://prompts.example.org/clients/prompt-hub.tgz`. */
export const COMMAND = '/clients/prompt-hub.tgz'

/** Lists all downloads with their bytes. @param root the project's folder @param baseUrl the site's base URL */
export async function listDownloads(
  root: string,
  baseUrl: string,
): Promise<[path: string, content: string | Uint8Array][]> {
  const releases = await readClientsReleases(root)
  return [
    ...listCliDownloads(await readCliReleases(root), baseUrl),
    ...listClientDownloads(releases, baseUrl),
    [COMMAND, await packCommand(root, releases.at(-1)!, baseUrl)],
  ]
}

/**
 * Returns the downloads as files, which need no build. The packages of the libraries are packed when somebody requests
 * one, because that takes a tenth of the processor time in which a hub starts. @throws Error if the URL cannot be built in
 */
export async function openDownloads(root: string, baseUrl: string): Promise<SiteFiles> {
  checkClientsAddress(baseUrl)
  const scripts = toFiles(listCliDownloads(await readCliReleases(root), baseUrl))
  const releases = await readClientsReleases(root)
  let packages: ReadonlyMap<string, Bytes> | undefined
  let command: Promise<Bytes> | undefined
  return {
    async read(path) {
      if (!path.startsWith('/clients/')) return scripts.get(path)
      if (path === COMMAND) {
        command ??= packCommand(root, releases.at(-1)!, baseUrl).then((bytes) => Buffer.from(bytes))
        return command
      }
      packages ??= toFiles(listClientDownloads(releases, baseUrl))
      return packages.get(path)
    },
  }
}

const toFiles = (listed: readonly [path: string, content: string | Uint8Array][]): ReadonlyMap<string, Bytes> =>
  new Map(listed.map(([path, content]) => [path, Buffer.from(content)]))
