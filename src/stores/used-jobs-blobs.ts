// Owns which OIDC tokens were used, and for what: a token serves one request, which may come again when its answer was lost.
import { hash } from 'node:crypto'
import * as z from 'zod'
import type { BlobStore } from '../ports/blob-store.ts'

/** A token in use. */
interface JobUse {
  /** The token's own number, unique for its issuer. */
  jti: string
  /** Digest of the whole request. */
  request: string
  /** When the token and its leeway end, as ISO 8601; nobody looks at it after that, so it may be swept. */
  until: string
}

const Used = z.object({ request: z.string(), until: z.string() })

/**
 * Spends a token on a request: of all processes, the first that writes the request down has the token. What was written is then read again, because a
 * store may let two such writes succeed, but afterwards shows both writers the same one (docs/notes/github.md section 10).
 *
 * @returns false when it was used for another request
 * @throws HubError `unavailable` when the store is out of reach
 */
export async function spendOnce(blobs: BlobStore, { jti, request, until }: JobUse): Promise<boolean> {
  const key = `jti/${hash('sha256', jti)}`
  await blobs.add(key, JSON.stringify({ request, until }))
  return (await read(blobs, key)) === request
}

async function read(blobs: BlobStore, key: string): Promise<string | undefined> {
  const text = await blobs.get(key)
  return text === undefined ? undefined : Used.parse(JSON.parse(text)).request
}
