// Stores what OpenID Connect providers say about people, and the login that each person got at the first sign-in. Tokens and sessions read it at every use.
import { hash } from 'node:crypto'
import { type Person, ProviderIdentity } from '../domain/access/person.ts'
import { signInKindOf } from '../domain/access/sign-in-kind.ts'
import { listLogins } from './provider-logins.ts'
import { readRecord } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** Stores what a provider says about a person. @returns the person, with the login of the first sign-in */
export async function keepIdentity(state: StateStore, oidc: ProviderIdentity): Promise<Person> {
  const digest = digestOf(oidc)
  const user_id = userIdOf(oidc)
  const login = (await state.get(ownLoginKey(user_id)))?.value ?? (await takeLogin(state, user_id, oidc, digest))
  const text = JSON.stringify(oidc)
  if ((await state.get(identityKey(user_id)))?.value !== text) await state.set(identityKey(user_id), text)
  return { user_id, login, oidc }
}

const digestOf = ({ issuer, subject }: Account) => hash('sha256', `${issuer}\0${subject}`).slice(0, 32)
type Account = Pick<ProviderIdentity, 'issuer' | 'subject'>

/** Returns the ID of a provider's account. */
export function userIdOf(account: Account): string {
  return `oidc-${digestOf(account)}`
}

/** Returns what is known about a provider's account. @returns undefined if it never signed in here */
export async function findAccount(state: StateStore, account: Account): Promise<Person | undefined> {
  const user_id = userIdOf(account)
  const login = (await state.get(ownLoginKey(user_id)))?.value
  return login === undefined ? undefined : findPerson(state, { user_id, login })
}

/** Binds the first free login to an account. Two first sign-ins of one account at the same moment get the same login. */
async function takeLogin(state: StateStore, userId: string, identity: ProviderIdentity, digest: string) {
  for (const login of listLogins(identity, digest)) {
    await state.add(loginKey(login), userId)
    if ((await state.get(loginKey(login)))?.value !== userId) continue
    await state.add(ownLoginKey(userId), login)
    return (await state.get(ownLoginKey(userId)))?.value ?? login
  }
  throw new Error('a login that contains a digest belongs to another account')
}

/** Returns what is known about a person now. @returns undefined if nothing is known about an account of a provider, for example because it was forgotten */
export async function findPerson(state: StateStore, { user_id, login }: Person): Promise<Person | undefined> {
  const kind = signInKindOf({ user_id })
  // An invited person is known by the login alone, until the operator forgets it.
  if (kind === 'invited' && (await state.get(loginKey(login)))?.value !== user_id) return undefined
  if (kind !== 'oidc') return { user_id, login }
  const oidc = (await readRecord(state, identityKey(user_id), ProviderIdentity))?.value
  return oidc && { user_id, login, oidc }
}

/** Deletes what is known about an account. @returns whether anything was known */
export async function forgetIdentity(state: StateStore, userId: string): Promise<boolean> {
  const isKnown = (await state.get(identityKey(userId))) !== undefined
  await state.delete(identityKey(userId))
  await state.delete(ownLoginKey(userId))
  return isKnown
}

/** The prefix of the keys of logins. Each names the account that signed in with it first. */
export const LOGINS = 'logins/'
export const loginKey = (login: string) => LOGINS + login
const identityKey = (userId: string) => `identities/${userId}`
const ownLoginKey = (userId: string) => `own-logins/${userId}`
