// Describes the platform of a function: Netlify, its dev server, or the Node server.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalKeys } from '../../packages/account/local-keys.ts'
import { limitInMemory } from '../../packages/stores/state/rate-limiter-memory.ts'
import { type Config, includedFile, readConfig } from '../config.ts'
import { networksOf } from '../domain/access/ip-address.ts'
import type { BuildSource, FreshCopies } from '../ports/fresh-copies.ts'
import type { GitStore } from '../ports/git-store.ts'
import type { RenderPage, ShownLook } from '../ports/pages.ts'
import type { RateLimit, RateLimiter } from '../ports/rate-limiter.ts'
import type { Search } from '../ports/search.ts'
import type { SiteFiles } from '../ports/site-files.ts'
import type { StateStore } from '../ports/state-store.ts'
import { runInPlace, type TextJobTable, type TextWork } from '../ports/text-work.ts'
import type { PageCache } from '../server/pages/page-cache.ts'

/** The pages of a build on the Node server. */
export interface HubPages {
  /** The page code and the hub's look; undefined while the page code is being bundled. */
  code: { render: RenderPage; look: ShownLook } | undefined
  /** The problems of repositories whose previous version is shown, by full name. */
  broken: ReadonlyMap<string, readonly string[]>
  /** The rendered pages of this build. */
  cache: PageCache
  /** Drops rendered pages of the current build. */
  purge: (tags: readonly string[]) => void
}

/** A build on the Node server, with the server's stores. */
export interface Hub {
  files: SiteFiles
  /** Opened on first use. */
  search: () => Search
  /** Omitted if no pages are served. */
  pages?: HubPages
  fresh: FreshCopies
  /** Returns the worker threads' driver for a client; omitted where work on texts runs in place. */
  text?: ((client: string) => TextWork) | undefined
  /** Returns the place of a new fresh copy in the order of publishes and builds: after everything that the build has read. @param fullName the repository, which is in the content folder now */
  nextOrder: (fullName: string) => number
  state: StateStore
  /** The keys for the sign-in links that this process prints. */
  localKeys: LocalKeys
  /** The local git repository; used unless the settings name a repository on GitHub. */
  localGit: GitStore
  /** Wraps the configured git store so that its calls are counted; undefined if metrics are disabled. */
  countGit?: ((git: GitStore) => GitStore) | undefined
}

/** The context that a function receives with a request: from Netlify, or from the Node server, which adds the current build. */
export interface FunctionContext {
  /** The client's IP address. */
  ip: string
  hub?: Hub
}

let known: { environment: NodeJS.ProcessEnv; config: Config } | undefined

/** Returns the settings, parsed once per environment; they do not change while a process runs. @throws HubError `unavailable` naming an invalid setting */
export function currentConfig(): Config {
  if (known?.environment !== process.env) known = { environment: process.env, config: readConfig(process.env) }
  return known.config
}

/** Returns the site's files: from the Node server, or from the current Netlify deploy. Here and below, drivers for Netlify are imported only on Netlify. */
export async function siteFilesOf(request: Request, hub: Hub | undefined): Promise<SiteFiles> {
  if (hub) return hub.files
  const { deployFiles } = await import('../../packages/stores/site/site-files-deploy.ts')
  return deployFiles(new URL(request.url).origin)
}

/** Returns the driver for work on somebody's text: the Node server's worker threads, or in place. @param importJobs imports the jobs for Netlify, where each function contains only the code of its own jobs */
export async function textOf(
  { ip, hub }: FunctionContext,
  importJobs: () => Promise<Partial<TextJobTable>>,
): Promise<TextWork> {
  return hub?.text ? hub.text(clientKeyOf(ip)) : runInPlace(await importJobs())
}

/** Returns the store for tokens, sessions and copies: the Node server's, or Netlify Blobs. */
export async function stateOf(hub: Hub | undefined): Promise<StateStore> {
  if (hub) return hub.state
  const { netlifyState } = await import('../../packages/stores/state/state-netlify.ts')
  return netlifyState()
}

/** Returns the fresh copies: the Node server's, which caches them, or those in Netlify Blobs. */
export async function freshOf(hub: Hub | undefined): Promise<FreshCopies> {
  if (hub) return hub.fresh
  const [{ openCopies }, { copiesAhead }] = await Promise.all([
    import('../../packages/stores/state/fresh-copies.ts'),
    import('../ports/fresh-copies.ts'),
  ])
  return copiesAhead(openCopies(await stateOf(hub)), sourceOfDeploy)
}

let deployed: Promise<BuildSource> | undefined

/** Returns what this deploy's build has read. It never changes, so it is read only once. */
function sourceOfDeploy(): Promise<BuildSource> {
  deployed ??= Promise.all([
    import('../../packages/stores/site/build-record.ts'),
    import('../ports/fresh-copies.ts'),
  ]).then(
    ([{ findBuildRecord }, { UNKNOWN_SOURCE }]) =>
      findBuildRecord(includedFile(currentConfig(), 'build/complete.json'))?.source ?? UNKNOWN_SOURCE,
  )
  return deployed
}

/** Returns the rate-limit key of a client: its IPv4 address, or the /64 of its IPv6 address. */
export const clientKeyOf = (address: string): string => networksOf(address)[0]

const MINUTE_MS = 60_000
const limiters = new Map<string, RateLimiter>()

/**
 * Returns the limiter for a kind of request. There is one limiter of each kind per process, because it counts the requests of the last minute.
 *
 * @param requests maximum per minute; 0 disables the limit
 */
export async function limiterOf(kind: string, requests: number, { isNetlifyDev }: Config): Promise<RateLimiter> {
  const known = limiters.get(kind)
  if (known) return known
  const limit = { requests, windowMs: MINUTE_MS }
  const limiter = isNetlifyDev ? await limitOnDevServer(kind, limit) : limitInMemory(limit)
  limiters.set(kind, limiter)
  return limiter
}

/** The dev server handles each request in a new worker, whose memory is lost afterwards, so requests are counted in a file. All workers belong to one process, and the file name contains its ID. */
async function limitOnDevServer(kind: string, limit: RateLimit): Promise<RateLimiter> {
  const [{ limitInState }, { openSqliteState }] = await Promise.all([
    import('../../packages/stores/state/limits.ts'),
    import('../../packages/stores/state/state-sqlite.ts'),
  ])
  return limitInState(await openSqliteState(join(tmpdir(), 'prompt-hub', `${process.pid}.db`)), kind, limit)
}
