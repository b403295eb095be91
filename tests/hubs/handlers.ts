// The handlers of a hub, run in this process with an in-memory build.
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyAttestation } from '../../src/attestations/verify-in-thread.ts'
import type { SiteFiles } from '../../src/built/site-files.ts'
import { joinCatalogue, orderCatalogue } from '../../src/catalogue/catalogue.ts'
import { type CatalogueEntry, makeEntry } from '../../src/catalogue/entry.ts'
import type { History } from '../../src/catalogue/published/shared-files.ts'
import type { TakeTurn } from '../../src/concurrency/turns.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import type { Person } from '../../src/domain/access/person.ts'
import type { TokenRecord } from '../../src/domain/access/token.ts'
import { findWebhookUrlProblem } from '../../src/domain/access/webhook-address.ts'
import type { GitStore } from '../../src/git/git-store.ts'
import type { TokenChecks } from '../../src/server/publish/authenticate.ts'
import type { PublishHub } from '../../src/server/publish/publish-hub.ts'
import { type Clock, openClock } from '../../src/server/publish/write-to-git.ts'
import { isBlocked } from '../../src/state/blocks.ts'
import type { FreshCopies } from '../../src/state/fresh-copies.ts'
import { findPerson } from '../../src/state/identities.ts'
import { openIncluded } from '../../src/state/included.ts'
import { openProposals } from '../../src/state/proposals.ts'
import { createPublishTurns } from '../../src/state/publish-turns.ts'
import { openPublished } from '../../src/state/published.ts'
import { type RateLimiter, UNLIMITED } from '../../src/state/rate-limiter.ts'
import type { StateStore } from '../../src/state/state-store.ts'
import { createToken, findToken, recordTokenUse } from '../../src/state/tokens.ts'
import { openWebhooks } from '../../src/state/webhooks.ts'
import { openApp } from './app.ts'
import { BASE_URL, makeHub } from './make-hub.ts'
import { listSiteFiles } from './site-files.ts'

export { BASE_URL } from './make-hub.ts'

/** The dependencies of the handlers; some are optional and have defaults. */
export interface HandlerOptions {
  git: GitStore
  /** The store for the tokens. */
  state: StateStore
  fresh: FreshCopies
  /** Identifies users and jobs. By default, every user keeps their identity, and no job may publish. */
  auth?: Partial<TokenChecks> | undefined
  limiter?: RateLimiter | undefined
  failedTokens?: RateLimiter | undefined
  /** Limits checks and reads by APM, which share the limit of reads. */
  reads?: RateLimiter | undefined
  purge?: ((cacheTags: string[]) => Promise<void>) | undefined
  /** The publish queue; by default, one of this hub's own. */
  takeTurn?: TakeTurn | undefined
  /** The clock of the hub's machine; by default, one with short pauses. */
  clock?: Clock | undefined
  /** What an owner may have at most; by default, everything. */
  quota?: { prompts: number; bytes: number } | undefined
  /** Orders publishes and builds; by default, by the clock. */
  nextOrder?: (() => number) | undefined
}

/** A clock whose pauses between two attempts last a tenth: the git host of a test answers sooner than others, too. */
export const QUICK_CLOCK: Clock = { ...openClock(), sleep: (ms) => sleep(ms / 10) }

/** The handlers of a hub. They need no test runner, so any process can run them. */
export interface Handlers {
  /** The files of the last build. */
  siteFiles: SiteFiles
  publish(request: Request): Promise<Response>
  check(request: Request): Promise<Response>
  read(request: Request): Promise<Response>
  makeToken(
    made?: { scope?: string; days?: number; holder?: TokenRecord['holder']; permissions?: TokenRecord['permissions'] },
    now?: Date,
  ): Promise<string>
  /**
   * From now on, serves the current content of a content folder, unless it has problems. @returns the text of each data
   * file by path, and the problems
   */
  build(contentDir: string, history?: History): { files: ReadonlyMap<string, string>; problems: readonly unknown[] }
}

/** Opens the handlers without a build. */
export function openHandlers({
  git,
  state,
  fresh,
  auth,
  limiter = UNLIMITED,
  failedTokens = UNLIMITED,
  reads,
  purge = async () => {},
  takeTurn = createPublishTurns(),
  clock = QUICK_CLOCK,
  quota = { prompts: 0, bytes: 0 },
  nextOrder = Date.now,
}: HandlerOptions): Handlers {
  let files = new Map<string, string>()
  const blobs = new Map<string, Uint8Array>()
  const siteFiles = {
    read: async (path: string) => {
      const text = files.get(path)
      return text === undefined ? (blobs.get(path) as Buffer<ArrayBuffer> | undefined) : Buffer.from(text)
    },
  }
  const hub = makeHub({ siteFiles, fresh, quota })
  const limited = { ...hub, ...(reads && { limiter: reads }) }
  const published = openPublished(state, 'tests')
  const included = openIncluded(state, 'tests')
  const publishHub: PublishHub = {
    ...hub,
    git,
    fresh,
    nextOrder,
    issuer: 'https://token.actions.githubusercontent.com',
    verifyAttestation,
    findToken: (given: string) => findToken(state, given),
    findHolder: (person: Person) => findPerson(state, person),
    isBlocked: (person: Person) => isBlocked(state, person),
    verifyJob: async () => {
      throw new Error('no job publishes here')
    },
    spendJob: async () => false,
    ...auth,
    recordTokenUse: (id: string) => recordTokenUse(state, id, new Date()),
    limiter,
    failedTokens: async () => failedTokens,
    listUsedNumbers: async (place) => Object.keys(await published.read(place)),
    rememberVersion: published.remember,
    noteIncluded: included.note,
    listIncluding: included.list,
    proposals: async () => openProposals(state),
    purge,
    takeTurn,
    webhooks: async () => ({
      ...openWebhooks(state),
      findAddressProblem: async (url: string) => findWebhookUrlProblem(url, false),
    }),
    isAlone: false,
    advance: async () => false,
  }
  const ask = openApp(() => hub, {
    hub: (request) => (new URL(request.url).pathname.match(/^\/(?:api\/apm|npm)\//) ? limited : hub),
    publishing: () => publishHub,
    checking: () => limited,
    clock,
  })
  return {
    siteFiles: hub.siteFiles,
    publish: ask,
    check: ask,
    read: ask,
    makeToken: async (
      { scope = 'acme/*', days = 90, holder = { kind: 'operator' as const }, permissions } = {},
      now = new Date(),
    ) =>
      (await createToken(state, { holder, name: 'test', scope, days, ...(permissions && { permissions }) }, now)).token,
    build(contentDir, history = { since: null, changes: new Map(), added: new Map() }) {
      const { tree, problems } = readContentDir(contentDir)
      if (problems.length === 0) {
        const options = { baseUrl: BASE_URL, day: '2026-11-20' }
        const entries = new Map<string, CatalogueEntry>()
        for (const [fullName, repository] of tree.repositories) {
          const stats = tree.usage.get(fullName) ?? null
          const added = JSON.parse(history.added.get(fullName) ?? '{}')
          entries.set(fullName, makeEntry(repository, { ...options, models: tree.models, stats, added }))
        }
        const catalogue = joinCatalogue({ ...tree, entries }, options, orderCatalogue(entries, options))
        files = new Map()
        blobs.clear()
        for (const [path, content] of listSiteFiles(catalogue, contentDir, history))
          if (typeof content === 'string') files.set(path, content)
          else blobs.set(path, content)
      }
      return { files, problems }
    },
  }
}
