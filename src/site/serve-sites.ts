// Owns opening a built site and serving it with the functions in this process.
import type { Server } from 'node:http'
import type { Site } from '../dependencies.ts'
import { answerWith, type HostContext, listenTo, routeFunctions, startServer } from '../server/host.ts'
import { openSearchIndex } from '../stores/search-index.ts'
import { folderFiles } from '../stores/site-files.ts'
import { loadFunctions, searchIndexPath } from './integration.ts'

/** A site with what must be closed when it is replaced. */
export interface OpenSite extends Site {
  close(): void
}

/** Opens a built site. @param siteDir folder with the site's files; the search index lies beside it */
export function openSite(siteDir: string): OpenSite {
  let index: ReturnType<typeof openSearchIndex> | undefined
  return {
    files: folderFiles(siteDir),
    search: () => (index ??= openSearchIndex(searchIndexPath(siteDir))),
    close: () => index?.close(),
  }
}

/** Serves the site of the moment. @param siteOf asked once a request */
export async function serveSites(siteOf: () => Site, port: number): Promise<Server> {
  const route = routeFunctions(await loadFunctions<HostContext<Site>>())
  return startServer(listenTo(answerWith(route, siteOf)), port)
}
