// Stores sessions, completed sign-ins and account links in the state store, with secrets as digests.
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { type Accounts, SESSION_DAYS, Session } from '../domain/access/account.ts'
import type { Person } from '../domain/access/person.ts'
import { isBlocked } from './blocks.ts'
import { findPerson, keepIdentity, loginKey } from './identities.ts'
import { useOnce } from './single-use.ts'
import { listKeys, readRecord } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

const DAY_MS = 86_400_000

type People = Pick<
  Accounts,
  | 'openSession'
  | 'findSession'
  | 'endSession'
  | 'endAllSessions'
  | 'isBlocked'
  | 'bindLogin'
  | 'keepIdentity'
  | 'spendSignIn'
>

/** Opens the accounts in a state store. Each call reads them from the store, so that revoking a session takes effect immediately. */
export function openPeople(state: StateStore): People {
  return {
    async openSession({ user_id, login }, now, idToken) {
      const secret = randomBytes(32).toString('base64url')
      const session: Session = {
        person: { user_id, login },
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + SESSION_DAYS * DAY_MS).toISOString(),
        csrf_secret: randomBytes(32).toString('base64url'),
        generation: await readGeneration(state, user_id),
        ...(idToken !== undefined && { id_token: idToken }),
      }
      await state.set(sessionKey(secret), JSON.stringify(session), { expiresAt: Date.parse(session.expires_at) })
      return secret
    },
    async findSession(secret, now) {
      const session = (await readRecord(state, sessionKey(secret), Session))?.value
      if (!session) return undefined
      if (Date.parse(session.expires_at) <= now.getTime()) {
        await state.delete(sessionKey(secret))
        return undefined
      }
      if (session.generation !== (await readGeneration(state, session.person.user_id))) return undefined
      const person = await findPerson(state, session.person)
      // A sign-in may have been under way when the person was blocked.
      return !person || (await isBlocked(state, person)) ? undefined : { ...session, person }
    },
    endSession: (secret) => state.delete(sessionKey(secret)),
    endAllSessions: (userId) => endAllSessions(state, userId),
    isBlocked: (person) => isBlocked(state, person),
    async bindLogin(person) {
      await state.add(loginKey(person.login), person.user_id)
      return hasBoundLogin(state, person)
    },
    keepIdentity: (identity) => keepIdentity(state, identity),
    spendSignIn: ({ state: id, expires_at }) =>
      useOnce(state, { kind: 'sign-ins', id, use: randomUUID(), endsMs: expires_at }),
  }
}

/** Returns whether a login still belongs to a user, according to the first sign-in with that login. */
export async function hasBoundLogin(state: StateStore, { login, user_id }: Person): Promise<boolean> {
  return (await state.get(loginKey(login)))?.value === user_id
}

/** Revokes all sessions of a user. */
export async function endAllSessions(state: StateStore, userId: string): Promise<void> {
  await state.set(generationKey(userId), String((await readGeneration(state, userId)) + 1))
}

/** Deletes the records of all sessions of users, which say who signed in. Reads every session, so it is for operators alone. */
export async function deleteSessions(state: StateStore, userIds: readonly string[]): Promise<void> {
  for await (const key of listKeys(state, SESSIONS)) {
    const session = (await readRecord(state, key, Session))?.value
    if (session && userIds.includes(session.person.user_id)) await state.delete(key)
  }
}

/** Returns how often all sessions of a user were revoked. */
export async function readGeneration(state: StateStore, userId: string): Promise<number> {
  const found = await state.get(generationKey(userId))
  if (!found) return 0
  const generation = Number(found.value)
  // If a corrupt record counted as 0, revoked sessions would become valid again.
  if (!Number.isSafeInteger(generation) || generation < 0) throw new Error('a session generation is not a number')
  return generation
}

const SESSIONS = 'sessions/'
const sessionKey = (secret: string) => SESSIONS + hash('sha256', secret)
const generationKey = (userId: string) => `generations/${userId}`
