// Owns what publishing needs on the platform at hand.

import { purgeCache } from '@netlify/functions'
import { type Config, notSetUp } from '../config.ts'
import { LIMITS } from '../domain/api/limits.ts'
import type { GitStore } from '../ports/git-store.ts'
import type { VerifyJob } from '../server/publish/oidc.ts'
import type { PublishDependencies } from '../server/publish/publish.ts'
import { createQueue } from '../server/publish/queue.ts'
import { netlifyBlobs } from '../stores/blob-store-netlify.ts'
import { freshInBlobs } from '../stores/fresh-copies-blobs.ts'
import { openGitHub } from '../stores/git-store-github.ts'
import { findToken, noteUse } from '../stores/tokens-blobs.ts'
import { spendOnce } from '../stores/used-jobs-blobs.ts'
import { isRightful } from './people.ts'
import { clientKeyOf, currentConfig, type FunctionContext, type Hub, limiterOf, siteFilesOf } from './platform.ts'

/** Most tokens a minute and client address that are no good. */
const FAILED_TOKENS_PER_MINUTE = 30

/** What publishing needs. @throws HubError `unavailable` naming a setting that is missing or wrong */
export function connectPublish(request: Request, { ip, hub }: FunctionContext): PublishDependencies {
  const config = currentConfig()
  const blobs = hub?.blobs ?? netlifyBlobs()
  return {
    baseUrl: config.baseUrl,
    git: openGit(config, hub),
    siteFiles: siteFilesOf(request, hub),
    fresh: hub?.fresh ?? freshInBlobs(blobs),
    findToken: (token) => findToken(blobs, token),
    holdsLogin: (person) => isRightful(person, config, hub, blobs),
    verifyJob: jobVerifier(config),
    spendJob: (job) => spendOnce(blobs, job),
    noteUse: (tokenId) => noteUse(blobs, tokenId, new Date()),
    limiter: limiterOf('publishes', config.rateLimitPerMinute === 0 ? 0 : LIMITS.publishesPerMinute, config),
    failedTokens: limiterOf('failed-tokens', config.rateLimitPerMinute === 0 ? 0 : FAILED_TOKENS_PER_MINUTE, config),
    clientAddress: clientKeyOf(ip),
    // Our own host has no cache in front of it.
    purge: hub ? async () => {} : (cacheTag) => purgeCache({ tags: [cacheTag] }),
    enqueue,
  }
}

const verifiers = new Map<string, Promise<VerifyJob>>()

/** One for the life of the process, for it remembers the issuer's keys; loaded with the first job, for most publishes bring a token of ours. */
function jobVerifier({ oidc, baseUrl }: Config): VerifyJob {
  const key = JSON.stringify([oidc, baseUrl])
  return async (token, now) => {
    const verifier =
      verifiers.get(key) ??
      import('../server/publish/oidc.ts').then(({ openJobVerifier }) => openJobVerifier({ ...oidc, audience: baseUrl }))
    verifiers.set(key, verifier)
    return (await verifier)(token, now)
  }
}

let github: GitStore | undefined

function openGit({ gitStore }: Config, hub: Hub | undefined): GitStore {
  if (gitStore.kind === 'github') {
    if (!github) {
      const opened = openGitHub(gitStore)
      github = hub?.countGit?.(opened) ?? opened
    }
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

/** One for the life of the process. */
const enqueue = createQueue()
