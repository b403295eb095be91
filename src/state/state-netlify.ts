// Stores state in Netlify Blobs. The expiry of a value is in its metadata.
import { type GetStoreOptions, getStore } from '@netlify/blobs'
import { mapConcurrently, within } from '../concurrency/promises.ts'
import { checkEntry, stateUnavailable } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** Timeout of one call. The platform's client would retry for much longer, and the caller would get no response in the meantime. */
const CALL_MS = 3_000
const NAME = 'prompt-hub'
const AT_ONCE = 8
/** Time limit of a sweep, because Netlify stops a scheduled function after 30 s. */
const SWEEP_MS = 20_000

/** Returns the store of a Netlify site; inside a function, the platform provides the credentials. Reads are strongly consistent, because revoking a token must take effect immediately. */
export function netlifyState(): StateStore {
  return openBlobsState({ consistency: 'strong' })
}

/**
 * Opens a store at a URL.
 *
 * @param access the server's URL and token; both are omitted inside a Netlify function
 * @param now a clock in milliseconds since 1970
 */
export function openBlobsState(access: Omit<GetStoreOptions, 'name'>, now: () => number = Date.now): StateStore {
  const options = { ...access, name: NAME }
  const metadataOf = (expiresAt: number | undefined) =>
    expiresAt === undefined ? {} : { metadata: { expires_at: expiresAt } }
  const hasExpired = ({ expires_at }: Record<string, unknown>) => typeof expires_at === 'number' && expires_at <= now()
  const find = (key: string) =>
    call(options, async (store) => {
      const found = await store.getWithMetadata(key, { type: 'text' })
      // Netlify's development server returns ETags only in lists.
      return found && { ...found, etag: found.etag ?? (await etagOf(store, key)) }
    })
  const state: StateStore = {
    async get(key) {
      checkEntry(key)
      const found = await find(key)
      if (!found || hasExpired(found.metadata)) return undefined
      return { value: found.data, version: found.etag ?? '' }
    },
    async set(key, value, { expiresAt } = {}) {
      checkEntry(key, value)
      await call(options, (store) => store.set(key, value, metadataOf(expiresAt)))
    },
    async add(key, value, { expiresAt } = {}) {
      checkEntry(key, value)
      const isNew = await call(options, async (store) =>
        wroteTo(await store.set(key, value, { onlyIfNew: true, ...metadataOf(expiresAt) })),
      )
      if (isNew) return true
      const found = await find(key)
      if (!found?.etag || !hasExpired(found.metadata)) return false
      return replaceAt(key, value, found.etag, expiresAt)
    },
    async replace(key, value, version, { expiresAt } = {}) {
      checkEntry(key, value)
      const found = await find(key)
      if (!found || found.etag !== version || hasExpired(found.metadata)) return false
      return replaceAt(key, value, version, expiresAt)
    },
    async delete(key) {
      checkEntry(key)
      await call(options, (store) => store.delete(key))
    },
    async list(prefix) {
      const { blobs } = await call(options, (store) => store.list({ prefix }))
      // The development server also lists keys that are a prefix of the prefix.
      const keys = blobs.map(({ key }) => key).filter((key) => key.startsWith(prefix))
      return { keys: keys.sort(), next: undefined }
    },
    async removeExpired() {
      const deadline = now() + SWEEP_MS
      const { keys } = await state.list('')
      // The order is random, so that later sweeps remove the entries that a sweep missed because it ran out of time.
      const shuffled = keys.map((key) => ({ key, place: Math.random() })).sort((a, b) => a.place - b.place)
      const removed = await mapConcurrently(AT_ONCE, shuffled, async ({ key }) => {
        if (now() > deadline) return 0
        const found = await call(options, (store) => store.getMetadata(key))
        if (!found || !hasExpired(found.metadata)) return 0
        await state.delete(key)
        return 1
      })
      return removed.reduce<number>((sum, one) => sum + one, 0)
    },
  }
  const replaceAt = (key: string, value: string, etag: string, expiresAt: number | undefined) =>
    call(options, async (store) =>
      wroteTo(await store.set(key, value, { onlyIfMatch: etag, ...metadataOf(expiresAt) })),
    )
  return state
}

/** The client reports every failure except a failed condition as success, without an ETag (netlify/primitives#741). */
function wroteTo({ modified, etag }: { modified: boolean; etag?: string }): boolean {
  if (modified && !etag) throw new Error('the store did not report the outcome')
  return modified
}

type Store = ReturnType<typeof getStore>

async function etagOf(store: Store, key: string): Promise<string | undefined> {
  const { blobs } = await store.list({ prefix: key })
  return blobs.find((blob) => blob.key === key)?.etag
}

async function call<Value>(options: GetStoreOptions, work: (store: Store) => Promise<Value>): Promise<Value> {
  const signal = AbortSignal.timeout(CALL_MS)
  const timedFetch: typeof fetch = (input, init) => fetch(input, { ...init, signal })
  try {
    // The platform's client retries even if its fetch is aborted.
    return await within(CALL_MS, work(getStore({ ...options, fetch: timedFetch })), () => new Error('too late'))
  } catch (cause) {
    throw stateUnavailable(cause)
  }
}
