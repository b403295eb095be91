// Stores tokens in the state store. A token is stored only as a digest, read on every use, and removed when it expires or is revoked.
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { mapConcurrently } from '../concurrency/promises.ts'
import type { Accounts, ListedToken } from '../domain/access/account.ts'
import {
  DEFAULT_PERMISSIONS,
  hasExpired,
  makeToken,
  type Permission,
  parseScope,
  TOKEN_DAYS,
  TokenRecord,
} from '../domain/access/token.ts'
import { LIMITS } from '../domain/limits.ts'
import type { AuditEvent } from '../log.ts'
import { listKeys, readRecord } from './state-entries.ts'
import type { Lifetime, StateStore } from './state-store.ts'

const DAY_MS = 86_400_000
/** Minimum time between two writes of the last use, which is only informational. */
const LAST_USE_MS = 3_600_000
/** Maximum number of records that are read or removed at once, because a list may be long and reading each record takes a connection to the store. */
const AT_ONCE = 8
/** How long the record of an expired token is kept, so that its creator can see that it expired. */
const EXPIRED_MS = 30 * DAY_MS
/** Maximum lifetime of a token's record. */
const MAX_USE_MS = TOKEN_DAYS.most * DAY_MS + EXPIRED_MS
/** Maximum number of list entries read. A user has at most 50 tokens, so a longer list is corrupt, and each read shortens it. */
const MAX_READ = 200

interface NewToken {
  holder: TokenRecord['holder']
  name: string
  /** `owner/*` or `owner/name`. */
  scope: string
  /** Default: `publish` only. */
  permissions?: readonly Permission[]
  days: number
  /** Its name in lists; random by default. */
  id?: string
}

/** Creates a token, stores its record, and adds it to the list of its user, or to the operators' list of its owner. @returns the token, which is never shown again; `isNew` is false if there is a token with that ID, and then this one does not exist */
export async function createToken(
  state: Pick<StateStore, 'set' | 'add' | 'delete'>,
  { days, id = randomUUID(), permissions = DEFAULT_PERMISSIONS, ...given }: NewToken,
  now: Date,
): Promise<{ token: string; record: TokenRecord; isNew: boolean }> {
  const token = makeToken(() => randomBytes(1)[0]!)
  const record: TokenRecord = TokenRecord.parse({
    ...given,
    id,
    permissions,
    last_four: token.slice(-4),
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + days * DAY_MS).toISOString(),
  })
  const lifetime = lifetimeOf(record)
  await state.set(TOKENS + digestOf(token), JSON.stringify(record), lifetime)
  // The list is written last, so that every token in it exists. If that fails, this call fails too, so the token is never shown to anyone.
  const isNew = await state.add(listKeyOf(record), digestOf(token), lifetime)
  if (!isNew) {
    // A form was submitted twice at the same time. Nobody could see or revoke a token that is in no list.
    await state.delete(TOKENS + digestOf(token))
    return { token, record, isNew }
  }
  const { permissions: granted, expires_at } = record
  await audit('token_created', { ...describeToken(record), permissions: granted, expires_at })
  return { token, record, isNew }
}

/** Looks up a token. @returns undefined if it was never created here or was revoked, or if its record is corrupt */
export async function findToken(state: StateStore, token: string): Promise<TokenRecord | undefined> {
  return (await readRecord(state, TOKENS + digestOf(token), TokenRecord))?.value
}

/** Opens users' tokens in a state store. */
export function openTokens(
  state: StateStore,
): Pick<Accounts, 'createToken' | 'listTokens' | 'revokeToken' | 'listOperatorTokens'> {
  return {
    async createToken(person, { form, ...wish }, now) {
      const id = hash('sha256', `${person.user_id}\0${form}`).slice(0, 32)
      const made = await createToken(state, { ...wish, id, holder: { kind: 'person', ...person } }, now)
      return made.isNew ? made.token : undefined
    },
    async listTokens(userId, now) {
      const stored = await readList(state, (await state.list(listKey(userId, ''))).keys.slice(0, MAX_READ))
      const theirs = stored.filter(({ record }) => isHeldBy(record, userId))
      const [expired, good] = divide(theirs, ({ record }) => hasExpired(record, now))
      expired.sort((a, b) => b.record.expires_at.localeCompare(a.record.expires_at))
      const kept = expired.splice(0, Math.max(0, LIMITS.tokensPerPerson - good.length))
      await mapConcurrently(AT_ONCE, expired, (one) => remove(state, one))
      return withUses(state, [...good, ...kept])
    },
    async revokeToken(userId, id) {
      const [stored] = await readList(state, [listKey(userId, id)])
      if (!stored || !isHeldBy(stored.record, userId)) return false
      await revoke(state, stored, 'holder')
      return true
    },
    async listOperatorTokens(owners) {
      const keys = (await Array.fromAsync(listKeys(state, OPERATORS))).filter((key) =>
        owners.includes(key.split('/')[1] ?? ''),
      )
      return withUses(state, await readList(state, keys))
    },
  }
}

/** Returns every token that an operator created, newest first. */
export async function listAllOperatorTokens(state: StateStore): Promise<ListedToken[]> {
  return withUses(state, await readOperatorTokens(state))
}

/** Revokes an operator's token. @returns its description, or undefined if there is no token with that ID */
export async function revokeOperatorToken(state: StateStore, id: string): Promise<TokenRecord | undefined> {
  const stored = (await readOperatorTokens(state)).find(({ record }) => record.id === id)
  if (stored) await revoke(state, stored, 'operator')
  return stored?.record
}

/** Revokes all of a user's tokens. @returns how many there were */
export async function revokeAllTokens(state: StateStore, userId: string): Promise<number> {
  const stored = await readList(state, await Array.fromAsync(listKeys(state, listKey(userId, ''))))
  const theirs = stored.filter(({ record }) => isHeldBy(record, userId))
  await mapConcurrently(AT_ONCE, theirs, (one) => revoke(state, one, 'operator'))
  return theirs.length
}

/** Records that a token was used, at most once per hour. */
export async function recordTokenUse(state: StateStore, id: string, now: Date): Promise<void> {
  const last = await state.get(useKey(id))
  if (last && now.getTime() - Date.parse(last.value) < LAST_USE_MS) return
  if (!last) await audit('token_first_used', { token_id: id })
  await state.set(useKey(id), now.toISOString(), { expiresAt: now.getTime() + MAX_USE_MS })
}

/** A record with its storage key. */
interface Stored {
  digest: string
  record: TokenRecord
}

async function readOperatorTokens(state: StateStore): Promise<Stored[]> {
  return readList(state, await Array.fromAsync(listKeys(state, OPERATORS)))
}

/** Reads list entries. An entry without a token, left by an interrupted removal, is removed. */
async function readList(state: StateStore, keys: readonly string[]): Promise<Stored[]> {
  const stored = await mapConcurrently(AT_ONCE, keys, async (key) => {
    const digest = (await state.get(key))?.value
    if (digest === undefined) return undefined
    const record = (await readRecord(state, TOKENS + digest, TokenRecord))?.value
    if (!record && (await state.get(TOKENS + digest)) === undefined) await state.delete(key)
    return record && { digest, record }
  })
  return stored.filter((one) => one !== undefined)
}

async function revoke(state: StateStore, stored: Stored, by: 'holder' | 'operator'): Promise<void> {
  await remove(state, stored)
  await audit('token_revoked', { ...describeToken(stored.record), by })
}

/** Names a token in an audit line: never the token itself, nor its name, which is free text. */
function describeToken({ id, scope, holder }: TokenRecord) {
  const who =
    holder.kind === 'person' ? { login: holder.login, user_id: holder.user_id } : { login: null, user_id: null }
  return { token_id: id, scope, ...who }
}

/** Imported here because most uses of a token log nothing. */
async function audit(event: AuditEvent, details: Readonly<Record<string, unknown>>): Promise<void> {
  const { logAudit } = await import('../log.ts')
  logAudit(event, details)
}

/** The token is removed first, so that it is invalid even if the rest fails. */
async function remove(state: StateStore, { digest, record }: Stored): Promise<void> {
  await state.delete(TOKENS + digest)
  await state.delete(listKeyOf(record))
  await state.delete(useKey(record.id))
}

async function withUses(state: StateStore, stored: readonly Stored[]): Promise<ListedToken[]> {
  const listed = await mapConcurrently(AT_ONCE, stored, async ({ record }) => ({
    ...record,
    last_used_at: (await state.get(useKey(record.id)))?.value ?? null,
  }))
  return listed.sort((a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id))
}

function isHeldBy({ holder }: TokenRecord, userId: string): boolean {
  return holder.kind === 'person' && holder.user_id === userId
}

function divide<Value>(values: readonly Value[], isFirst: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))]
}

function lifetimeOf({ expires_at }: TokenRecord): Lifetime {
  return { expiresAt: Date.parse(expires_at) + EXPIRED_MS }
}

/** The prefix of the keys of all tokens. */
export const TOKENS = 'tokens/'
const OPERATORS = 'operators/'
const digestOf = (token: string) => hash('sha256', token)
const listKey = (userId: string, id: string) => `users/${userId}/${id}`
const useKey = (id: string) => `token-uses/${id}`

/** Returns where a token is listed: under the user it belongs to, or under the owner that an operator created it for. */
function listKeyOf({ holder, scope, id }: TokenRecord): string {
  return holder.kind === 'person' ? listKey(holder.user_id, id) : `${OPERATORS}${parseScope(scope)?.owner}/${id}`
}
