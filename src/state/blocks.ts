// Finds out whether the operator has blocked a person, by login or by account ID: at a provider, a blocked user can take another name, but not another ID.
import type { Person } from '../domain/access/person.ts'
import type { StateStore } from './state-store.ts'

/** The prefix of the keys of blocked logins. */
export const LOGIN_BLOCKS = 'blocks/logins/'
export const loginBlock = (login: string) => LOGIN_BLOCKS + login
export const idBlock = (userId: string) => `blocks/ids/${userId}`

/** Returns whether a login is blocked. No other name can be: it is not the key of a block. */
export async function isLoginBlocked(state: StateStore, login: string): Promise<boolean> {
  return /^[a-z0-9-]{1,39}$/.test(login) && (await state.get(loginBlock(login))) !== undefined
}

/** Returns whether a person is blocked. */
export async function isBlocked(state: StateStore, { login, user_id }: Person): Promise<boolean> {
  const found = await Promise.all([state.get(loginBlock(login)), state.get(idBlock(user_id))])
  return found.some((block) => block !== undefined)
}
