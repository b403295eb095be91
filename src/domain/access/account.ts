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
    .describe(
      'GitHub’s number, which is never given to somebody else; or, of a local sign-in, `local-` and the handle.',
    ),
  login: Handle,
})
export type Person = z.infer<typeof Person>

/** The person of a local sign-in. Their ID starts with `local-`, so that it never matches a GitHub account. */
export function localPerson(handle: string): Person {
  return { user_id: `local-${handle}`, login: handle }
}

/** Whether someone signed in without GitHub, which is valid only in local mode. */
export const isLocalPerson = ({ user_id }: Pick<Person, 'user_id'>): boolean => user_id.startsWith('local-')

/** A session as stored, under the digest of its cookie's secret. */
export const Session = z.object({
  person: Person,
  created_at: Time,
  expires_at: Time,
  /** Key of this session's CSRF tokens. */
  csrf_secret: z.string().min(32),
  /** Signing out everywhere increases the person's generation, which ends every session of an older one. */
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

/** Stores accounts. Every function throws HubError `unavailable` when the store cannot be reached; then nobody is let in. */
export interface Accounts {
  /** Opens a session. @returns the secret for the cookie; it is stored nowhere else */
  openSession(person: Person, now: Date): Promise<string>
  /** @returns undefined for a session that is unknown, expired or ended */
  findSession(secret: string, now: Date): Promise<Session | undefined>
  endSession(secret: string): Promise<void>
  /** Ends every session of a person, on every device. */
  endAllSessions(userId: string): Promise<void>
  /** Binds a login to a person if it is unbound. @returns whether it is theirs: logins are reassigned, account numbers are not */
  bindLogin(person: Person): Promise<boolean>
  /** Records that a sign-in was used, until `expires_at` (milliseconds since 1970). @returns false when it was used before; of concurrent calls, one gets true */
  spendSignIn(note: { state: string; expires_at: number }): Promise<boolean>
  /** @returns undefined when the form has already created a token */
  createToken(person: Person, wish: TokenWish, now: Date): Promise<string | undefined>
  /** A person's tokens, newest first: valid ones and the most recently expired, 50 in all. Ended ones are removed, 200 entries at a time. */
  listTokens(userId: string, now: Date): Promise<ListedToken[]>
  /** Revokes a user's token and deletes its record. @returns false when they have no token with that ID */
  revokeToken(userId: string, id: string): Promise<boolean>
  /** Tokens that operators created for these owners, newest first. */
  listOperatorTokens(owners: readonly string[]): Promise<ListedToken[]>
}
