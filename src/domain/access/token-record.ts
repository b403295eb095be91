// Defines the stored record of a token: its holder, its scope and its expiry.
import * as z from 'zod'
import { isName, isOwner } from '../content/names.ts'
import { Handle, line, Time } from '../content/values.ts'
import { Permissions, USUAL_PERMISSIONS } from './permissions.ts'

/** What a token may publish to: every repository of an owner, or one. docs/contract.md section 7 */
const Scope = z
  .string()
  .refine((scope) => parseScope(scope) !== undefined, 'expected owner/* or owner/name')
  .describe('owner/* or owner/name.')

/** The holder of a token: an operator of this machine, limited only by the scope, or a person, whose access is checked at each use. */
const Holder = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('operator') }),
  z.object({ kind: z.literal('person'), user_id: z.string().describe('GitHub’s number.'), login: Handle }),
])

/** A token as stored, without the token itself. */
export const TokenRecord = z.object({
  id: z.string().describe('Names the token in lists.'),
  holder: Holder,
  name: line(64).describe('What its maker calls it.'),
  last_four: z.string().describe('The end of the token, to tell it from others.'),
  scope: Scope,
  permissions: Permissions.default([...USUAL_PERMISSIONS]).describe('What it may do there.'),
  created_at: Time,
  expires_at: Time,
  revoked_at: Time.nullable().describe('When an earlier version revoked it; now a token that is revoked is removed.'),
})
export type TokenRecord = z.infer<typeof TokenRecord>

/** Maximum and default lifetime of a token, in days. docs/contract.md section 7 */
export const TOKEN_DAYS = { least: 1, most: 365, usual: 90 } as const

/** Whether a token has expired. */
export function hasExpired({ expires_at }: Pick<TokenRecord, 'expires_at'>, now: Date): boolean {
  return Date.parse(expires_at) <= now.getTime()
}

/** Splits a scope; `name` is undefined when it covers all of the owner's repositories. */
export function parseScope(scope: string): { owner: string; name: string | undefined } | undefined {
  const [owner = '', name = '', rest] = scope.split('/')
  if (rest !== undefined || !isOwner(owner)) return undefined
  if (name === '*') return { owner, name: undefined }
  return isName(name) ? { owner, name } : undefined
}

/** Whether a scope covers a repository: `a/b` never covers `a/bc`, nor `a/*` `ab/c`. */
export function coversRepository(scope: string, owner: string, name: string): boolean {
  const parsed = parseScope(scope)
  return parsed !== undefined && parsed.owner === owner && (parsed.name === undefined || parsed.name === name)
}
