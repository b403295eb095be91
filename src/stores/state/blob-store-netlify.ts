// Implements the blob store with Netlify Blobs.
import { type GetStoreOptions, getStore } from '@netlify/blobs'
import { HubError } from '../../domain/api/errors.ts'
import type { BlobStore } from '../../ports/blob-store.ts'

/** How long one call may take. The platform's client would try for much longer, and the caller would get no answer in the meantime. */
const CALL_MS = 3_000
const NAME = 'prompt-hub'

/** The store of a Netlify site; inside a function the platform gives the access. Reads are strong: a revoked token must be revoked at once. */
export function netlifyBlobs(): BlobStore {
  return blobsOver({ consistency: 'strong' })
}

/** A blob store behind an address. @param access where the server is and the token it asks for; inside a Netlify function, neither */
export function blobsOver(access: Omit<GetStoreOptions, 'name'>): BlobStore {
  const options = { ...access, name: NAME }
  return {
    get: (key) => call(options, async (store) => (await store.get(key, { type: 'text' })) ?? undefined),
    set: (key, text) =>
      call(options, async (store) => {
        await store.set(key, text)
      }),
    add: (key, text) =>
      call(options, async (store) => {
        const { modified, etag } = await store.set(key, text, { onlyIfNew: true })
        // The client reports every failure but "the key exists" as success, without an etag (netlify/primitives#741).
        if (modified && !etag) throw new Error('the store did not say what it did')
        return modified
      }),
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
