// Owns the tokens in the blob store: written by digest, read on every use, never kept in the clear.
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { TokenRecord } from '../domain/access-token.ts'
import type { BlobStore } from '../domain/blob-store.ts'
import { makeToken } from '../domain/token.ts'

const DAY_MS = 86_400_000
/** Last use is a hint for people: a write an hour is enough for it. */
const LAST_USE_MS = 3_600_000

/** What a new token is made of. */
export interface NewToken {
  holder: TokenRecord['holder']
  name: string
  /** `owner/*` or `owner/name`. */
  scope: string
  days: number
}

/** Makes a token and stores its record. @returns the token, which nothing will show again */
export async function createToken(
  blobs: BlobStore,
  { days, ...given }: NewToken,
  now: Date,
): Promise<{ token: string; record: TokenRecord }> {
  const token = makeToken(() => randomBytes(1)[0]!)
  const record: TokenRecord = TokenRecord.parse({
    ...given,
    id: randomUUID(),
    last_four: token.slice(-4),
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + days * DAY_MS).toISOString(),
    revoked_at: null,
  })
  await blobs.set(keyOf(token), JSON.stringify(record))
  return { token, record }
}

/** Finds what is known of a token. @returns undefined when it was never made here */
export async function findToken(blobs: BlobStore, token: string): Promise<TokenRecord | undefined> {
  const text = await blobs.get(keyOf(token))
  return text === undefined ? undefined : TokenRecord.parse(JSON.parse(text))
}

/** Ends a token for good. A mark, not a removal, so that it stays in its maker's list. */
export async function revokeToken(blobs: BlobStore, token: string, now: Date): Promise<void> {
  const record = await findToken(blobs, token)
  if (record)
    await blobs.set(keyOf(token), JSON.stringify({ ...record, revoked_at: record.revoked_at ?? now.toISOString() }))
}

/** Notes that a token was used, at most once an hour. */
export async function noteUse(blobs: BlobStore, id: string, now: Date): Promise<void> {
  const key = `token-uses/${id}`
  const last = await blobs.get(key)
  if (last === undefined || now.getTime() - Date.parse(last) >= LAST_USE_MS) await blobs.set(key, now.toISOString())
}

function keyOf(token: string): string {
  return `tokens/${hash('sha256', token)}`
}
