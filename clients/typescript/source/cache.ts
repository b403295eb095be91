// Caches the hub's responses in memory and in an optional store, and decides how old a response may be.
import { lastChange } from './own-changes.ts'
import { ask, type RequestSettings } from './requests.ts'
import { isNotFound, PromptHubError } from './trouble.ts'

/** A cached response. */
export interface Kept {
  text: string
  etag: string | undefined
  /** When the hub was last asked for it and confirmed it, in milliseconds since 1970. */
  checkedAt: number
}

/** A store for responses that outlives the process, such as a folder. If one of its functions fails, the response is requested from the hub instead. */
export interface Store {
  /** @returns the response stored for a URL, or undefined */
  read(url: string): Promise<Kept | undefined>
  write(url: string, kept: Kept): Promise<void>
  remove(url: string): Promise<void>
}

/** Where a response came from; `stale` is an older one, used while it is revalidated or because the hub could not be reached. */
export type AnswerSource = 'memory' | 'disk' | 'network' | 'stale'

/** A response and its source. */
export interface Answer<Value> {
  value: Value
  source: AnswerSource
  /** Time since the hub confirmed it, in milliseconds. */
  ageMs: number
}

/** Cache lifetimes, and how to fetch responses. */
export interface CacheSettings {
  /** How long a changing response is used without asking the hub. */
  freshMs: number
  /** How long after that it is used at once and revalidated in the background. An older one is used only when the hub cannot be reached. */
  revalidateMs: number
  store: Store | undefined
  requests: RequestSettings
  now: () => number
  /** Called when a response that is not fresh is used. `cause` is why the hub could not be reached, or undefined while the response is being revalidated. */
  onStale: (url: string, ageMs: number, cause: unknown) => void
}

/** Maximum number of responses in memory. Beyond that, the least recently used one is dropped. */
const MAX_KEPT = 1_000

interface Entry<Value> {
  value: Value
  kept: Kept
}

/** Responses of one type. Concurrent callers share one request. */
export class AnswerCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #underWay = new Map<string, { askedAt: number; answer: Promise<Answer<Value>> }>()
  readonly #parse: (text: string, url: string) => Value | Promise<Value>
  readonly #settings: CacheSettings

  /** @param parse parses a response; when it throws, the caller gets its error and the response is not cached */
  constructor(parse: (text: string, url: string) => Value | Promise<Value>, settings: CacheSettings) {
    this.#parse = parse
    this.#settings = settings
  }

  /**
   * Gets the response for a URL.
   *
   * @param changes whether the response can change; one that cannot is requested only once
   * @throws PromptHubError the hub's error, or `unavailable` when it cannot be reached and nothing is cached
   */
  async get(url: string, changes: boolean): Promise<Answer<Value>> {
    const entry = this.#entries.get(url)
    if (entry) {
      this.#remember(url, entry)
      const ageMs = this.#settings.now() - entry.kept.checkedAt
      // After a clock was set back, the age of a response is unknown. What this process has changed since is wrong.
      const isKnown = ageMs >= 0 && entry.kept.checkedAt > lastChange(url)
      if (!changes || (isKnown && ageMs < this.#settings.freshMs))
        return { value: entry.value, source: 'memory', ageMs }
      if (isKnown && ageMs < this.#settings.freshMs + this.#settings.revalidateMs) {
        this.#settings.onStale(url, ageMs, undefined)
        this.#share(url, changes).catch(() => {
          // This caller has a response. Once that is too old, the next caller waits for the hub and gets its error.
        })
        return { value: entry.value, source: 'stale', ageMs }
      }
    }
    return this.#share(url, changes)
  }

  /** Responses in memory, without a request. */
  peek(url: string): Value | undefined {
    return this.#entries.get(url)?.value
  }

  #share(url: string, changes: boolean): Promise<Answer<Value>> {
    const underWay = this.#underWay.get(url)
    // A request that was sent before this process changed the prompt may get the response from before.
    if (underWay && (!changes || underWay.askedAt > lastChange(url))) return underWay.answer
    const asking = {
      askedAt: this.#settings.now(),
      answer: this.#find(url, changes).finally(() => {
        if (this.#underWay.get(url) === asking) this.#underWay.delete(url)
      }),
    }
    this.#underWay.set(url, asking)
    return asking.answer
  }

  async #find(url: string, changes: boolean): Promise<Answer<Value>> {
    const { now, freshMs } = this.#settings
    const known = this.#entries.get(url)
    if (known) return this.#askHub(url, known)
    const stored = await this.#readStore(url)
    if (stored) {
      this.#remember(url, stored)
      const ageMs = now() - stored.kept.checkedAt
      const isKnown = ageMs >= 0 && stored.kept.checkedAt > lastChange(url)
      if (!changes || (isKnown && ageMs < freshMs)) return { value: stored.value, source: 'disk', ageMs }
    }
    return this.#askHub(url, stored)
  }

  async #askHub(url: string, known: Entry<Value> | undefined): Promise<Answer<Value>> {
    const { now, requests, onStale } = this.#settings
    const checkedAt = now()
    try {
      const reply = await ask(url, known?.kept.etag, requests)
      if (reply.kind === 'unchanged' && !known)
        throw new PromptHubError('unavailable', `${url} returned 304 without a cached response.`)
      const kept: Kept =
        reply.kind === 'new' ? { text: reply.text, etag: reply.etag, checkedAt } : { ...known!.kept, checkedAt }
      const value = reply.kind === 'new' ? await this.#parse(reply.text, url) : known!.value
      this.#remember(url, { value, kept })
      await this.#writeStore(url, kept)
      return { value, source: 'network', ageMs: 0 }
    } catch (error) {
      if (!(error instanceof PromptHubError) || error.code !== 'unavailable' || error.status === 429 || !known) {
        // When the hub reports that something does not exist, the cached response is removed too: it may have been withdrawn on purpose.
        if (error instanceof PromptHubError && (error.code === 'not_found' || error.code === 'refused'))
          await this.#forget(url)
        throw error
      }
      const ageMs = Math.max(0, now() - known.kept.checkedAt)
      onStale(url, ageMs, error)
      return { value: known.value, source: 'stale', ageMs }
    }
  }

  /** Caches a response, as the most recently used one. */
  #remember(url: string, entry: Entry<Value>): void {
    this.#entries.delete(url)
    this.#entries.set(url, entry)
    if (this.#entries.size > MAX_KEPT) this.#entries.delete(this.#entries.keys().next().value!)
  }

  async #forget(url: string): Promise<void> {
    this.#entries.delete(url)
    await this.#settings.store?.remove(url).catch(() => {
      // The store may return it once more later; this caller gets the hub's error anyway.
    })
  }

  /** Reads from the store. Anything that cannot be read or parsed counts as absent, so that it is requested from the hub. */
  async #readStore(url: string): Promise<Entry<Value> | undefined> {
    try {
      const kept = await this.#settings.store?.read(url)
      return kept && { kept, value: await this.#parse(kept.text, url) }
    } catch {
      return undefined
    }
  }

  async #writeStore(url: string, kept: Kept): Promise<void> {
    await this.#settings.store?.write(url, kept).catch(() => {
      // A response that does not fit on a full disk is simply requested again later.
    })
  }
}

/**
 * Reads the static file first, because every mirror has it and it has no rate limit. If the file is missing or insufficient, it asks the API, which also has what was published since the last build.
 *
 * @param get reads a path on the hub
 * @param path of the response in the API, below `/api/v1`
 * @param isEnough whether the file is sufficient
 */
export async function readEither<Found>(
  get: (path: string) => Promise<Found>,
  path: string,
  isEnough: (found: Found) => boolean = () => true,
): Promise<Found> {
  let found: Found | undefined
  let refusal: unknown
  try {
    found = await get(`/data/v1/${path}.json`)
    if (isEnough(found)) return found
  } catch (error) {
    if (!isNotFound(error)) throw error
    refusal = error
  }
  try {
    return await get(`/api/v1/${path}`)
  } catch (error) {
    // A mirror has no API, so the result is the file, or that it does not exist.
    if (found) return found
    throw isNotFound(error) ? error : (refusal ?? error)
  }
}
