// Decides whom READERS admits to a private hub. Sign-in asks it once, and the guard at each use.

import type { IsOrganisationMember } from '../../packages/stores/github/organisations.ts'
import type { Config } from '../config.ts'
import type { Person } from '../domain/access/person.ts'
import { type Identity, isReader } from '../domain/access/readers.ts'
import { isSameIssuer, signInKindOf } from '../domain/access/sign-in-kind.ts'

/** A person, or what a provider says about somebody who has no login here yet. */
type Candidate = Person | Required<Pick<Person, 'oidc'>>

/** Returns whether somebody may read. @throws HubError `unavailable` if only an organisation could admit the person, and GitHub cannot be asked */
type Admits = (candidate: Candidate) => Promise<boolean>

/** Opens the check for these settings. */
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

let opened: { config: Config; check: Promise<IsOrganisationMember> } | undefined

/** Returns the check of organisations. There is one per process, because it remembers answers; it is imported when it is first needed. */
function organisationsOf(config: Config): Promise<IsOrganisationMember> {
  if (opened?.config === config) return opened.check
  const check = Promise.all([
    import('../../packages/stores/github/organisations.ts'),
    import('../../packages/stores/github/github-requests.ts'),
  ]).then(([{ openOrganisations }, { openGitHubRequests }]) =>
    openOrganisations(openGitHubRequests(connectionOf(config))),
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
