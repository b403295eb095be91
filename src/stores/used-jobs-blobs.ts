// Owns which OIDC tokens were used, and for what: a token serves one request, which may come again when its answer was lost.
import { hash } from 'node:crypto'
import { z } from 'zod'
import type { BlobStore } from '../ports/blob-store.ts'

/** A token in use. */
export interface JobUse {
  /** The token's own number, unique for its issuer. */
  jti: string
  /** Digest of the whole request. */
  request: string
  /** When the token and its leeway end, as ISO 8601; nobody looks at it after that, so it may be swept. */
  until: string
}

const Used = z.object({ request: z.string(), until: z.string() })

/** Checks of this process, one after the other for each token. */
const underWay = new Map<string, Promise<boolean>>()

/**
 * Spends a token on a request.
 *
 * The store has no dependable write-if-absent, so what was written is read again: of two requests at once in two processes, the one that was
 * overwritten notices. Within a process they take turns.
 *
 * @returns false when it was used for another request
 * @throws HubError `unavailable` when the store is out of reach
 */
export async function spendOnce(blobs: BlobStore, use: JobUse): Promise<boolean> {
  const key = `jti/${hash('sha256', use.jti)}`
  const turn = (underWay.get(key) ?? Promise.resolve(true)).catch(() => true).then(() => spend(blobs, key, use))
  underWay.set(key, turn)
  try {
    return await turn
  } finally {
    if (underWay.get(key) === turn) underWay.delete(key)
  }
}

async function spend(blobs: BlobStore, key: string, { request, until }: JobUse): Promise<boolean> {
  const before = await read(blobs, key)
  if (before !== undefined) return before === request
  await blobs.set(key, JSON.stringify({ request, until }))
  return (await read(blobs, key)) === request
}

async function read(blobs: BlobStore, key: string): Promise<string | undefined> {
  const text = await blobs.get(key)
  return text === undefined ? undefined : Used.parse(JSON.parse(text)).request
}
