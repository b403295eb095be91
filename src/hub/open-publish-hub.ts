// Connects publishing to the platform: git store, token checks and rate limits.

import { purgeCache } from '@netlify/functions'
import { runInPlace } from '../concurrency/long-work.ts'
import type { QueueState } from '../concurrency/turns.ts'
import { type Config, settingsError } from '../config.ts'
import { LIMITS } from '../domain/limits.ts'
import type { GitStore } from '../git/git-store.ts'
import type { VerifyJob } from '../server/publish/authenticate.ts'
import type { PublishHub } from '../server/publish/publish-hub.ts'
import { createPublishTurns, shareTurns } from '../state/publish-turns.ts'
import { openPublished, sourceOf } from '../state/published.ts'
import type { RateLimiter } from '../state/rate-limiter.ts'
import type { StateStore } from '../state/state-store.ts'
import { findToken, recordTokenUse } from '../state/tokens.ts'
import { currentConfig, type FunctionContext, limiterOf, type ServerHub, sourcesOf, stateOf } from './open-hub.ts'

/** Maximum number of invalid tokens per minute for each client IP address. */
const FAILED_TOKENS_PER_MINUTE = 30

/** What all writes of a server have in common. */
type SharedHub = Awaited<ReturnType<typeof openShared>>

const shared = new WeakMap<StateStore, Promise<SharedHub>>()

/** Opens a hub for one write. @throws HubError `unavailable` naming a missing or invalid setting */
export async function openPublishHub(request: Request, context: FunctionContext): Promise<PublishHub> {
  const { hub, client } = context
  hub?.checkWritable?.()
  const state = hub ? hub.state : await stateOf(undefined)
  const { config, published, ...common } = await shareOf(state)
  const runLong = hub?.runLongFor?.(client) ?? runInPlace
  const { findWebhookAddressProblem } = hub ?? {}
  return {
    ...common,
    git: hub && config.gitStore.kind === 'local' ? hub.localGit : await openGitHub(config, hub),
    ...(hub ? { siteFiles: hub.files, fresh: hub.fresh } : await sourcesOf(request, undefined)),
    search: hub?.search,
    runLong,
    parseArchive: async (archive, query) => runLong((await import('./parse-archive.ts')).parseArchive, archive, query),
    verifyAttestation: async (text, roots) =>
      runLong((await import('../attestations/verify-in-thread.ts')).verifyAttestation, text, roots),
    nextOrder: hub?.nextOrder ?? Date.now,
    // Imported only for a user's token, because an operator's token does not need it.
    findHolder: async (person) => (await import('./people.ts')).findHolder(person, config, hub, state),
    findSignedIn: async (write, now) => (await import('./open-sign-in.ts')).findWriter(write, now, context),
    webhooks:
      findWebhookAddressProblem &&
      (async () => ({
        ...(await import('../state/webhooks.ts')).openWebhooks(state),
        findAddressProblem: findWebhookAddressProblem,
      })),
    clientAddress: client,
    listUsedNumbers: async (place) => [
      ...Object.keys(await published.read(place)),
      ...(hub?.usedNumbers?.get(`${place.owner}/${place.name}`) ?? []),
    ],
    purge: hub ? async (tags) => hub.pages?.purge(tags) : (tags) => purgeCache({ tags }),
    isAlone: hub?.advance !== undefined && config.databaseUrl === undefined,
    advance: hub?.advance ?? stay,
  }
}

/** Where no build follows. */
const stay = async () => false

function shareOf(state: StateStore): Promise<SharedHub> {
  const known = shared.get(state)
  if (known !== undefined) return known
  const opened = openShared(state)
  shared.set(state, opened)
  // The next write tries again.
  opened.catch(() => shared.delete(state))
  return opened
}

async function openShared(state: StateStore) {
  const config = currentConfig()
  const source = sourceOf(config)
  const published = openPublished(state, source)
  const requests = config.rateLimitPerMinute === 0 ? 0 : LIMITS.publishesPerMinute
  const included = async () => (await import('../state/included.ts')).openIncluded(state, source)
  return {
    config,
    published,
    baseUrl: config.baseUrl,
    issuer: config.oidc.issuer,
    quota: config.quota,
    findToken: (token: string) => findToken(state, token),
    // These modules are imported only for a user's or a job's token, because an operator's token needs none of them.
    isBlocked: async (person) => (await import('../state/blocks.ts')).isBlocked(state, person),
    verifyJob: jobVerifier(config),
    spendJob: async ({ jti, request, endsMs }) =>
      (await import('../state/single-use.ts')).useOnce(state, {
        kind: 'jti',
        id: jti,
        use: request,
        endsMs,
      }),
    recordTokenUse: (tokenId: string) => recordTokenUse(state, tokenId, new Date()),
    failedTokens: () => failedTokensOf(config),
    rememberVersion: published.remember,
    noteIncluded: async (by, parts) => (await included()).note(by, parts),
    listIncluding: async (place) => (await included()).list(place),
    proposals: async () => (await import('../state/proposals.ts')).openProposals(state),
    ...(config.databaseUrl === undefined
      ? { limiter: await limiterOf('publishes', requests, config), takeTurn: ownTurns }
      : await openTogether(state, requests)),
  } satisfies Partial<PublishHub> & { config: Config; published: unknown }
}

/** Returns the limiter for requests with an invalid token. */
export const failedTokensOf = (config: Config): Promise<RateLimiter> =>
  limiterOf('failed-tokens', config.rateLimitPerMinute === 0 ? 0 : FAILED_TOKENS_PER_MINUTE, config)

const verifiers = new Map<string, Promise<VerifyJob>>()

/** Returns the verifier of job tokens. There is one verifier per process, because it caches the issuer's keys. It is imported for the first job token, because most publishes use hub tokens. */
export function jobVerifier({ oidc, baseUrl }: Config): VerifyJob {
  const key = JSON.stringify([oidc, baseUrl])
  return async (token, now) => {
    const verifier =
      verifiers.get(key) ??
      import('../account/providers/job-verifier.ts').then(({ openJobVerifier }) =>
        openJobVerifier({ ...oidc, audience: baseUrl }),
      )
    verifiers.set(key, verifier)
    return (await verifier)(token, now)
  }
}

let github: Promise<GitStore> | undefined

async function openGitHub({ gitStore }: Config, hub: ServerHub | undefined): Promise<GitStore> {
  if (gitStore.kind === 'github') {
    github ??= import('../github/git-store-github.ts').then(({ openGitHub }) => {
      const opened = openGitHub(gitStore)
      return hub?.countGit?.(opened) ?? opened
    })
    return github
  }
  if (gitStore.kind === 'incomplete')
    throw settingsError([`${gitStore.missing}: expected, because another setting for the GitHub store is set`])
  throw settingsError([
    'GITHUB_REPOSITORY and GITHUB_TOKEN (or GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY): expected, because there is no local git repository to publish to',
  ])
}

/** The queue of all publishes in this process. */
const ownTurns = createPublishTurns()

/** Returns how full this process's queue of publishes is. */
export const publishQueue = (): QueueState => ownTurns.state()

/** What hubs that share a database use together: their publishes are counted on all machines, and take turns, because a commit outdates the head that the others have read. */
async function openTogether(state: StateStore, requests: number): Promise<Pick<PublishHub, 'limiter' | 'takeTurn'>> {
  const [{ limitInState }, { openHubTurns }] = await Promise.all([
    import('../state/limits.ts'),
    import('../state/hub-turns.ts'),
  ])
  return {
    limiter: limitInState(state, 'publishes', { requests, windowMs: 60_000 }),
    takeTurn: shareTurns(ownTurns, openHubTurns(state)),
  }
}
