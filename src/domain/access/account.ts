// Defines people, sessions, and the port that stores accounts.
import * as z from 'zod'
import { Handle, Time } from '../content/values.ts'
import type { Permission } from './permissions.ts'
import type { TokenRecord } from './token-record.ts'

/** Session lifetime in days, regardless of activity. */
export const SESSION_DAYS = 7

/** A signed-in person. */
export const Person = z.object({
  user_id: z
    .string()
    .regex(/^(?:[1-9]\d{0,18}|local-[a-z0-9-]{1,39})$/)
    .describe('The GitHub ID, which is never reassigned; or, for a local sign-in, `local-` and the handle.'),
  login: Handle,
})
export type Person = z.infer<typeof Person>

/** Returns the person for a local sign-in. Their ID starts with `local-`, so that it never matches a GitHub account. */
export function localPerson(handle: string): Person {
  return { user_id: `local-${handle}`, login: handle }
}

/** Returns whether someone signed in without GitHub, which is valid only in local mode. */
export const isLocalPerson = ({ user_id }: Pick<Person, 'user_id'>): boolean => user_id.startsWith('local-')

/** A session as stored, keyed by the digest of its cookie's secret. */
export const Session = z.object({
  person: Person,
  created_at: Time,
  expires_at: Time,
  /** The key for this session's CSRF tokens. */
  csrf_secret: z.string().min(32),
  /** Signing out everywhere increments the person's generation, which revokes every session of an older generation. */
  generation: z.int().nonnegative(),
})
export type Session = z.infer<typeof Session>

/** A token as shown to its owner, with its last use. */
export interface ListedToken extends TokenRecord {
  last_used_at: string | null
}

/** What a person enters to create a token. */
interface TokenWish {
  /** Identifies the submitted form; the same form never creates two tokens. */
  form: string
  name: string
  scope: string
  permissions: readonly Permission[]
  days: number
}

/** Stores accounts. If the store cannot be reached, every function throws HubError `unavailable`, and nobody can sign in. */
export interface Accounts {
  /** Opens a session. @returns the secret for the cookie; it is stored nowhere else */
  openSession(person: Person, now: Date): Promise<string>
  /** @returns undefined for a session that is unknown, expired or revoked */
  findSession(secret: string, now: Date): Promise<Session | undefined>
  endSession(secret: string): Promise<void>
  /** Revokes every session of a person, on every device. */
  endAllSessions(userId: string): Promise<void>
  /** Binds a login to a person if it is unbound. @returns whether it is theirs: logins can be reassigned, account IDs cannot */
  bindLogin(person: Person): Promise<boolean>
  /** Records that a sign-in was used, until `expires_at` (milliseconds since 1970). @returns false if it was used before; of concurrent calls, exactly one returns true */
  spendSignIn(note: { state: string; expires_at: number }): Promise<boolean>
  /** @returns undefined if the form has already created a token */
  createToken(person: Person, wish: TokenWish, now: Date): Promise<string | undefined>
  /** Lists a person's tokens, newest first: valid ones and the most recently expired, 50 in total. Expired entries are removed, 200 at a time. */
  listTokens(userId: string, now: Date): Promise<ListedToken[]>
  /** Revokes a user's token and deletes its record. @returns false if they have no token with that ID */
  revokeToken(userId: string, id: string): Promise<boolean>
  /** Lists the tokens that operators created for these owners, newest first. */
  listOperatorTokens(owners: readonly string[]): Promise<ListedToken[]>
}
