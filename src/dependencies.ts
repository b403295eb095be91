// Owns what stands behind each port on the platform at hand: Netlify, its dev server, or our own host, which hands its own parts over.
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { purgeCache } from '@netlify/functions'
import { type Config, isLoopbackHost, notSetUp, readConfig, SIGN_IN_SETTINGS } from './config.ts'
import { isLocalPerson, type Person } from './domain/account.ts'
import type { BlobStore } from './domain/blob-store.ts'
import type { FreshCopies } from './domain/fresh-copy.ts'
import type { GitStore } from './domain/git-store.ts'
import { Memberships, membershipsPath } from './domain/memberships.ts'
import type { RateLimiter } from './domain/rate-limit.ts'
import type { Search } from './domain/search.ts'
import type { SiteFiles } from './domain/site-files.ts'
import type { AccountDependencies } from './server/account.ts'
import { openJobVerifier, type VerifyJob } from './server/oidc.ts'
import type { PublishDependencies } from './server/publish.ts'
import { limitInMemory } from './server/rate-limit.ts'
import type { ReadDependencies } from './server/read.ts'
import type { SignIn } from './server/sign-in.ts'
import { netlifyBlobs } from './stores/blobs.ts'
import { freshInBlobs } from './stores/fresh.ts'
import { openGitHub } from './stores/git-github.ts'
import { identify } from './stores/github-sign-in.ts'
import { limitInFile } from './stores/rate-limit-file.ts'
import { openSearchIndex } from './stores/search-index.ts'
import { holdsLogin, peopleInBlobs } from './stores/sessions.ts'
import { deployFiles } from './stores/site-files.ts'
import { findToken, noteUse, tokensInBlobs } from './stores/tokens.ts'
import { spendOnce } from './stores/used-jobs.ts'

/** One build as our own host serves it, with the host's own stores. */
export interface Hub {
  files: SiteFiles
  /** Opened on first use. */
  search: () => Search
  fresh: FreshCopies
  blobs: BlobStore
  /** Git on this machine; used unless the settings name a repository on GitHub. */
  localGit: GitStore
}

/** What a function is told about a request: by Netlify, or by our own host, which adds what it serves. */
export interface FunctionContext {
  /** The client's address. */
  ip: string
  hub?: Hub
}

const MINUTE_MS = 60_000
/** Most publishes a minute with one token. contract.md section 6 */
const PUBLISHES_PER_MINUTE = 30

/** What reading needs on this platform. @throws HubError `unavailable` naming a setting that is wrong */
export function connectRead(request: Request, { ip, hub }: FunctionContext): ReadDependencies {
  const config = readConfig(process.env)
  return {
    baseUrl: config.baseUrl,
    siteFiles: hub?.files ?? deployFiles(new URL(request.url).origin),
    fresh: hub?.fresh ?? freshInBlobs(netlifyBlobs()),
    search: hub?.search ?? (() => openBundledSearch(config)),
    limiter: limiterOf('reads', config.rateLimitPerMinute, config),
    clientAddress: ip,
  }
}

/** What publishing needs on this platform. @throws HubError `unavailable` naming a setting that is missing or wrong */
export function connectPublish(request: Request, { hub }: FunctionContext): PublishDependencies {
  const config = readConfig(process.env)
  const blobs = hub?.blobs ?? netlifyBlobs()
  return {
    baseUrl: config.baseUrl,
    git: openGit(config, hub),
    siteFiles: hub?.files ?? deployFiles(new URL(request.url).origin),
    fresh: hub?.fresh ?? freshInBlobs(blobs),
    findToken: (token) => findToken(blobs, token),
    holdsLogin: (person) => isRightful(person, config, hub, blobs),
    verifyJob: jobVerifier(config),
    spendJob: (job) => spendOnce(blobs, job),
    noteUse: (tokenId) => noteUse(blobs, tokenId, new Date()),
    limiter: limiterOf('publishes', config.rateLimitPerMinute === 0 ? 0 : PUBLISHES_PER_MINUTE, config),
    // Our own host has no cache in front of it.
    purge: hub ? async () => {} : (cacheTag) => purgeCache({ tags: [cacheTag] }),
    enqueue,
  }
}

/** What the account pages need on this platform. @throws HubError `unavailable` naming each setting that is missing or wrong */
export function connectAccount(request: Request, { ip, hub }: FunctionContext): AccountDependencies {
  const config = readConfig(process.env)
  const { baseUrl, signIn } = config
  if (signIn.kind === 'incomplete') throw notSetUp(signIn.missing)
  if (signIn.kind === 'none' && !isOurHost(config, hub))
    throw notSetUp(SIGN_IN_SETTINGS.map((name) => `${name}: expected, because people sign in with GitHub`))
  const blobs = hub?.blobs ?? netlifyBlobs()
  const siteFiles = hub?.files ?? deployFiles(new URL(request.url).origin)
  return {
    baseUrl,
    accounts: { ...peopleInBlobs(blobs), ...tokensInBlobs(blobs) },
    signIn: openSignIn(config, hub, request, ip),
    secret: signIn.kind === 'github' ? signIn.secret : localSecret,
    ownersOf: async (login) => {
      const bytes = await siteFiles.read(membershipsPath(login))
      return bytes ? Memberships.parse(JSON.parse(new TextDecoder().decode(bytes))) : []
    },
    siteFiles,
  }
}

/** For sign-ins of this process alone; on Netlify, and with GitHub, it is a setting. */
const localSecret = randomBytes(32).toString('base64url')

/** Ours, on a machine of one's own: the Netlify dev server stands in for production, so it is none. */
function isOurHost({ isNetlifyDev }: Config, hub: Hub | undefined): boolean {
  return hub !== undefined && !isNetlifyDev
}

/** Whether people may sign in as anybody here: our own host, meant for this very machine, and nothing set up. */
function isLocalMode(config: Config, hub: Hub | undefined): boolean {
  return config.signIn.kind === 'none' && isOurHost(config, hub) && config.isLoopback
}

function openSignIn(config: Config, hub: Hub | undefined, request: Request, ip: string): SignIn {
  const { signIn } = config
  if (signIn.kind === 'github') return { ...signIn, identify: (grant) => identify(signIn, grant) }
  return isLocalMode(config, hub) && isFromHere(request, ip) ? { kind: 'local' } : { kind: 'off' }
}

/** Whether a request was made on this machine: by its connection, by the name it used (else any site could point its own name here), and by no proxy. */
function isFromHere(request: Request, ip: string): boolean {
  const isLocalAddress = ip === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(ip)
  const isPassedOn = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Real-IP'].some((name) => request.headers.has(name))
  return isLocalAddress && !isPassedOn && isLoopbackHost(new URL(request.url).hostname)
}

/** Whether a login is still whose it was: by the first sign-in at GitHub, or, on a machine of one's own, by having signed in there. */
async function isRightful(person: Person, config: Config, hub: Hub | undefined, blobs: BlobStore): Promise<boolean> {
  return isLocalPerson(person) ? isLocalMode(config, hub) : holdsLogin(blobs, person)
}

const verifiers = new Map<string, VerifyJob>()

/** One for the life of the process, for it remembers the issuer's keys. */
function jobVerifier({ oidc, baseUrl }: Config): VerifyJob {
  const key = JSON.stringify([oidc, baseUrl])
  const verifier = verifiers.get(key) ?? openJobVerifier({ ...oidc, audience: baseUrl })
  verifiers.set(key, verifier)
  return verifier
}

let github: GitStore | undefined

function openGit({ gitStore }: Config, hub: Hub | undefined): GitStore {
  if (gitStore.kind === 'github') {
    github ??= openGitHub(gitStore)
    return github
  }
  if (gitStore.kind === 'incomplete')
    throw notSetUp([`${gitStore.missing}: expected, because another setting of the GitHub store is set`])
  if (!hub)
    throw notSetUp([
      'GITHUB_REPOSITORY and GITHUB_TOKEN (or GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY): expected, because there is no git here to publish to',
    ])
  return hub.localGit
}

let queue: Promise<unknown> = Promise.resolve()

/** One publish after the other in this process; another process is kept apart by git itself. */
function enqueue<Value>(work: () => Promise<Value>): Promise<Value> {
  const turn = queue.then(work)
  queue = turn.catch(() => {
    // Its own caller learns of it; the next in line must not.
  })
  return turn
}

const limiters = new Map<string, RateLimiter>()

/** One for the life of the process, for its memory is the window. */
function limiterOf(kind: string, requests: number, { isNetlifyDev }: Config): RateLimiter {
  const limit = { requests, windowMs: MINUTE_MS }
  const limiter =
    limiters.get(kind) ?? (isNetlifyDev ? limitInFile(limit, `.netlify/hub/${kind}.db`) : limitInMemory(limit))
  limiters.set(kind, limiter)
  return limiter
}

let bundledSearch: Search | undefined

/** The index that lies beside a function on Netlify; it never changes there, so it stays open. */
function openBundledSearch({ functionDir }: Config): Search {
  bundledSearch ??= openSearchIndex(resolve(functionDir, 'build/search.db'))
  return bundledSearch
}
