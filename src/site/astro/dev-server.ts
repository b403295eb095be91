// Extends Astro's dev server for `npm run dev`: runs the functions in the same process on the current content, and provides page data.
import { mkdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import type { AstroIntegration, AstroIntegrationLogger } from 'astro'
import { type Config, findProfile, readConfig } from '../../config.ts'
import { FRAME_PATH } from '../../domain/api/account-frame.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { listDataFiles } from '../../domain/catalogue/data-files.ts'
import { loadFunctions } from '../../host/builds/serve-sites.ts'
import { readDevFrame } from '../../host/dev-frame.ts'
import { inBackground } from '../../host/http/background.ts'
import { type LocalStores, openLocalStores } from '../../host/local-stores.ts'
import { protectPrivateHub } from '../../host/private-hub.ts'
import { createHandler, type HostContext, listenTo, routeFunctions } from '../../host/run-functions.ts'
import { type BuildSource, copiesAhead, UNKNOWN_SOURCE } from '../../ports/fresh-copies.ts'
import { digestText } from '../../ports/measure.ts'
import { TEXT_WORK_IN_PLACE } from '../../server/text-jobs.ts'
import { readHubLook } from '../../stores/content/site-settings-file.ts'
import { openSearchIndex } from '../../stores/search/open-index.ts'
import { buildSearchIndex } from '../../stores/search/write-index.ts'
import { readBuildSource } from '../../stores/site/build-source.ts'
import type { Hub } from '../../wiring/platform.ts'
import { ContentError } from '../build/content-error.ts'
import { serveLook } from '../build/hub-look.ts'
import { listDownloads } from '../build/list-downloads.ts'
import { loadCatalogue } from '../build/load-catalogue.ts'
import { listSitemapFiles } from '../build/sitemap.ts'
import { setDevSources } from './dev-sources.ts'

/** Delay between a file's last change and reading it, because editors save files in several steps. */
const SETTLE_MS = 100

/** Returns the integration, which does nothing during a build. */
export function devServer(): AstroIntegration {
  const config = readConfig(process.env)
  let goFirst = (): unknown => undefined
  return {
    name: 'prompt-hub-dev',
    hooks: {
      'astro:config:setup': ({ command, addMiddleware }) => {
        if (command === 'dev')
          addMiddleware({ order: 'pre', entrypoint: new URL('./dev-middleware.ts', import.meta.url) })
      },
      'astro:server:setup': async ({ server, logger }) => {
        const stores = await openLocalStores(config)
        server.httpServer?.once('close', () => inBackground('Closing the stores', stores.close))
        const mount = await mountFunctions(stores, config, () => server.resolvedUrls?.local[0])
        const reload = async () => {
          const look = serveLook(readHubLook(config.contentDir))
          setDevSources({
            ...mount.sources,
            text: TEXT_WORK_IN_PLACE,
            profile: findProfile(config, look.shown),
            brokenOf: () => [],
          })
          const began = new Date().toISOString()
          const source =
            config.gitStore.kind === 'local'
              ? { ...UNKNOWN_SOURCE, read_until: began }
              : await readBuildSource(config.contentDir, process.env)
          const catalogue = reloadCatalogue(config, logger)
          if (!catalogue) return
          mount.show(catalogue, look.files)
          mount.noteSource(source)
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
                inBackground('A response', () => mount.listener(incoming, outgoing))
              else next()
            },
          })
      },
      // The functions are mounted after startup, because Astro inserts its own middleware first and would respond to preflight requests and unusual URLs itself.
      'astro:server:start': () => {
        goFirst()
      },
    },
  }
}

/** Reads the content. If a file is invalid, logs its problems and returns undefined, so the previous catalogue stays in use. */
function reloadCatalogue(config: Config, logger: AstroIntegrationLogger): Catalogue | undefined {
  try {
    const catalogue = loadCatalogue(config)
    logger.info(`Read ${catalogue.entries.size} prompts.`)
    return catalogue
  } catch (error) {
    if (!(error instanceof ContentError)) throw error
    logger.error(error.message)
    return undefined
  }
}

/** Mounts the functions on the current in-memory catalogue. */
async function mountFunctions(
  { copies, state, localGit, localKeys }: LocalStores,
  config: Config,
  devAddress: () => string | undefined,
) {
  const { baseUrl, hostnames } = config
  // Astro's own server renders the pages, so changes to their code appear immediately.
  const functions = (await loadFunctions<HostContext<Hub>>()).filter(({ config }) => config.path !== '/*')
  const route = routeFunctions(functions)
  const indexPath = resolve('.astro', `search-${process.pid}.db`)
  const downloads = await listDownloads('.', baseUrl)
  let files = new Map<string, string | Uint8Array>()
  let search: ReturnType<typeof openSearchIndex> | undefined
  let source = UNKNOWN_SOURCE
  const fresh = copiesAhead(copies, () => source)
  const hub: Hub = {
    fresh,
    nextOrder: Date.now,
    state,
    localGit,
    localKeys,
    files: {
      async read(path) {
        if (path === FRAME_PATH) return readDevFrame(devAddress())
        const content = files.get(path)
        return content === undefined ? undefined : Buffer.from(content)
      },
    },
    search: () => (search ??= openSearchIndex(indexPath)),
  }
  const answer = createHandler(route, () => hub)
  const listener = listenTo(protectPrivateHub(answer, { ...config, isOwnHost: (host) => hostnames.includes(host) }))
  const sources = { baseUrl, siteFiles: hub.files, fresh, search: hub.search }
  return {
    listener,
    sources,
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
    show(catalogue: Catalogue, lookFiles: ReadonlyMap<string, Uint8Array>): void {
      files = new Map<string, string | Uint8Array>([
        ...listDataFiles(catalogue, digestText),
        ...Array.from(listSitemapFiles(catalogue), ({ path, format }) => [path, format()] as const),
        ...downloads,
        ...lookFiles,
      ])
      search?.close()
      search = undefined
      mkdirSync('.astro', { recursive: true })
      buildSearchIndex(catalogue, indexPath)
    },
  }
}
