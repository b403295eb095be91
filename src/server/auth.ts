// Owns who is asking: from the Authorization header to somebody who may publish, and whether what they may covers a repository.
import { coversRepository, type TokenRecord } from '../domain/access-token.ts'
import { HubError } from '../domain/errors.ts'
import { parseOwnerFile } from '../domain/prompt-file.ts'
import type { Provenance } from '../domain/schema.ts'
import { isToken } from '../domain/token.ts'

/** Somebody with a good token. What they may publish to is asked for each repository. */
export interface Caller {
  /** Names them for limits and idempotency, never shown. */
  id: string
  /** The token that was used. */
  tokenId: string
  /** The handle that a version is published by, when it is theirs to say; an operator publishes as the owner. */
  login: string | undefined
  scope: string
  holder: TokenRecord['holder']
  provenance: Provenance | undefined
}

/** Finds what is known of a token. @throws HubError `unavailable` when the store is out of reach: never a pass */
export type FindToken = (token: string) => Promise<TokenRecord | undefined>

/** One sentence for missing, malformed, unknown and revoked: which of them it was is nobody's business. */
const NO_GOOD_TOKEN = 'Publishing needs a token. Send a good one as "Authorization: Bearer hub_…".'

/**
 * Reads the Authorization header.
 *
 * @throws HubError `unauthorized`; a token of the wrong form or checksum is refused without asking the store
 */
export async function authenticate(request: Request, findToken: FindToken, now: Date): Promise<Caller> {
  const token = /^bearer +(\S+) *$/i.exec(request.headers.get('Authorization') ?? '')?.[1]
  if (token === undefined || !isToken(token)) throw new HubError('unauthorized', NO_GOOD_TOKEN)
  const record = await findToken(token)
  if (!record || record.revoked_at !== null) throw new HubError('unauthorized', NO_GOOD_TOKEN)
  if (Date.parse(record.expires_at) <= now.getTime())
    throw new HubError('unauthorized', `This token expired at ${record.expires_at}. Make a new one.`)
  const { id, scope, holder } = record
  return {
    id: `token:${id}`,
    tokenId: id,
    scope,
    holder,
    login: holder.kind === 'person' ? holder.login : undefined,
    provenance: undefined,
  }
}

/** @throws HubError `forbidden` when the token's scope leaves the repository out */
export function requireScope({ scope }: Caller, owner: string, name: string): void {
  if (!coversRepository(scope, owner, name))
    throw new HubError(
      'forbidden',
      `This token covers ${scope}, not ${owner}/${name}. Use a token for this repository.`,
    )
}

/**
 * Checks what the person behind a token may publish to now: rights may have ended since the token was made.
 *
 * @param ownerIndex text of the owner's `index.md` in git, or undefined
 * @throws HubError `forbidden`
 */
export function requireRights({ holder }: Caller, owner: string, ownerIndex: string | undefined): void {
  if (holder.kind === 'operator' || holder.login === owner) return
  const parsed = ownerIndex === undefined ? undefined : parseOwnerFile(ownerIndex)
  // Whose fault decides: a file on the branch that does not parse is no reason to tell a member that they are none.
  if (parsed?.problems)
    throw new HubError(
      'upstream_error',
      `content/${owner}/index.md on the branch cannot be read. Mend it in git, then publish again.`,
    )
  const members = parsed?.value.members ?? []
  if (!members.includes(holder.login))
    throw new HubError(
      'forbidden',
      `${holder.login} may not publish to ${owner}. Its members are listed in content/${owner}/index.md.`,
    )
}
