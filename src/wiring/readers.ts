// Connects the guard of a private hub to the platform: sessions, tokens, and the settings that say who may read.

import type { ReaderDeps } from '../../packages/account/find-reader.ts'
import { makeCookies } from '../../packages/account/session.ts'
import { isBlocked, isLoginBlocked } from '../../packages/stores/state/blocks.ts'
import { openPeople } from '../../packages/stores/state/sessions.ts'
import { findToken } from '../../packages/stores/state/tokens.ts'
import type { ReadAccess } from '../config.ts'
import { trustedJobsPath } from '../domain/access/memberships.ts'
import type { TrustedPublisher } from '../domain/content/front-matter.ts'
import { parseBuilt, type SiteFiles } from '../ports/site-files.ts'
import type { StateStore } from '../ports/state-store.ts'
import { cookieSecretOf } from './account.ts'
import { openAdmission } from './admission.ts'
import { findHolder, isLocalMode } from './people.ts'
import { currentConfig, type Hub, limiterOf } from './platform.ts'
import { FAILED_TOKENS_PER_MINUTE, jobVerifier } from './publish.ts'

/** Returns the dependencies of the guard, and whether people can sign in. @param hubOf returns the build that is served */
export async function connectReaders(
  { proxyHeader }: Extract<ReadAccess, { kind: 'members' }>,
  state: StateStore,
  hubOf: () => Hub,
): Promise<ReaderDeps & { hasSignIn: boolean }> {
  const config = currentConfig()
  const { baseUrl, signIn } = config
  const people = openPeople(state)
  const isLocal = isLocalMode(config, hubOf())
  return {
    hasSignIn: isLocal || signIn.kind !== 'none',
    readSession: makeCookies(baseUrl, cookieSecretOf(signIn)).readSession,
    findSession: (secret, now) => people.findSession(secret, now),
    findToken: (token) => findToken(state, token),
    findHolder: (person) => findHolder(person, config, hubOf(), state),
    isBlocked: (person) => isBlocked(state, person),
    verifyJob: jobVerifier(config),
    // A job's token is used up by a publish alone, because a job reads more than once.
    spendJob: async () => true,
    admits: openAdmission(config),
    proxyHeader,
    isLoginBlocked: (login) => isLoginBlocked(state, login),
    trustedIn: (repositoryId) => readTrusted(hubOf().files, repositoryId),
    failures: await limiterOf('failed-tokens', config.rateLimitPerMinute === 0 ? 0 : FAILED_TOKENS_PER_MINUTE, config),
  }
}

async function readTrusted(files: SiteFiles, repositoryId: string): Promise<readonly TrustedPublisher[]> {
  const bytes = await files.read(trustedJobsPath(repositoryId))
  return bytes ? parseBuilt<TrustedPublisher[]>(bytes) : []
}
