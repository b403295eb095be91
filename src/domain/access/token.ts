// Defines a token: its form, its stored record (holder, scope and expiry), and what it may do. A mistyped token is found by its checksum, without reading a store.
import * as z from 'zod'
import { isName, isOwner } from '../values/names.ts'
import { Handle, line, Time, unique } from '../values/values.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_DIGITS = 32
const CHECKSUM_DIGITS = 6
const TOKEN = /hub_[0-9A-Za-z]{38}(?![0-9A-Za-z])/g

/**
 * Generates a token.
 *
 * @param nextByte source of random bytes, 0 to 255. Bytes of 248 or more are skipped, so that every digit is equally likely.
 * @returns `hub_`, 32 random base62 digits, and their CRC-32 in 6 base62 digits. docs/contract.md section 7
 */
export function makeToken(nextByte: () => number): string {
  let random = ''
  while (random.length < RANDOM_DIGITS) {
    const byte = nextByte()
    if (byte < 248) random += DIGITS[byte % 62]
  }
  const body = `hub_${random}`
  return body + checksumOf(body)
}

/** Returns whether a string is a well-formed token with a valid checksum. Whether the token exists and is valid is checked elsewhere. */
export function isToken(text: string): boolean {
  return (
    /^hub_[0-9A-Za-z]{38}$/.test(text) && checksumOf(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS)
  )
}

/** Returns the offset of the first hub token in a text, in UTF-16 code units, or undefined. */
export function findToken(text: string): number | undefined {
  return text.matchAll(TOKEN).find(([token]) => isToken(token))?.index
}

/** Computes a string's checksum: its CRC-32 as six base62 digits, most significant digit first. */
export function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_DIGITS; place++) {
    digits = DIGITS[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Computes the CRC-32 of ASCII text, as in zip and PNG (ISO 3309). Bit by bit is fast enough, because the input has 36 characters. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (const character of text) {
    crc ^= character.charCodeAt(0)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** Every permission, in display order. */
export const PERMISSIONS = ['read', 'publish', 'label', 'maintain'] as const

/** The permissions of a token: `read` reads a private hub, `publish` adds versions, `label` moves labels, and `maintain` changes everything else in `index.md` and moves all labels, including protected labels. */
export const Permission = z
  .enum(PERMISSIONS)
  .describe('read (a private hub), publish (versions), label (move labels) or maintain (everything else, and labels).')
export type Permission = z.infer<typeof Permission>

/** The permissions of a token or trusted workflow: at least one, without duplicates. */
export const Permissions = z
  .array(Permission)
  .min(1, 'expected at least one permission')
  .refine(unique, 'expected each permission only once')

/** The permissions of a new token or a trusted workflow for which none are given. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = ['publish']

/** Returns whether permissions are sufficient: each of them includes `read`, and `maintain` includes `label`, but never `publish`. */
export function hasPermission(has: readonly Permission[], needed: Permission): boolean {
  if (needed === 'read') return has.length > 0
  return has.includes(needed) || (needed === 'label' && has.includes('maintain'))
}

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
