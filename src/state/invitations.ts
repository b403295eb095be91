// Stores the invitations of a hub for readers without a provider: links that sign somebody in once. Each person has at most one open link, and a new one replaces it.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { Person } from '../domain/access/person.ts'
import { signInKindOf } from '../domain/access/sign-in-kind.ts'
import { Handle } from '../domain/values/values.ts'
import { isBlocked } from './blocks.ts'
import { loginKey } from './identities.ts'
import { readGeneration } from './sessions.ts'
import { parseRecord } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** How long the operator's link is valid: long enough for a weekend. */
export const INVITATION_HOURS = 72
/** How long a link for a further device is valid. */
export const DEVICE_MINUTES = 15

const Invitation = z.object({
  user_id: z.string(),
  /** The digest of the key, which is stored nowhere. */
  digest: z.string().length(64),
  /** Ending a person's sessions ends the link, too. */
  generation: z.int().nonnegative(),
  expires_at: z.number(),
})

const USED = 'used'
const invitationKey = (userId: string) => `invitations/${userId}`
const digestOf = (key: string) => hash('sha256', key)

/** A link that is still open. */
interface OpenLink {
  person: Person
  /** The stored record, to use it up. */
  stored: { value: string; version: string }
}

/** The invitations as the account pages use them. Each function throws HubError `unavailable` if the store cannot be reached. */
export interface Invitations {
  /** Returns whom a key signs in; undefined for one that is unknown, used, replaced or expired, or whose person may not sign in. Uses nothing up: programs open links in mails. */
  find(key: string | null, now: Date): Promise<Person | undefined>
  /** Uses up a key. @returns whom it signs in; of several concurrent calls, one gets the person */
  spend(key: string | null, now: Date): Promise<Person | undefined>
  /** Makes a key for a further device of somebody who is signed in. */
  addDevice(person: Person, now: Date): Promise<string>
}

/** Opens the invitations in a state store. */
export function openInvitations(state: StateStore): Invitations {
  const findOpen = async (key: string | null, now: Date): Promise<OpenLink | undefined> => {
    const [, login = ''] = /^([a-z0-9-]{1,39})\.[\w-]{43}$/.exec(key ?? '') ?? []
    if (key === null || login === '') return undefined
    const userId = (await state.get(loginKey(login)))?.value
    const stored = userId === undefined ? undefined : await state.get(invitationKey(userId))
    if (userId === undefined || !stored || stored.value === USED) return undefined
    const record = await parseRecord(invitationKey(userId), stored.value, Invitation)
    if (!record || record.user_id !== userId || record.expires_at <= now.getTime()) return undefined
    if (!timingSafeEqual(Buffer.from(digestOf(key)), Buffer.from(record.digest))) return undefined
    if (record.generation !== (await readGeneration(state, userId))) return undefined
    const person = { user_id: userId, login }
    return (await isBlocked(state, person)) ? undefined : { person, stored }
  }
  return {
    find: async (key, now) => (await findOpen(key, now))?.person,
    async spend(key, now) {
      const link = await findOpen(key, now)
      if (!link) return undefined
      const { person, stored } = link
      const expiresAt = now.getTime() + INVITATION_HOURS * 3_600_000
      return (await state.replace(invitationKey(person.user_id), USED, stored.version, { expiresAt }))
        ? person
        : undefined
    },
    addDevice: (person, now) => makeKey(state, person, now.getTime() + DEVICE_MINUTES * 60_000),
  }
}

/** Invites somebody, who gets the login if nobody has it. @returns the key for the link @throws Error for a login of somebody who signed in with a provider, or who is blocked */
export async function invite(state: StateStore, given: string, now: Date): Promise<{ person: Person; key: string }> {
  const login = Handle.parse(given)
  await state.add(loginKey(login), `invited-${randomBytes(16).toString('hex')}`)
  const user_id = (await state.get(loginKey(login)))?.value ?? ''
  const person = { user_id, login }
  if (signInKindOf(person) !== 'invited')
    throw new Error(`${login} belongs to somebody who signed in with a provider. Choose another login.`)
  if (await isBlocked(state, person)) throw new Error(`${login} is blocked. Run npm run people -- unblock ${login}.`)
  return { person, key: await makeKey(state, person, now.getTime() + INVITATION_HOURS * 3_600_000) }
}

async function makeKey(state: StateStore, { user_id, login }: Person, expiresAt: number): Promise<string> {
  const key = `${login}.${randomBytes(32).toString('base64url')}`
  const generation = await readGeneration(state, user_id)
  const record = { user_id, digest: digestOf(key), generation, expires_at: expiresAt }
  await state.set(invitationKey(user_id), JSON.stringify(record), { expiresAt })
  return key
}

/** Returns the URL for a key. */
export const invitationLink = (baseUrl: string, key: string): string => `${baseUrl}/auth/invitation?key=${key}`
