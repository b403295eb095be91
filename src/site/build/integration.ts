// Owns what the Astro build does beyond pages: it loads the catalogue once, writes the data files and the search index, and mounts the functions in `astro dev`.
import { mkdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AstroIntegration, AstroIntegrationLogger } from 'astro'
import { readConfig } from '../../config.ts'
import { FRAME_PATH } from '../../domain/api/account-frame.ts'
import { formatHeadersFile } from '../../domain/api/site-headers.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { listDataFiles } from '../../domain/catalogue/data-files.ts'
import { inBackground } from '../../host/background.ts'
import { readDevFrame } from '../../host/dev-frame.ts'
import { answerWith, type HostContext, listenTo, routeFunctions } from '../../host/run-functions.ts'
import {
  buildRecordPath,
  type LocalStores,
  loadFunctions,
  openLocalStores,
  searchIndexPath,
} from '../../host/serve-sites.ts'
import { type BuildSource, copiesAhead, UNKNOWN_SOURCE } from '../../ports/fresh-copies.ts'
import { digestText } from '../../ports/measure.ts'
import { writeBuildRecord } from '../../stores/build-record.ts'
import { readBuildSource } from '../../stores/build-source.ts'
import { buildSearchIndex } from '../../stores/search-index.ts'
import { openSearchIndex } from '../../stores/search-sqlite.ts'
import { memoryFiles } from '../../stores/site-files-memory.ts'
import { writeFiles } from '../../stores/write-files.ts'
import type { Hub } from '../../wiring/platform.ts'
import { listDownloads } from './downloads.ts'
import { type CatalogueLoader, ContentError, openCatalogue } from './load-catalogue.ts'
import { setCatalogue } from './loaded-catalogue.ts'
import { listSiteFiles } from './site-files.ts'

/** How long after its last change a file is read, because editors save a file in several steps. */
const SETTLE_MS = 100

/** The integration that makes a hub of an Astro site. */
export function promptHub(): AstroIntegration {
  const config = readConfig(process.env)
  const loader = openCatalogue(config)
  let catalogue: Catalogue | undefined
  let source = UNKNOWN_SOURCE
  let goFirst = (): unknown => undefined
  return {
    name: 'prompt-hub',
    hooks: {
      'astro:build:start': async ({ logger }) => {
        const started = performance.now()
        source = await readBuildSource(config.contentDir, process.env)
        const loaded = loader.load()
        catalogue = loaded.catalogue
        if (loaded.ignored) logger.warn(loaded.ignored)
        setCatalogue(catalogue)
        logger.info(`Read ${loaded.filesRead} files of ${catalogue.entries.size} repositories in ${since(started)}.`)
      },
      'astro:build:done': async ({ dir, logger }) => {
        if (catalogue) await writeSite(catalogue, fileURLToPath(dir), logger)
        writeBuildRecord(buildRecordPath(fileURLToPath(dir)), { built_at: new Date().toISOString(), source })
      },
      'astro:server:setup': async ({ server, logger }) => {
        const stores = await openLocalStores(config)
        server.httpServer?.once('close', () => inBackground('Closing the stores', stores.close))
        const mount = await mountFunctions(stores, config.baseUrl, () => server.resolvedUrls?.local[0])
        const reload = async () => {
          const began = new Date().toISOString()
          const isLocal = config.gitStore.kind === 'local'
          const source = isLocal
            ? { ...UNKNOWN_SOURCE, read_until: began }
            : await readBuildSource(config.contentDir, process.env)
          if (!reloadCatalogue(loader, mount.show, logger)) return
          mount.noteSource(source)
          // Astro keeps its list of pages until it is told that content changed.
          server.environments.ssr?.hot.send('astro:content-changed', {})
          server.ws.send({ type: 'full-reload' })
        }
        await reload()
        let settling: NodeJS.Timeout | undefined
        const contentDir = resolve(config.contentDir)
        server.watcher.add(contentDir)
        server.watcher.on('all', (_event, path) => {
          if (!resolve(path).startsWith(contentDir)) return
          clearTimeout(settling)
          settling = setTimeout(() => inBackground('Reading the content', reload), SETTLE_MS)
        })
        goFirst = () =>
          server.middlewares.stack.unshift({
            route: '',
            handle: (incoming: IncomingMessage, outgoing: ServerResponse, next: () => void) => {
              if (mount.isOurs(incoming.method ?? 'GET', incoming.url ?? '/'))
                inBackground('An answer', () => mount.listener(incoming, outgoing))
              else next()
            },
          })
      },
      // Mounted when the server has started, because Astro puts its own middleware in front of any that is there earlier, and would answer preflights and odd addresses itself.
      'astro:server:start': () => {
        goFirst()
      },
    },
  }
}

/** Writes everything that stands beside the pages. */
async function writeSite(catalogue: Catalogue, siteDir: string, logger: AstroIntegrationLogger): Promise<void> {
  let started = performance.now()
  const { files, bytes } = writeFiles(siteDir, listDataFiles(catalogue, digestText))
  logger.info(`Wrote ${files} data files, ${bytes} bytes, in ${since(started)}.`)
  writeFiles(siteDir, listSiteFiles(catalogue))
  writeFiles(siteDir, [['/_headers', formatHeadersFile()], ...(await listDownloads('.', catalogue.baseUrl))])
  started = performance.now()
  const indexPath = searchIndexPath(siteDir)
  mkdirSync(resolve(indexPath, '..'), { recursive: true })
  buildSearchIndex(catalogue, indexPath, { isEditable: false })
  logger.info(`Wrote the search index in ${since(started)}.`)
}

/** Reads what changed in the content. When a file is broken, its problems are logged and the old catalogue stays. @returns whether there is a new catalogue */
function reloadCatalogue(
  loader: CatalogueLoader,
  show: (catalogue: Catalogue) => void,
  logger: AstroIntegrationLogger,
): boolean {
  try {
    const { catalogue, filesRead } = loader.load()
    show(catalogue)
    setCatalogue(catalogue)
    logger.info(`Read ${filesRead} changed files.`)
    return true
  } catch (error) {
    if (!(error instanceof ContentError)) throw error
    logger.error(error.message)
    return false
  }
}

/** The functions over the catalogue of the moment, held in memory: what `npm run dev` serves. */
async function mountFunctions(
  { copies, blobs, localGit, localKeys }: LocalStores,
  baseUrl: string,
  devAddress: () => string | undefined,
) {
  const functions = await loadFunctions<HostContext<Hub>>()
  const route = routeFunctions(functions)
  const indexPath = resolve('.astro', `search-${process.pid}.db`)
  const downloads = await listDownloads('.', baseUrl)
  let files = new Map<string, string | Uint8Array>()
  const written = memoryFiles((path) => files.get(path))
  let search: ReturnType<typeof openSearchIndex> | undefined
  let source = UNKNOWN_SOURCE
  const hub: Hub = {
    fresh: copiesAhead(copies, () => source),
    blobs,
    localGit,
    localKeys,
    files: { read: (path) => (path === FRAME_PATH ? readDevFrame(devAddress()) : written.read(path)) },
    search: () => (search ??= openSearchIndex(indexPath)),
  }
  const listener = listenTo(answerWith(route, () => hub))
  return {
    listener,
    isOurs(method: string, url: string): boolean {
      return (
        files.has(url) ||
        /^\/(?:data|cli|clients)\//.test(url) ||
        route(method, new URL(url, 'http://localhost').pathname) !== undefined
      )
    },
    noteSource(read: BuildSource): void {
      source = read
    },
    show(catalogue: Catalogue): void {
      files = new Map<string, string | Uint8Array>([
        ...listDataFiles(catalogue, digestText),
        ...listSiteFiles(catalogue),
        ...downloads,
      ])
      search?.close()
      search = undefined
      mkdirSync('.astro', { recursive: true })
      buildSearchIndex(catalogue, indexPath)
    },
  }
}

function since(started: number): string {
  return `${Math.round(performance.now() - started)} ms`
}
