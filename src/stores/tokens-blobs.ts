// Owns the tokens in the blob store: written by digest, read on every use, never kept in the clear.
import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { Accounts, ListedToken } from '../domain/access/account.ts'
import { makeToken } from '../domain/access/token-form.ts'
import { TokenRecord } from '../domain/access/token-record.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { parseRecord } from './blob-record.ts'

const DAY_MS = 86_400_000
/** Last use is a hint for people: a write an hour is enough for it. */
const LAST_USE_MS = 3_600_000

/** What a new token is made of. */
interface NewToken {
  holder: TokenRecord['holder']
  name: string
  /** `owner/*` or `owner/name`. */
  scope: string
  days: number
  /** Names it in lists; random when left out. */
  id?: string
}

/** Makes a token and stores its record; a person's token stands in their list too. @returns the token, which nothing will show again */
export async function createToken(
  blobs: BlobStore,
  { days, id = randomUUID(), ...given }: NewToken,
  now: Date,
): Promise<{ token: string; record: TokenRecord }> {
  const token = makeToken(() => randomBytes(1)[0]!)
  const record: TokenRecord = TokenRecord.parse({
    ...given,
    id,
    last_four: token.slice(-4),
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + days * DAY_MS).toISOString(),
    revoked_at: null,
  })
  await blobs.set(`tokens/${digestOf(token)}`, JSON.stringify(record))
  // The list is written second, so that every token in it exists. When that fails, so does this call, and the token is never shown to anybody.
  if (record.holder.kind === 'person') await blobs.set(listKey(record.holder.user_id, id), digestOf(token))
  return { token, record }
}

/** Finds what is known of a token. @returns undefined when it was never made here, or its record is broken */
export async function findToken(blobs: BlobStore, token: string): Promise<TokenRecord | undefined> {
  return readRecord(blobs, digestOf(token))
}

/** The tokens of people, in a blob store. */
export function tokensInBlobs(blobs: BlobStore): Pick<Accounts, 'createToken' | 'listTokens' | 'revokeToken'> {
  return {
    async createToken(person, { form, ...wish }, now) {
      const id = hash('sha256', `${person.user_id}\0${form}`).slice(0, 32)
      if ((await blobs.get(listKey(person.user_id, id))) !== undefined) return undefined
      return (await createToken(blobs, { ...wish, id, holder: { kind: 'person', ...person } }, now)).token
    },
    async listTokens(userId) {
      const keys = await blobs.list(listKey(userId, ''))
      const found = await Promise.all(keys.map((key) => readListed(blobs, key, userId)))
      return found
        .filter((token) => token !== undefined)
        .sort((a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id))
    },
    async revokeToken(userId, id, now) {
      const digest = await blobs.get(listKey(userId, id))
      const record = digest === undefined ? undefined : await readRecord(blobs, digest)
      if (digest === undefined || !record || !isHeldBy(record, userId)) return false
      // A revoked token is marked and not removed, so that its maker still sees it in the list.
      if (record.revoked_at === null)
        await blobs.set(`tokens/${digest}`, JSON.stringify({ ...record, revoked_at: now.toISOString() }))
      return true
    },
  }
}

/** Notes that a token was used, at most once an hour. */
export async function noteUse(blobs: BlobStore, id: string, now: Date): Promise<void> {
  const last = await blobs.get(useKey(id))
  if (last === undefined || now.getTime() - Date.parse(last) >= LAST_USE_MS)
    await blobs.set(useKey(id), now.toISOString())
}

async function readListed(blobs: BlobStore, key: string, userId: string): Promise<ListedToken | undefined> {
  const digest = await blobs.get(key)
  const record = digest === undefined ? undefined : await readRecord(blobs, digest)
  if (!record || !isHeldBy(record, userId)) return undefined
  return { ...record, last_used_at: (await blobs.get(useKey(record.id))) ?? null }
}

async function readRecord(blobs: BlobStore, digest: string): Promise<TokenRecord | undefined> {
  const key = `tokens/${digest}`
  const text = await blobs.get(key)
  return text === undefined ? undefined : parseRecord(key, text, TokenRecord)
}

function isHeldBy({ holder }: TokenRecord, userId: string): boolean {
  return holder.kind === 'person' && holder.user_id === userId
}

const digestOf = (token: string) => hash('sha256', token)
const listKey = (userId: string, id: string) => `users/${userId}/${id}`
const useKey = (id: string) => `token-uses/${id}`
