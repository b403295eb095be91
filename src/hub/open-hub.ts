// Opens a hub for a request, on each platform: Netlify, its dev server, or the Node server. Drivers for Netlify are imported only on Netlify.
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LocalKeys } from '../account/local-keys.ts'
import type { SiteFiles } from '../built/site-files.ts'
import { type RunLong, runInPlace } from '../concurrency/long-work.ts'
import { type Config, findProfile, includedFile, readConfig } from '../config.ts'
import { HubError } from '../domain/api/errors.ts'
import type { GitStore } from '../git/git-store.ts'
import type { Search } from '../search/search.ts'
import { askEachOnce } from '../server/ask-once.ts'
import type { Hub, HubPages } from '../server/hub.ts'
import type { PageCache } from '../server/page-cache.ts'
import type { CheckHub } from '../server/publish/handle-check.ts'
import type { OwnAddresses } from '../server/request.ts'
import { type DrawCard, type HubProfile, type RenderPage, type ShowView, VIEW_PATH } from '../site/rendering.ts'
import type { BuildSource, FreshCopies, WriteOrigin } from '../state/fresh-copies.ts'
import { limitInMemory, type RateLimit, type RateLimiter } from '../state/rate-limiter.ts'
import type { StateStore } from '../state/state-store.ts'

/** The page code of a bundle, with what its pages show of the settings. */
type PageCode = { render: RenderPage; profile: HubProfile }

/** A build on the Node server, with the server's stores. */
export interface ServerHub {
  /** The data files. */
  files: SiteFiles
  /** The static files, among them the data files with what was written since the build; by default, those of the build. */
  statics?: SiteFiles | undefined
  /** Advances the build that is served to a write (see `PublishHub`); omitted if no build follows. */
  advance?: ((write: WriteOrigin) => Promise<boolean>) | undefined
  /** Opened on first use. */
  search: () => Search
  /** Omitted if no pages are served. */
  pages?: {
    /** The page code; undefined while it is being bundled. */
    code: PageCode | undefined
    /** The problems of repositories whose previous version is shown, by full name. */
    broken: ReadonlyMap<string, readonly string[]>
    /** The rendered pages of this build. */
    cache: PageCache
    /** Draws preview images of prompts; undefined if that needs a package that is not installed. */
    drawCard?: DrawCard | undefined
    /** Drops rendered pages of the current build. */
    purge: (tags: readonly string[]) => void
  }
  fresh: FreshCopies
  /** Returns what runs the long work of a client; omitted where it runs in place. */
  runLongFor?: ((client: string) => RunLong) | undefined
  /** Returns the place of a new fresh copy in the order of publishes and builds: after everything that the build has read. @param fullName the repository, which is in the content folder now */
  nextOrder: (fullName: string) => number
  /** The numbers that the history of the content has and the build does not serve, by full name. */
  usedNumbers?: ReadonlyMap<string, readonly string[]> | undefined
  /** Refuses writes while it is not known which numbers are used up. @throws HubError `unavailable` */
  checkWritable?: (() => void) | undefined
  state: StateStore
  /** Returns what is wrong with the address of a webhook; omitted if this server delivers no events. */
  findWebhookAddressProblem?: ((url: string) => Promise<string | undefined>) | undefined
  /** The keys for the sign-in links that this process prints. */
  localKeys: LocalKeys
  /** The local git repository; used unless the settings name a repository on GitHub. */
  localGit: GitStore
  /** Wraps the configured git store so that its calls are counted; undefined if metrics are disabled. */
  countGit?: ((git: GitStore) => GitStore) | undefined
}

/** The context that a function receives with a request: from Netlify, or from the Node server, which adds the current build. */
export interface FunctionContext {
  /** The network of the client, by which its requests are counted. */
  client: string
  hub?: ServerHub
}

/** How often a client may send each kind of request, as a multiple of the limit for reads. Messages of MCP have a higher one, because users of a hosted client share that client's IP addresses. */
const TIMES_READS = { reads: 1, messages: 5 } as const

/** What a hub has for all clients. */
type SharedHub = Omit<Hub, 'runLong' | 'clientAddress'>

/** What the Node server has for all clients, until it serves another build. */
const shared: Record<keyof typeof TIMES_READS, WeakMap<ServerHub, SharedHub>> = {
  reads: new WeakMap(),
  messages: new WeakMap(),
}

/** Opens a hub for one request. @throws HubError `unavailable` naming an invalid setting */
export async function openHub(
  request: Request,
  context: FunctionContext,
  kind: keyof typeof TIMES_READS = 'reads',
): Promise<Hub> {
  const { hub: server } = context
  const hub = (server && shared[kind].get(server)) ?? (await openShared(request, server, kind))
  return {
    ...hub,
    // Not a getter, with which each request would have an object of another shape, which takes longer to read.
    runLong: (...given) => runLongOf(context)(...given),
    clientAddress: context.client,
  }
}

/** Opens a hub for one message of MCP. @throws HubError like `openHub` */
export const openMessageHub = (request: Request, context: FunctionContext): Promise<Hub> =>
  openHub(request, context, 'messages')

async function openShared(
  request: Request,
  server: ServerHub | undefined,
  kind: keyof typeof TIMES_READS,
): Promise<SharedHub> {
  const { config, own } = currentSettings()
  const sources = await sourcesOf(request, server)
  let pages: HubPages | undefined
  const hub: SharedHub = {
    ...own,
    quota: config.quota,
    // The Node server has both in memory.
    ...(server ? sources : askEachOnce(sources)),
    search: server?.search ?? (() => openBundledSearch(config)),
    limiter: await limiterOf(kind, config.rateLimitPerMinute * TIMES_READS[kind], config),
    pages: async () => {
      pages ??= await openPages(server)
      return pages
    },
  }
  if (server) shared[kind].set(server, hub)
  return hub
}

let known: { environment: NodeJS.ProcessEnv; config: Config; own: OwnAddresses } | undefined

/** Returns the settings, parsed once per environment, because they do not change while a process runs. @throws HubError `unavailable` naming an invalid setting */
function currentSettings(): { config: Config; own: OwnAddresses } {
  if (known?.environment === process.env) return known
  const config = readConfig(process.env)
  known = { environment: process.env, config, own: ownAddressesOf(config) }
  return known
}

/** Returns the settings. @throws HubError like `openHub` */
export const currentConfig = (): Config => currentSettings().config

/** Returns the hub's own URLs. */
export function ownAddressesOf({
  baseUrl,
  hostnames,
  isPrivate,
  readAccess,
  netlifySite,
}: Pick<Config, 'baseUrl' | 'hostnames' | 'isPrivate' | 'readAccess'> &
  Partial<Pick<Config, 'netlifySite'>>): OwnAddresses {
  return {
    baseUrl,
    isPrivate,
    isForReaders: readAccess.kind === 'members',
    isOwnHost: (hostname) => hostnames.includes(hostname) || isDeployOf(netlifySite, hostname),
  }
}

/** Returns whether a host name belongs to this site on Netlify: the host names of its previews and branch deploys end with the site's name, and no other site can have such a name. docs/notes/netlify.md section 9 */
function isDeployOf(site: string | undefined, hostname: string): boolean {
  if (site === undefined) return false
  return hostname === `${site}.netlify.app` || hostname.endsWith(`--${site}.netlify.app`)
}

/** Opens a hub for one check of a publish. @throws HubError like `openHub` */
export async function openCheckHub(request: Request, context: FunctionContext): Promise<CheckHub> {
  const hub = await openHub(request, context)
  return Object.assign(hub, {
    // Most checks need no parser of archives.
    parseArchive: async (...given: Parameters<CheckHub['parseArchive']>) =>
      hub.runLong((await import('./parse-archive.ts')).parseArchive, ...given),
  })
}

/** Returns what runs the long work of a client: the Node server's worker threads, or a call. */
export function runLongOf(context: FunctionContext): RunLong {
  return context.hub?.runLongFor?.(context.client) ?? runInPlace
}

/** Returns the store for tokens, sessions and copies: the Node server's, or Netlify Blobs. */
export async function stateOf(server: ServerHub | undefined): Promise<StateStore> {
  if (server) return server.state
  const { netlifyState } = await import('../state/state-netlify.ts')
  return netlifyState()
}

/** Returns the files of the build and the fresh copies: the Node server's, which caches both, or those of the current Netlify deploy. */
export async function sourcesOf(
  request: Request,
  server: ServerHub | undefined,
): Promise<{ siteFiles: SiteFiles; fresh: FreshCopies }> {
  if (server) return { siteFiles: server.files, fresh: server.fresh }
  const [{ deployFiles }, { openCopies }, { copiesAhead }] = await Promise.all([
    import('../built/site-files-deploy.ts'),
    import('../state/stored-copies.ts'),
    import('../state/fresh-copies.ts'),
  ])
  return {
    siteFiles: deployFiles(new URL(request.url).origin),
    fresh: copiesAhead(openCopies(await stateOf(server)), sourceOfDeploy),
  }
}

let source: Promise<BuildSource> | undefined

/** Returns what this deploy's build has read. It never changes, so it is read only once. */
function sourceOfDeploy(): Promise<BuildSource> {
  source ??= Promise.all([import('../built/build-record.ts'), import('../state/fresh-copies.ts')]).then(
    ([{ findBuildRecord }, { UNKNOWN_SOURCE }]) =>
      findBuildRecord(includedFile(currentConfig(), 'build/complete.json'))?.source ?? UNKNOWN_SOURCE,
  )
  return source
}

let index: Promise<Search> | undefined

/** On Netlify, opens the index that is deployed with the function on the first query, so that a cold function that only serves files does not load it. The index of a deploy never changes, so it stays open. */
function openBundledSearch(config: Config): Search {
  const opened = () => {
    index ??= import('../search/open-index.ts').then(({ openSearchIndex }) =>
      openSearchIndex(includedFile(config, 'build/search.db')),
    )
    return index
  }
  return {
    find: async (question) => (await opened()).find(question),
    listMenu: async () => (await opened()).listMenu(),
    completeOwner: async (prefix, limit) => (await opened()).completeOwner(prefix, limit),
    findNear: async (name) => (await opened()).findNear(name),
    completeName: async (prefix, owner, limit) => (await opened()).completeName(prefix, owner, limit),
  }
}

async function openPages(server: ServerHub | undefined): Promise<HubPages> {
  const { render, profile } = await pageCodeOf(server)
  const drawCard = server?.pages?.drawCard
  return {
    render,
    profile: { ...profile, hasCards: drawCard !== undefined },
    drawCard,
    brokenOf: (fullName) => server?.pages?.broken.get(fullName) ?? [],
    cache: server?.pages?.cache,
  }
}

/** Returns the page code: the Node server's, or the one that the build placed next to the function on Netlify. @throws HubError `unavailable` while it is being bundled */
async function pageCodeOf(server: Pick<ServerHub, 'pages'> | undefined): Promise<PageCode> {
  const code = server ? server.pages?.code : await deployedCode()
  if (code) return code
  throw pagesUnavailable()
}

/** Opens the function that renders what a handler decided to show. On Netlify, the page code is loaded on first use, because most requests to sign in only redirect. @throws HubError `unavailable` while the page code is being bundled, so that nothing is done whose page could not be shown */
export async function openViews(server: Pick<ServerHub, 'pages'> | undefined): Promise<ShowView> {
  const known = server && (await pageCodeOf(server))
  return async (view) => {
    const { render, profile } = known ?? (await pageCodeOf(server))
    const page = await render(VIEW_PATH, { profile, path: VIEW_PATH, view })
    // Astro turns any exception into an empty response.
    if (page.status !== 200) throw new Error(`The page ${view.page} was rendered with status ${page.status}.`)
    return page.text()
  }
}

/** Creates the error for requests while the page code is being bundled. */
export function pagesUnavailable(): HubError {
  return new HubError('unavailable', 'The pages are being prepared. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  })
}

let deployed: Promise<PageCode> | undefined

/** Loads the page code and the look. */
function deployedCode(): Promise<PageCode> {
  const config = currentConfig()
  deployed ??= Promise.all([
    import(pathToFileURL(includedFile(config, 'build/pages/entry.mjs')).href),
    readFile(includedFile(config, 'build/pages/look.json'), 'utf8'),
  ]).then(([{ render }, look]: [{ render: RenderPage }, string]) => ({
    render,
    profile: findProfile(config, JSON.parse(look)),
  }))
  return deployed
}

const limiters = new Map<string, RateLimiter>()

/**
 * Returns the limiter for a kind of request. There is one limiter of each kind per process, because it counts the requests of the last minute.
 *
 * @param requests maximum per minute; 0 disables the limit
 */
export async function limiterOf(kind: string, requests: number, { isNetlifyDev }: Config): Promise<RateLimiter> {
  const known = limiters.get(kind)
  if (known) return known
  const limit = { requests, windowMs: 60_000 }
  const limiter = isNetlifyDev ? await limitOnDevServer(kind, limit) : limitInMemory(limit)
  limiters.set(kind, limiter)
  return limiter
}

/** The dev server handles each request in a new worker, whose memory is lost afterwards, so requests are counted in a file. All workers belong to one process, and the file name contains its ID. */
async function limitOnDevServer(kind: string, limit: RateLimit): Promise<RateLimiter> {
  const [{ limitInState }, { openSqliteState }] = await Promise.all([
    import('../state/limits.ts'),
    import('../state/state-sqlite.ts'),
  ])
  return limitInState(await openSqliteState(join(tmpdir(), 'prompt-hub', `${process.pid}.db`)), kind, limit)
}
