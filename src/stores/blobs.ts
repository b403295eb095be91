// Owns the blob store's drivers: Netlify Blobs, and its own file-backed server for our host. The only importer of @netlify/blobs.
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { type GetStoreOptions, getStore } from '@netlify/blobs'
import { BlobsServer } from '@netlify/blobs/server'
import type { BlobStore } from '../domain/blob-store.ts'
import { HubError } from '../domain/errors.ts'

/** The platform tries for much longer; a caller is better served by an honest 503. */
const CALL_MS = 3_000
const STORE_NAME = 'prompt-hub'

/** The store of a Netlify site; inside a function the platform gives the access. Reads are strong: a revoked token must be revoked at once. */
export function netlifyBlobs(): BlobStore {
  return overStore({ name: STORE_NAME, consistency: 'strong' })
}

/** A blob store in a folder of this machine. */
export interface LocalBlobs {
  blobs: BlobStore
  close(): Promise<void>
}

/** Starts the store's own server on a free loopback port, over a folder that is made when it is missing. */
export async function startLocalBlobs(directory: string): Promise<LocalBlobs> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const token = randomBytes(32).toString('hex')
  const server = new BlobsServer({ directory, token, logger: () => {} })
  const { port } = await server.start()
  return {
    // Not `apiURL`: over that, the local server lists nothing when a prefix is given (11.1.1).
    blobs: overStore({ name: STORE_NAME, edgeURL: `http://localhost:${port}`, siteID: 'local', token }),
    close: async () => {
      await server.stop()
    },
  }
}

function overStore(options: GetStoreOptions & { name: string }): BlobStore {
  return {
    get: (key) => call(options, async (store) => (await store.get(key, { type: 'text' })) ?? undefined),
    set: (key, text) => call(options, async (store) => void (await store.set(key, text))),
    delete: (key) => call(options, (store) => store.delete(key)),
    list: (prefix) => call(options, async (store) => (await store.list({ prefix })).blobs.map(({ key }) => key)),
  }
}

type Store = ReturnType<typeof getStore>

async function call<Value>(options: GetStoreOptions, work: (store: Store) => Promise<Value>): Promise<Value> {
  const signal = AbortSignal.timeout(CALL_MS)
  const timedFetch: typeof fetch = (input, init) => fetch(input, { ...init, signal })
  const tooLate = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => tooLate.reject(signal.reason))
  try {
    return await Promise.race([work(getStore({ ...options, fetch: timedFetch })), tooLate.promise])
  } catch (cause) {
    throw new HubError(
      'unavailable',
      'The store of tokens cannot be reached just now. Nothing was changed; try again in a few seconds.',
      { cause, retryAfterSeconds: 5 },
    )
  }
}
