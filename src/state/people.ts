// Blocks people in the state store, ends what they can act with, sessions and tokens, and forgets them.
import { localPerson } from '../domain/access/sign-in-kind.ts'
import { logAudit } from '../log.ts'
import { idBlock, LOGIN_BLOCKS, loginBlock } from './blocks.ts'
import { findPerson, forgetIdentity, LOGINS, loginKey } from './identities.ts'
import { forgetProposals } from './proposals.ts'
import { deleteSessions, endAllSessions } from './sessions.ts'
import { listKeys } from './state-entries.ts'
import type { StateStore } from './state-store.ts'
import { revokeAllTokens } from './tokens.ts'
import { forgetWebhookSetter } from './webhooks.ts'

/** Somebody who has signed in, or whom the operator has blocked. */
interface ListedPerson {
  login: string
  /** The account's ID; undefined for somebody who was blocked before their first sign-in. */
  userId: string | undefined
  /** The verified email address, if an OpenID Connect provider gave one. */
  email: string | undefined
  tokens: number
  /** When the person was blocked, in ISO 8601; undefined if they are not blocked. */
  blockedAt: string | undefined
}

/** Blocks a login, and the account that it belongs to. The person's sessions and tokens end. @returns the number of revoked tokens */
export async function blockPerson(state: StateStore, login: string, now: Date): Promise<number> {
  // First, so that nothing new can be opened while the rest ends.
  await state.set(loginBlock(login), now.toISOString())
  for (const id of await idsOf(state, login)) await state.set(idBlock(id), now.toISOString())
  const tokens = await endEverything(state, login)
  logAudit('person_blocked', { login, tokens })
  return tokens
}

/** Lets a blocked person sign in again. Sessions and tokens that ended do not come back. @returns false if the login is not blocked */
export async function unblockPerson(state: StateStore, login: string): Promise<boolean> {
  const isThere = (await state.get(loginBlock(login))) !== undefined
  for (const id of await idsOf(state, login)) await state.delete(idBlock(id))
  await state.delete(loginBlock(login))
  if (isThere) logAudit('person_unblocked', { login })
  return isThere
}

/** Ends all of a person's sessions and tokens. @returns the number of revoked tokens */
export async function signOutPerson(state: StateStore, login: string): Promise<number> {
  const tokens = await endEverything(state, login)
  logAudit('person_signed_out', { login, tokens })
  return tokens
}

/** Ends all of a person's sessions and tokens, and deletes what the hub knows about the person. The login is free again. A block stays, because it would otherwise end. @returns undefined if the hub knows nobody with this login */
export async function forgetPerson(state: StateStore, login: string): Promise<number | undefined> {
  const bound = (await state.get(loginKey(login)))?.value
  if (bound === undefined) return undefined
  const tokens = await endEverything(state, login)
  await forgetIdentity(state, bound)
  await deleteSessions(state, await idsOf(state, login))
  await forgetProposals(state, await idsOf(state, login))
  await forgetWebhookSetter(state, login)
  await state.delete(loginKey(login))
  logAudit('person_forgotten', { login, tokens })
  return tokens
}

/** Returns the logins of a verified email address. */
export async function findLogins(state: StateStore, email: string): Promise<string[]> {
  const people = await listPeople(state)
  return people.filter((person) => person.email === email).map(({ login }) => login)
}

async function endEverything(state: StateStore, login: string): Promise<number> {
  let tokens = 0
  for (const id of await idsOf(state, login)) {
    await endAllSessions(state, id)
    tokens += await revokeAllTokens(state, id)
  }
  return tokens
}

/** Lists everybody who has signed in with a provider and everybody who is blocked, by login. */
export async function listPeople(state: StateStore): Promise<ListedPerson[]> {
  const people = new Map<string, ListedPerson>()
  for (const prefix of [LOGINS, LOGIN_BLOCKS])
    for await (const key of listKeys(state, prefix)) {
      const login = key.slice(prefix.length)
      const userId = (await state.get(loginKey(login)))?.value
      const email = userId && (await findPerson(state, { user_id: userId, login }))?.oidc?.email
      const tokens = userId === undefined ? [] : await Array.fromAsync(listKeys(state, `users/${userId}/`))
      const blockedAt = (await state.get(loginBlock(login)))?.value
      people.set(login, { login, userId, email: email ?? undefined, tokens: tokens.length, blockedAt })
    }
  return [...people.values()].sort((a, b) => (a.login < b.login ? -1 : 1))
}

/** Returns the account IDs of a login: that of a provider, if anybody has signed in with it, and that of local mode. */
async function idsOf(state: StateStore, login: string): Promise<string[]> {
  const bound = (await state.get(loginKey(login)))?.value
  return [...(bound === undefined ? [] : [bound]), localPerson(login).user_id]
}
