// Decides about people: who may sign in, whose tokens count, and whom READERS admits to a private hub.

import type { FindAccess } from '../account/find-reader.ts'
import type { VerifyAccessToken } from '../account/providers/access-tokens.ts'
import type { Config } from '../config.ts'
import type { Person } from '../domain/access/person.ts'
import { type Identity, isReader } from '../domain/access/readers.ts'
import { isSameIssuer, signInKindOf } from '../domain/access/sign-in-kind.ts'
import type { IsOrganisationMember } from '../github/organisations.ts'
import { findAccount, findPerson, userIdOf } from '../state/identities.ts'
import { hasBoundLogin } from '../state/sessions.ts'
import type { StateStore } from '../state/state-store.ts'
import type { ServerHub } from './open-hub.ts'

/** Returns whether the Node server runs the function. The Netlify dev server does not count, because it simulates production. */
export function isOurHost({ isNetlifyDev }: Config, hub: ServerHub | undefined): boolean {
  return hub !== undefined && !isNetlifyDev
}

/** Returns whether users may sign in with any handle. This is allowed only on a Node server that only this machine can reach and that has no provider configured. */
export function isLocalMode(config: Config, hub: ServerHub | undefined): boolean {
  return config.isLocal && isOurHost(config, hub)
}

/** Returns whether people sign in with invitations: on a private hub without a provider. */
export function isByInvitation({
  readAccess,
  signIn,
  isLocal,
}: Pick<Config, 'readAccess' | 'signIn' | 'isLocal'>): boolean {
  return readAccess.kind === 'members' && signIn.kind === 'none' && !isLocal
}

/** Returns what is known now about the holder of a token. A login at a provider belongs to the first account that signed in with it; in local mode, a login belongs to every local user who signed in with it. @returns undefined if the login belongs to somebody else, or the hub no longer lets people sign in this way */
export async function findHolder(
  holder: Person,
  config: Config,
  hub: ServerHub | undefined,
  state: StateStore,
): Promise<Person | undefined> {
  const kind = signInKindOf(holder)
  if (kind === 'local') return isLocalMode(config, hub) ? holder : undefined
  if (!(await hasBoundLogin(state, holder))) return undefined
  const person = await findPerson(state, holder)
  if (kind === 'invited') return isByInvitation(config) ? person : undefined
  const issuer = config.signIn.kind === 'providers' ? config.signIn.oidc?.issuer : undefined
  return kind === 'github' || isSameIssuer(issuer, person?.oidc?.issuer) ? person : undefined
}

/** A person, or what a provider says about somebody who has no login here yet. */
type Candidate = Person | Required<Pick<Person, 'oidc'>>

/** Returns whether somebody may read. @throws HubError `unavailable` if only an organisation could admit the person, and GitHub cannot be asked */
type Admits = (candidate: Candidate) => Promise<boolean>

/** Opens the check of READERS. Sign-in asks it once, and the guard at each use. */
export function openAdmission(config: Config): Admits {
  const { readAccess, signIn } = config
  if (readAccess.kind === 'public') return async () => true
  const { readers } = readAccess
  const organisations = [...new Set(readers.flatMap(({ kind, value }) => (kind === 'github-org' ? [value] : [])))]
  const { github, oidc } = signIn.kind === 'providers' ? signIn : {}
  return async (candidate) => {
    const kind = 'user_id' in candidate ? signInKindOf(candidate) : 'oidc'
    // Local mode is for the user of this machine.
    if (kind === 'local') return config.isLocal
    if (kind === 'invited') return isByInvitation(config)
    if (kind === 'oidc')
      return isSameIssuer(oidc?.issuer, candidate.oidc?.issuer) && isReader(identityOf(candidate), readers)
    if (!github || !('user_id' in candidate)) return false
    if (isReader({ login: candidate.login }, readers)) return true
    for (const org of organisations) {
      const isMember = await organisationsOf(config)
      if (await isMember(candidate, org)) return true
    }
    return false
  }
}

function identityOf({ oidc }: Candidate): Identity {
  return oidc ? { issuer: oidc.issuer, subject: oidc.subject, emails: oidc.email === null ? [] : [oidc.email] } : {}
}

/** Opens the check of access tokens, which MCP clients get from the sign-in provider. @returns undefined without such a provider */
export function openAccess({ signIn, baseUrl }: Config, state: StateStore): FindAccess | undefined {
  const oidc = signIn.kind === 'providers' ? signIn.oidc : undefined
  if (!oidc) return undefined
  let verifier: Promise<VerifyAccessToken> | undefined
  return async (token, now) => {
    verifier ??= import('../account/providers/access-tokens.ts').then(({ openAccessTokens }) =>
      openAccessTokens(oidc, baseUrl),
    )
    const found = await (await verifier)(token, now)
    if (!found) return undefined
    const { identity, hasEmail, endsMs } = found
    const known = await findAccount(state, identity)
    // Many providers put no email address into access tokens; then that of the last sign-in counts.
    const email = identity.email ?? (hasEmail ? null : (known?.oidc?.email ?? null))
    const user_id = userIdOf(identity)
    const person = { user_id, login: known?.login ?? user_id, oidc: { ...identity, email } }
    return { person, name: known?.login ?? email ?? 'This account', endsMs }
  }
}

let opened: { config: Config; check: Promise<IsOrganisationMember> } | undefined

/** Returns the check of organisations. There is one per process, because it remembers answers; it is imported when it is first needed. */
function organisationsOf(config: Config): Promise<IsOrganisationMember> {
  if (opened?.config === config) return opened.check
  const check = Promise.all([import('../github/organisations.ts'), import('../github/github-requests.ts')]).then(
    ([{ openOrganisations }, { openGitHubRequests }]) => openOrganisations(openGitHubRequests(connectionOf(config))),
  )
  opened = { config, check }
  return check
}

/** The readers' token needs fewer rights than the credential that publishes. */
function connectionOf({ gitStore, organisations: { token, apiUrl } }: Config) {
  const callTimeoutMs = 5_000
  if (token !== undefined)
    return { repository: '/', credential: { kind: 'token', token } as const, apiUrl, callTimeoutMs }
  if (gitStore.kind === 'github') return { ...gitStore, callTimeoutMs }
  throw new Error('READERS names an organisation, but there is no credential')
}
