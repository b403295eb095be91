// Defines a token's stored record: its holder, scope and expiry.
import * as z from 'zod'
import { isName, isOwner } from '../values/names.ts'
import { Permissions } from '../values/permissions.ts'
import { Handle, line, Time } from '../values/values.ts'

/** The scope of a token: one repository, or all repositories of an owner. docs/contract.md section 7 */
const Scope = z
  .string()
  .refine((scope) => parseScope(scope) !== undefined, 'expected owner/* or owner/name')
  .describe('owner/* or owner/name.')

/** The holder of a token: an operator of this machine, limited only by the scope, or a user, whose access is checked on each use. */
const Holder = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('operator') }),
  z.object({
    kind: z.literal('person'),
    user_id: z.string().describe('The account that the person signed in with.'),
    login: Handle,
  }),
])

/** A token as stored, without the token itself. */
export const TokenRecord = z.object({
  id: z.string().describe('Identifies the token in lists.'),
  holder: Holder,
  name: line(64).describe('The name chosen by its creator.'),
  last_four: z.string().describe('The last four characters of the token, to distinguish it from others.'),
  scope: Scope,
  permissions: Permissions.describe('What the token may do within its scope.'),
  created_at: Time,
  expires_at: Time,
})
export type TokenRecord = z.infer<typeof TokenRecord>

/** Maximum and default lifetime of a token, in days. docs/contract.md section 7 */
export const TOKEN_DAYS = { least: 1, most: 365, usual: 90 } as const

/** Returns whether a token has expired. */
export function hasExpired({ expires_at }: Pick<TokenRecord, 'expires_at'>, now: Date): boolean {
  return Date.parse(expires_at) <= now.getTime()
}

/** Splits a scope; `name` is undefined if it covers all of the owner's repositories. */
export function parseScope(scope: string): { owner: string; name: string | undefined } | undefined {
  const [owner = '', name = '', rest] = scope.split('/')
  if (rest !== undefined || !isOwner(owner)) return undefined
  if (name === '*') return { owner, name: undefined }
  return isName(name) ? { owner, name } : undefined
}
