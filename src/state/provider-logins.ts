// Suggests logins for people who sign in with an OpenID Connect provider.
import type { ProviderIdentity } from '../domain/access/person.ts'

/** The number of logins to try for one person before a digest makes the login unique. */
const MAX_NUMBERED = 20

/**
 * Returns the logins that a provider's account may get, best first: `ada-acme` for ada@acme.example. The part after the hyphen keeps them apart from GitHub logins. Rights never depend on them.
 *
 * @param digest of the account, in hex; makes the last login unique
 */
export function listLogins({ email }: Pick<ProviderIdentity, 'email'>, digest: string): string[] {
  const last = `user-${digest.slice(0, 12)}`
  const [name = '', domain = ''] = email?.split('@') ?? []
  const base = [name, domain.split('.')[0] ?? ''].map(toHandle).filter(Boolean).join('-').slice(0, 36)
  if (name === '' || toHandle(name) === '') return [last]
  const tidy = base.replace(/-$/, '')
  return [tidy, ...Array.from({ length: MAX_NUMBERED }, (_, index) => `${tidy}-${index + 2}`), last]
}

const toHandle = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
