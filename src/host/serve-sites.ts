// Owns opening a built site and serving it with the functions and the stores of this machine, in this process.
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Config, notSetUp } from '../config.ts'
import { localSignInLink, openLocalKeys } from '../server/account/local-keys.ts'
import { startLocalBlobs } from '../stores/blob-store-local.ts'
import { freshInBlobs, type RememberedFresh, rememberFresh } from '../stores/fresh-copies-blobs.ts'
import { type LocalGit, openLocalGit } from '../stores/git-store-local.ts'
import { folderFiles } from '../stores/site-files-drivers.ts'
import type { Hub } from '../wiring/platform.ts'
import { findClients } from './client-addresses.ts'
import { type Health, STARTING, withHealth } from './health.ts'
import { type RunningServer, startServer } from './http-server.ts'
import { answerWith, type HostContext, type HostedFunction, listenTo, routeFunctions } from './run-functions.ts'
import { openSearchThreads } from './search-threads.ts'

/** A built site. */
export type Site = Pick<Hub, 'files' | 'search'>

/** A built site with what must be closed when it is replaced. */
export interface OpenSite extends Site {
  close(): void
}

const FUNCTIONS_DIR = 'netlify/functions'
/** Where our own host keeps what is not in git. */
export const BLOBS_DIR = '.hub/blobs'

/** Where the search index of a site lies: beside the site, never in it, or it would be public. @param siteDir the site's folder */
export function searchIndexPath(siteDir: string): string {
  return resolve(siteDir, '../build/search.db')
}

/** Loads the functions as the modules they are on Netlify. */
export async function loadFunctions<Context>(): Promise<HostedFunction<Context>[]> {
  const names = readdirSync(FUNCTIONS_DIR).filter((name) => name.endsWith('.mts'))
  return Promise.all(names.sort().map((name) => import(pathToFileURL(resolve(FUNCTIONS_DIR, name)).href)))
}

/** Opens a built site. @param siteDir folder with the site's files; the search index lies beside it */
export function openSite(siteDir: string): OpenSite {
  let index: ReturnType<typeof openSearchThreads> | undefined
  return {
    files: folderFiles(siteDir),
    search: () => (index ??= openSearchThreads(searchIndexPath(siteDir))),
    close: () => index?.close(),
  }
}

/** The stores of this machine. */
export interface LocalStores extends Pick<Hub, 'blobs' | 'localKeys'> {
  localGit: LocalGit
  fresh: RememberedFresh
  close(): Promise<void>
}

/** Opens the stores of this machine. @throws HubError when sign-in is half set up: our own host does not start half-open */
export async function openLocalStores({ contentDir, signIn, baseUrl }: Config): Promise<LocalStores> {
  if (signIn.kind === 'incomplete') throw notSetUp(signIn.missing)
  const { blobs, close } = await startLocalBlobs(resolve(BLOBS_DIR))
  return {
    blobs,
    fresh: rememberFresh(freshInBlobs(blobs)),
    localKeys: openLocalKeys((key) => console.log(`To sign in again, once: ${localSignInLink(baseUrl, key)}`)),
    localGit: openLocalGit({ contentDir: resolve(contentDir), environment: process.env }),
    close,
  }
}

/** Prints the link that signs in, where there is one: on a machine of one's own. */
export function printSignInLink({ isLocal, baseUrl }: Config, { localKeys }: Pick<LocalStores, 'localKeys'>): void {
  if (isLocal) console.log(`To sign in, once: ${localSignInLink(baseUrl, localKeys.current())}`)
}

/** The settings that serving asks for. */
export type ServeSettings = Pick<Config, 'port'> &
  Partial<Pick<Config, 'listenAt' | 'trustedProxies'>> & {
    /** Asked when somebody asks for `/healthz`. */
    healthOf?: () => Health
  }

/**
 * Serves the site of the moment with the stores of this machine.
 *
 * @param siteOf asked once a request
 * @returns once it listens; the stores are the caller's to close, after the host
 * @throws when the port is taken
 */
export async function serveSites(
  siteOf: () => Site,
  { fresh, blobs, localGit, localKeys }: LocalStores,
  { port, listenAt = 'everywhere', trustedProxies = [], healthOf = () => STARTING }: ServeSettings,
): Promise<RunningServer> {
  const route = routeFunctions(await loadFunctions<HostContext<Hub>>())
  const answer = answerWith(route, (): Hub => ({ ...siteOf(), fresh, blobs, localGit, localKeys }))
  return startServer(listenTo(withHealth(answer, healthOf), findClients(trustedProxies)), port, { listenAt })
}
