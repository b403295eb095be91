// Defines people, sessions, and the port that stores accounts.
import * as z from 'zod'
import { Handle, Time } from '../content/values.ts'
import type { Permission } from './permissions.ts'
import type { TokenRecord } from './token-record.ts'

/** How long a session lasts, in days, whatever happens in it. */
export const SESSION_DAYS = 7

/** Somebody who signed in. */
export const Person = z.object({
  user_id: z
    .string()
    .regex(/^(?:[1-9]\d{0,18}|local-[a-z0-9-]{1,39})$/)
    .describe(
      'GitHub’s number, which is never given to somebody else; or, of a local sign-in, `local-` and the handle.',
    ),
  login: Handle,
})
export type Person = z.infer<typeof Person>

/** The person of a local sign-in. Their id begins with `local-`, so that they are never taken for somebody whom GitHub vouched for. */
export function localPerson(handle: string): Person {
  return { user_id: `local-${handle}`, login: handle }
}

/** Whether somebody signed in without GitHub, which only counts in local mode. */
export const isLocalPerson = ({ user_id }: Pick<Person, 'user_id'>): boolean => user_id.startsWith('local-')

/** A session as it is stored, under the digest of what the cookie holds. */
export const Session = z.object({
  person: Person,
  created_at: Time,
  expires_at: Time,
  /** Key of the tokens that forms of this session carry. */
  csrf_secret: z.string().min(32),
  /** Signing out everywhere raises the person's generation, and with it ends every session of an older one. */
  generation: z.int().nonnegative(),
})
export type Session = z.infer<typeof Session>

/** A token as its maker sees it, with its last use. */
export interface ListedToken extends TokenRecord {
  last_used_at: string | null
}

/** What a person asks of a new token. */
interface TokenWish {
  /** Names the form that asks; the same one never makes two tokens. */
  form: string
  name: string
  scope: string
  permissions: readonly Permission[]
  days: number
}

/** Where accounts are kept. Every function throws HubError `unavailable` when the store is out of reach; none of them then lets anybody pass. */
export interface Accounts {
  /** Opens a session. @returns the secret for the cookie, kept nowhere else */
  openSession(person: Person, now: Date): Promise<string>
  /** @returns undefined for a session that is unknown, expired or ended */
  findSession(secret: string, now: Date): Promise<Session | undefined>
  endSession(secret: string): Promise<void>
  /** Ends every session of a person, on every machine. */
  endAllSessions(userId: string): Promise<void>
  /** Binds a login to a person when it is nobody's yet. @returns whether it is theirs: logins are given to others, numbers are not */
  bindLogin(person: Person): Promise<boolean>
  /** Notes that a sign-in was used, until `expires_at` (milliseconds since 1970). @returns false when it was before; of several calls at once, one gets true */
  spendSignIn(note: { state: string; expires_at: number }): Promise<boolean>
  /** @returns undefined when the form made a token before */
  createToken(person: Person, wish: TokenWish, now: Date): Promise<string | undefined>
  /** A person's tokens, newest first: those that are good, and of those that expired the last ones, 50 in all. What ended before is removed, of 200 entries at a time. */
  listTokens(userId: string, now: Date): Promise<ListedToken[]>
  /** Ends a token of this person for good; nothing of it is kept. @returns false when they have none of that id */
  revokeToken(userId: string, id: string): Promise<boolean>
  /** The tokens that operators made for these owners, newest first. */
  listOperatorTokens(owners: readonly string[]): Promise<ListedToken[]>
}
