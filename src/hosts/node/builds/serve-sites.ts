// Serves the current build with the application and the stores of this machine.

import { setTimeout as sleep } from 'node:timers/promises'
import type { SiteFiles } from '../../../built/site-files.ts'
import type { Config } from '../../../config.ts'
import { HTTPS_ONLY } from '../../../domain/api/site-headers.ts'
import { createHubApp } from '../../../hub/hub-app.ts'
import { type FunctionContext, ownAddressesOf, pagesUnavailable, type ServerHub } from '../../../hub/open-hub.ts'
import { publishQueue } from '../../../hub/open-publish-hub.ts'
import { isLogged } from '../../../log.ts'
import { createApp } from '../../../routes/app.ts'
import { openPageCache, type PageCache } from '../../../server/page-cache.ts'
import { copiesAhead } from '../../../state/fresh-copies.ts'
import { openCards } from '../cards/draw-card.ts'
import { findCommit } from '../code-commit.ts'
import { type Health, STARTING } from '../health.ts'
import { type Answer, createHandler } from '../http/answer.ts'
import { findClients } from '../http/client-addresses.ts'
import { type RunningServer, type ServerOptions, startServer } from '../http/http-server.ts'
import { auditRead, formatRequest, type LineWriter, writeLines } from '../http/request-log.ts'
import type { LocalStores } from '../local-stores.ts'
import { openLongWork } from '../long-work.ts'
import { connectReaders, guardReaders, openRights } from '../members-guard.ts'
import type { Metrics } from '../metrics.ts'
import { monitoring, nothingElse } from '../monitoring.ts'
import { newestFiles } from '../newest-files.ts'
import { startSweeping } from '../open-state.ts'
import { DATA_PATH, type Pages } from '../pages.ts'
import { protectPrivateHub } from '../private-hub.ts'
import { checkState, checkThrough, openReadiness } from '../readiness.ts'
import { openSkillRepositories } from '../skill-repositories.ts'
import type { StatusSources } from '../status-metrics.ts'
import type { Served, Site } from './site.ts'

const SKILL_REPOSITORIES = openSkillRepositories()

/** The stores that a server needs; without a watch, it does not report whether the state store works. */
type ServedStores = Omit<LocalStores, 'stateWatch'> & Partial<Pick<LocalStores, 'stateWatch'>>

/** The settings used for serving. */
type ServeSettings = Pick<Config, 'port'> &
  Partial<
    Pick<
      Config,
      'baseUrl' | 'hostnames' | 'isPrivate' | 'metricsAt' | 'metricsToken' | 'readAccess' | 'signIn' | 'trustedProxies'
    >
  > &
  Pick<ServerOptions, 'listenAt'> & {
    /** The pages now; undefined while they are being bundled. Omitted for a site without pages. */
    pages?: { readonly current: Pages | undefined }
    /** The downloads, which need no page code; omitted if the static files of the pages contain them. */
    downloads?: SiteFiles
    /** Called for each request to `/healthz`. */
    healthOf?: () => Health
    /** Returns what an operator must hear of, for the metrics. */
    factsOf?: StatusSources['factsOf']
    /** Returns what is wrong with the address of a webhook; omitted if nothing delivers events. */
    findWebhookAddressProblem?: ServerHub['findWebhookAddressProblem']
    /** Called for each write that is in the content folder and about to get its place in the order of publishes and builds. */
    onWritten?: (fullName: string) => void
    /** Advances the build that is served to a write; omitted if no build follows. */
    advance?: ServerHub['advance']
    /** If set, requests are counted and `/metrics` is served. */
    metrics?: Metrics | undefined
    /** If set, each request is logged as one line. */
    log?: LineWriter | undefined
    /** Whether the reads of readers are audited. */
    auditsReads?: boolean
  }

/** Opens metrics and the request log according to the settings. By default, requests are not logged to a terminal, where they would bury other messages. */
export async function openMonitoring({
  hasMetrics,
  logRequests,
  codeCommit,
}: Config): Promise<Pick<ServeSettings, 'metrics' | 'log'>> {
  const isLogging = isLogged('info') && (logRequests ?? !process.stdout.isTTY)
  // Loading the library takes a twentieth of the start.
  const { openMetrics } = hasMetrics ? await import('../metrics.ts') : {}
  const metrics = openMetrics?.(codeCommit ?? (await findCommit(process.cwd(), process.env)))
  return { metrics, log: isLogging ? writeLines() : undefined }
}

/** A hub that responds to requests. */
export interface ServedHub extends RunningServer {
  /** Reports that the hub is not ready, and keeps serving while load balancers notice. @param hurry ends the wait */
  drain(ms: number, hurry: AbortSignal): Promise<void>
}

/**
 * Serves the current site with this machine's stores.
 *
 * @param served looked up once per request
 * @returns once it is listening; the caller closes the stores after the server
 * @throws when the port is taken
 */
export async function serveSites(
  served: Served,
  { copies, order, state, localGit, localKeys, stateWatch, watchPublishes }: ServedStores,
  {
    port,
    listenAt = 'everywhere',
    trustedProxies = [],
    metricsAt,
    metricsToken,
    baseUrl = '',
    hostnames = [],
    isPrivate = false,
    readAccess = { kind: 'public' },
    signIn,
    healthOf = () => STARTING,
    factsOf,
    findWebhookAddressProblem,
    onWritten = () => {},
    advance,
    pages: shown,
    downloads,
    metrics,
    log,
    auditsReads = false,
  }: ServeSettings,
): Promise<ServedHub> {
  const git = metrics?.countGit(localGit) ?? localGit
  const rights = openRights()
  const counted = metrics?.timeState(state) ?? state
  const timed = readAccess.kind === 'members' ? rights.watch(counted) : counted
  const longWork = openLongWork()
  const drawCard = shown ? openCards() : undefined
  const open = (site: Site, pages: Pages | undefined): ServerHub => {
    const { files, search, source } = site
    const fresh = copiesAhead(copies, () => source)
    // Nobody reads a static file or a page of most builds of a hub to which much is published.
    let statics: SiteFiles | undefined
    let cache: PageCache | undefined
    return {
      files,
      get statics() {
        if (statics) return statics
        const newest = newestFiles({ siteFiles: files, fresh, baseUrl })
        statics = shown ? joinFiles(newest, downloads, pages) : newest
        return statics
      },
      advance,
      pages: {
        code: pages,
        broken: site.broken ?? NOTHING_BROKEN,
        get cache() {
          cache ??= openPageCache()
          return cache
        },
        drawCard,
        purge: (tags) => hubOf().pages?.cache.purge(tags),
      },
      search: metrics ? () => metrics.timeSearch(search()) : search,
      fresh,
      runLongFor: longWork.forClient,
      nextOrder(fullName) {
        onWritten(fullName)
        return order.next(source.read_until)
      },
      findWebhookAddressProblem,
      usedNumbers: site.used,
      checkWritable: site.checkWritable,
      state: timed,
      localGit: git,
      countGit: metrics?.countGit,
      localKeys,
    }
  }
  /** The current hub, which is opened again only for a new build or for other pages. */
  let current: { site: Site; pages: Pages | undefined; hub: ServerHub } | undefined
  const hubOf = (): ServerHub => {
    const [site, pages] = [served.site, shown?.current]
    if (current?.site !== site || current.pages !== pages) current = { site, pages, hub: open(site, pages) }
    return current.hub
  }
  let isEnding = false
  const checkAll = openReadiness(
    {
      ...checkThrough((request, client) => answer(request, client), shown),
      search: async () => served.site.search().check(),
      ...(stateWatch && { state: () => checkState(stateWatch) }),
    },
    () => isEnding,
  )
  const sources = { healthOf, checkAll, queueOf: publishQueue, factsOf }
  const metricsHere = metricsAt ? undefined : metrics
  const app = createHubApp<FunctionContext & { hub: ServerHub }>({
    files: ({ hub }) => hub.statics ?? hub.files,
    repositories: SKILL_REPOSITORIES,
    routes: monitoring(sources, metricsHere, metricsToken),
  })
  const answer = createHandler(app, hubOf)
  const own = ownAddressesOf({ baseUrl, hostnames, isPrivate, readAccess })
  const readers =
    readAccess.kind === 'members' ? rights.open(await connectReaders(readAccess, timed, hubOf)) : undefined
  const issuer = signIn?.kind === 'providers' ? signIn.oidc?.issuer : undefined
  /** Lets in only who may read the hub. */
  const guard = (answer: Answer, hasMetrics: boolean) =>
    protectPrivateHub(readers ? guardReaders(answer, { baseUrl, issuer, ...readers, hasMetrics }) : answer, own)
  const guarded = guard(answer, metricsHere !== undefined)
  const onAnswered = watchRequests(metrics, log, auditsReads)
  const clientOf = findClients(trustedProxies)
  const host = await startServer(guarded, port, {
    clientOf,
    listenAt,
    ...(own.isPrivate && { allowOrigin: baseUrl }),
    ...(baseUrl.startsWith('https:') && { headers: HTTPS_ONLY }),
    ...(onAnswered && { onAnswered }),
  })
  if (metricsAt && metrics) {
    const answerApart = createHandler(createApp([monitoring(sources, metrics, metricsToken), nothingElse]), () => {})
    const apart = guard(answerApart, true)
    const opened = await startServer(apart, metricsAt.port, { ...metricsAt, clientOf }).catch(
      async (error: unknown) => {
        await host.stop(0)
        throw error
      },
    )
    host.server.on('close', () => opened.stop(0))
  }
  host.server.on('close', longWork.close)
  host.server.on(
    'close',
    startSweeping(state, () => (watchPublishes || served.site.checkWritable ? undefined : served.site.source)),
  )
  return {
    ...host,
    async drain(ms, hurry) {
      isEnding = true
      host.startClosing()
      await sleep(ms, undefined, { signal: hurry }).catch(() => {})
    },
  }
}

const DOWNLOAD_PATH = /^\/(?:cli|clients)\//

const NOTHING_BROKEN: NonNullable<Site['broken']> = new Map()

/** Adds the downloads to the data files, and the static files of the pages, which are unavailable while the pages are being bundled. */
function joinFiles(data: SiteFiles, downloads: SiteFiles | undefined, pages: Pages | undefined): SiteFiles {
  return {
    async read(path) {
      const isDownload = DOWNLOAD_PATH.test(path)
      const files = DATA_PATH.test(path) ? data : (isDownload && downloads) || pages?.files
      if (!files) throw pagesUnavailable()
      return files.read(path)
    },
  }
}

/** @returns undefined if nothing watches requests */
function watchRequests(
  metrics: Metrics | undefined,
  log: LineWriter | undefined,
  auditsReads: boolean,
): ServerOptions['onAnswered'] {
  if (!metrics && !log && !auditsReads) return undefined
  return ({ method = '', url: path = '' }, outgoing, measured) => {
    const { statusCode: status } = outgoing
    const cache = status === 304 ? 'revalidated' : String(outgoing.getHeader('Cache-Control') ?? '') || null
    const answered = { method, path, status, cache, ...measured }
    metrics?.countRequest(answered)
    log?.write(formatRequest(answered, new Date()))
    if (auditsReads) auditRead(answered)
  }
}
