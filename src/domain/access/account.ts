// Defines users, sessions, and the port that stores accounts.
import * as z from 'zod'
import { Time } from '../values/values.ts'
import { Person, type ProviderIdentity } from './person.ts'
import type { Permission, TokenRecord } from './token.ts'

/** Session lifetime in days, regardless of activity. */
export const SESSION_DAYS = 7

/** Returns the message for somebody whom the operator has blocked. */
export const blockedMessage = (login: string): string =>
  `${login} is blocked on this hub. Contact the operator of this hub.`

/** A session as stored, keyed by the digest of its cookie's secret. */
export const Session = z.object({
  person: Person,
  created_at: Time,
  expires_at: Time,
  /** The key for this session's CSRF tokens. */
  csrf_secret: z.string().min(32),
  /** Signing out everywhere increments the user's session generation, which revokes all sessions of older generations. */
  generation: z.int().nonnegative(),
  /** Names this sign-in to the OpenID Connect provider when the person signs out there too. It is no credential of anything. */
  id_token: z.string().optional(),
})
export type Session = z.infer<typeof Session>

/** A token as shown to its owner, including when it was last used. */
export interface ListedToken extends TokenRecord {
  last_used_at: string | null
}

/** The fields that a user enters to create a token. */
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
  openSession(person: Person, now: Date, idToken?: string): Promise<string>
  /** @returns undefined for a session that is unknown, expired or revoked; otherwise with what is known about the person now */
  findSession(secret: string, now: Date): Promise<Session | undefined>
  endSession(secret: string): Promise<void>
  /** Revokes all sessions of a user, on every device. */
  endAllSessions(userId: string): Promise<void>
  /** Returns whether the operator has blocked a person, who then cannot sign in. */
  isBlocked(person: Person): Promise<boolean>
  /** Binds a login to a user if it is not bound yet. @returns whether the login belongs to this user: logins can be reassigned, account IDs cannot */
  bindLogin(person: Person): Promise<boolean>
  /** Stores what a provider says about a person, who gets a login at the first sign-in and keeps it. */
  keepIdentity(identity: ProviderIdentity): Promise<Person>
  /** Records that a sign-in was used, until `expires_at` (milliseconds since 1970). @returns false if it was used before; of several concurrent calls, exactly one returns true */
  spendSignIn(note: { state: string; expires_at: number }): Promise<boolean>
  /** @returns undefined if the form has already been used to create a token */
  createToken(person: Person, wish: TokenWish, now: Date): Promise<string | undefined>
  /** Lists a user's tokens, newest first: the valid tokens and the most recently expired ones, at most 50 in total. Expired entries are removed, 200 at a time. */
  listTokens(userId: string, now: Date): Promise<ListedToken[]>
  /** Revokes a user's token and deletes its record. @returns false if the user has no token with that ID */
  revokeToken(userId: string, id: string): Promise<boolean>
  /** Lists the tokens that operators created for these owners, newest first. */
  listOperatorTokens(owners: readonly string[]): Promise<ListedToken[]>
}
