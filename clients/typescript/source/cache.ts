// Caches the hub's responses in memory and in an optional store, and decides how old a response may be.
import type { Breaker } from './breaker.ts'
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

/** What one caller accepts. */
export interface Call {
  /** How long a changing response is used without asking the hub. */
  freshMs: number
  /** How long after that it is used at once and revalidated in the background. */
  revalidateMs: number
  /** When the caller stops waiting, by `performance.now()`; infinite if only each request has a time limit. */
  endsAt: number
  /** Whether the caller has something else to use: then it waits for one attempt only, and not at all for a hub that has just failed. */
  hasFallback: boolean
  /** Keeps the runtime from ending work in the background. */
  waitUntil: ((work: Promise<unknown>) => void) | undefined
}

/** How to store and fetch responses. */
export interface CacheSettings {
  store: Store | undefined
  requests: RequestSettings
  breaker: Breaker
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

/** A request that concurrent callers share. */
interface UnderWay<Value> {
  askedAt: number
  /** After that, nobody waits for it: some runtimes cut off what is under way, and it never settles. */
  lastsMs: number
  answer: Promise<Answer<Value>>
}

/** Responses of one type. Concurrent callers share one request. */
export class AnswerCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #loading = new Map<string, Promise<Entry<Value> | undefined>>()
  readonly #underWay = new Map<string, UnderWay<Value>>()
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
  async get(url: string, changes: boolean, call: Call): Promise<Answer<Value>> {
    const { now, breaker } = this.#settings
    const inMemory = this.#entries.get(url)
    if (inMemory) this.#remember(url, inMemory)
    const entry = inMemory ?? (await this.#load(url))
    const paused = breaker.pauseOf(url)
    if (!entry) {
      if (paused && call.hasFallback) throw paused
      return this.#waitFor(url, undefined, call)
    }
    const ageMs = now() - entry.kept.checkedAt
    // After a clock was set back, the age of a response is unknown. What this process has changed since is wrong.
    const isKnown = ageMs >= 0 && entry.kept.checkedAt > lastChange(url)
    if (!changes || (isKnown && ageMs < call.freshMs))
      return { value: entry.value, source: inMemory ? 'memory' : 'disk', ageMs }
    if (paused) return this.#useStale(url, entry, paused)
    const failure = breaker.failureOf(url)
    const underWay = this.#underWay.get(url)
    // A runtime that cuts off work in the background never hears that the hub has recovered, so the caller asks itself.
    const isTried = failure && !(underWay && this.#isOver(underWay))
    if (isKnown && (ageMs < call.freshMs + call.revalidateMs || isTried)) {
      runInBackground(this.#share(url, entry, call).answer, call)
      return this.#useStale(url, entry, failure)
    }
    try {
      return await this.#waitFor(url, entry, call)
    } catch (error) {
      const isDown = error instanceof PromptHubError && error.code === 'unavailable' && error.status !== 429
      if (isDown) return this.#useStale(url, entry, error)
      throw error
    }
  }

  /** Responses in memory, without a request. */
  peek(url: string): Value | undefined {
    return this.#entries.get(url)?.value
  }

  #useStale(url: string, { value, kept }: Entry<Value>, cause: unknown): Answer<Value> {
    const ageMs = Math.max(0, this.#settings.now() - kept.checkedAt)
    this.#settings.onStale(url, ageMs, cause)
    return { value, source: 'stale', ageMs }
  }

  /** Waits for the hub, as long as the caller accepts. @param known the cached response, if any */
  async #waitFor(url: string, known: Entry<Value> | undefined, call: Call): Promise<Answer<Value>> {
    const { now, requests, breaker } = this.#settings
    const startedAt = performance.now()
    const attemptEndsAt = known || call.hasFallback ? startedAt + requests.timeoutMs : Number.POSITIVE_INFINITY
    const endsAt = Math.min(call.endsAt, attemptEndsAt)
    for (;;) {
      const underWay = this.#share(url, known, call)
      const leftMs = Math.min(endsAt - performance.now(), underWay.askedAt + underWay.lastsMs - now())
      const answer = await within(leftMs, underWay.answer)
      if (answer) return answer
      if (performance.now() < endsAt - 1) continue
      runInBackground(underWay.answer, call)
      const seconds = (performance.now() - startedAt) / 1_000
      const error = new PromptHubError('unavailable', `${url} did not respond within ${seconds.toFixed(1)} s.`)
      if (endsAt === attemptEndsAt) breaker.fail(url, error, underWay.askedAt)
      throw error
    }
  }

  /** The request that is under way, or else a new one. */
  #share(url: string, known: Entry<Value> | undefined, call: Call): UnderWay<Value> {
    const { now, requests } = this.#settings
    const underWay = this.#underWay.get(url)
    // A request that was sent before this process changed the prompt may get the response from before.
    if (underWay && !this.#isOver(underWay) && underWay.askedAt > lastChange(url)) return underWay
    const wishedMs = Number.isFinite(call.endsAt) ? call.endsAt - performance.now() : 0
    const lastsMs = Math.max(requests.deadlineMs, wishedMs)
    const started: UnderWay<Value> = {
      askedAt: now(),
      lastsMs,
      answer: this.#askHub(url, known, lastsMs).finally(() => {
        if (this.#underWay.get(url) === started) this.#underWay.delete(url)
      }),
    }
    this.#underWay.set(url, started)
    return started
  }

  /** Whether nobody waits for a request any more. After a clock was set back, that is unknown. */
  #isOver({ askedAt, lastsMs }: UnderWay<Value>): boolean {
    const elapsedMs = this.#settings.now() - askedAt
    return elapsedMs < 0 || elapsedMs >= lastsMs
  }

  async #askHub(url: string, known: Entry<Value> | undefined, deadlineMs: number): Promise<Answer<Value>> {
    const { now, requests, breaker } = this.#settings
    const checkedAt = now()
    let hasResponded = false
    breaker.startTry(url)
    try {
      const onTimeout = (error: PromptHubError) => breaker.fail(url, error, checkedAt)
      const reply = await ask(url, known?.kept.etag, { ...requests, deadlineMs, onTimeout })
      hasResponded = true
      breaker.succeed(url)
      if (reply.kind === 'unchanged' && !known)
        throw new PromptHubError('unavailable', `${url} returned 304 without a cached response.`)
      const kept: Kept =
        reply.kind === 'new' ? { text: reply.text, etag: reply.etag, checkedAt } : { ...known!.kept, checkedAt }
      const value = reply.kind === 'new' ? await this.#parse(reply.text, url) : known!.value
      this.#remember(url, { value, kept })
      await this.#useStore((store) => store.write(url, kept))
      return { value, source: 'network', ageMs: 0 }
    } catch (error) {
      if (!(error instanceof PromptHubError)) throw error
      if (error.code !== 'unavailable' || error.status === 429) breaker.succeed(url)
      else if (!hasResponded) breaker.fail(url, error, checkedAt)
      // When the hub reports that something does not exist, the cached response is removed too: it may have been withdrawn on purpose.
      if (error.code === 'not_found' || error.code === 'refused') await this.#forget(url)
      throw error
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
    // If that fails, the store may return it once more later; this caller gets the hub's error anyway.
    await this.#useStore((store) => store.remove(url))
  }

  /** Uses the store. One that fails, or does not respond, makes no read fail: the hub is asked instead. */
  async #useStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result | undefined> {
    const { store, requests } = this.#settings
    if (!store) return undefined
    const used = (async () => work(store))().catch(() => undefined)
    return within(requests.timeoutMs, used)
  }

  /** Reads from the store; concurrent callers share it. Anything that cannot be read or parsed counts as absent. */
  async #load(url: string): Promise<Entry<Value> | undefined> {
    if (!this.#settings.store) return undefined
    const loading =
      this.#loading.get(url) ??
      this.#useStore(async (store) => {
        const kept = await store.read(url)
        return kept && { kept, value: await this.#parse(kept.text, url) }
      })
    this.#loading.set(url, loading)
    // Some runtimes cut off what is under way, also the time limit in it.
    const stored = await within(this.#settings.requests.timeoutMs, loading)
    if (this.#loading.get(url) === loading) this.#loading.delete(url)
    if (stored && !this.#entries.has(url)) this.#remember(url, stored)
    return stored && this.#entries.get(url)
  }
}

/** The longest time that a timer of JavaScript can wait. */
const MAX_WAIT_MS = 2_147_483_647

/** Waits for work, but no longer than some time. @returns undefined at the end of the time */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, Math.min(ms, MAX_WAIT_MS)), undefined)
  })
  return Promise.race([work, end]).finally(() => clearTimeout(timer))
}

/** Lets work go on after its caller has a response; its errors are those of the next caller. */
export function runInBackground(work: Promise<unknown>, { waitUntil }: Pick<Call, 'waitUntil'>): void {
  const settled = work.catch(() => {
    // This caller has a response. Once that is too old, the next caller waits for the hub and gets its error.
  })
  try {
    waitUntil?.(settled)
  } catch {
    // A runtime that does not take it must not make a read fail.
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
