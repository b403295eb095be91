// Adds a site's downloads: the shell client and the libraries, with the site's URL built in.
import { listCliDownloads, readCliFiles } from '../downloads/hubcli.ts'
import { listClientDownloads, readClientReleases } from '../downloads/libraries.ts'

/** Lists every download with its bytes. @param root the project's folder @param baseUrl the site's own base URL */
export async function listDownloads(
  root: string,
  baseUrl: string,
): Promise<[path: string, content: string | Uint8Array][]> {
  return [
    ...listCliDownloads({ ...(await readCliFiles(root)), baseUrl }),
    ...listClientDownloads(await readClientReleases(root), baseUrl),
  ]
}
