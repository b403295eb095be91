// Owns what is kept of the hub's answers: in memory always, and in a store of the program's own where it gives one; how old an answer may be is decided here.
import { ask, type RequestSettings } from './requests.ts'
import { PromptHubError } from './trouble.ts'

/** An answer as it is kept. */
export interface Kept {
  text: string
  etag: string | undefined
  /** When the hub last vouched for it, in milliseconds since 1970. */
  checkedAt: number
}

/** A place for answers that outlives the process, such as a folder. When one of its functions fails, no call of the program does: the hub is asked instead. */
export interface Store {
  /** @returns what is kept under an address, or undefined */
  read(url: string): Promise<Kept | undefined>
  write(url: string, kept: Kept): Promise<void>
  remove(url: string): Promise<void>
}

/** Where an answer came from; `stale` is one from before that was used because the hub was not asked first, or could not be. */
export type AnswerSource = 'memory' | 'disk' | 'network' | 'stale'

/** An answer with where it came from. */
export interface Answer<Value> {
  value: Value
  source: AnswerSource
  /** How long ago the hub vouched for it, in milliseconds. */
  ageMs: number
}

/** How long answers are good, and how further ones are had. */
export interface CacheSettings {
  /** For so long an answer that may change is given without asking the hub. */
  freshMs: number
  /** For so long after that, it is given at once while the hub is asked. A still older one is given only when the hub cannot be reached. */
  revalidateMs: number
  store: Store | undefined
  requests: RequestSettings
  now: () => number
  /** Called when an answer is given that is not fresh, with the reason why the hub could not be asked; undefined while it is being asked. */
  onStale: (url: string, ageMs: number, cause: unknown) => void
}

/** So many answers are held in memory. Beyond that, the one that has not been asked for the longest is dropped. */
const MAX_KEPT = 1_000

interface Entry<Value> {
  value: Value
  kept: Kept
}

/** Answers of one shape. Callers that want the same one at the same time share one request. */
export class AnswerCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #underWay = new Map<string, Promise<Answer<Value>>>()
  readonly #parse: (text: string, url: string) => Value | Promise<Value>
  readonly #settings: CacheSettings

  /** @param parse reads an answer; when it throws, the caller gets its error and the answer is not kept */
  constructor(parse: (text: string, url: string) => Value | Promise<Value>, settings: CacheSettings) {
    this.#parse = parse
    this.#settings = settings
  }

  /**
   * Gets the answer of an address.
   *
   * @param changes whether it may ever change; one that may not is asked for only once
   * @throws PromptHubError what the hub answered, or `unavailable` when it cannot be reached and nothing is kept
   */
  async get(url: string, changes: boolean): Promise<Answer<Value>> {
    const entry = this.#touch(url)
    if (entry) {
      const ageMs = this.#settings.now() - entry.kept.checkedAt
      // A clock that was put back says nothing of how old an answer is.
      const isKnown = ageMs >= 0
      if (!changes || (isKnown && ageMs < this.#settings.freshMs))
        return { value: entry.value, source: 'memory', ageMs }
      if (isKnown && ageMs < this.#settings.freshMs + this.#settings.revalidateMs) {
        this.#settings.onStale(url, ageMs, undefined)
        this.#share(url, changes).catch(() => {
          // This caller has an answer. Once that is too old, the next caller waits for the hub and gets its error.
        })
        return { value: entry.value, source: 'stale', ageMs }
      }
    }
    return this.#share(url, changes)
  }

  /** What is held in memory, without asking anybody. */
  peek(url: string): Value | undefined {
    return this.#entries.get(url)?.value
  }

  #share(url: string, changes: boolean): Promise<Answer<Value>> {
    const underWay = this.#underWay.get(url)
    if (underWay !== undefined) return underWay
    const asking = this.#find(url, changes).finally(() => this.#underWay.delete(url))
    this.#underWay.set(url, asking)
    return asking
  }

  async #find(url: string, changes: boolean): Promise<Answer<Value>> {
    const { now, freshMs } = this.#settings
    const known = this.#entries.get(url) ?? (await this.#readStore(url))
    if (known) {
      const ageMs = now() - known.kept.checkedAt
      if (!this.#entries.has(url)) {
        this.#remember(url, known)
        if (!changes || (ageMs >= 0 && ageMs < freshMs)) return { value: known.value, source: 'disk', ageMs }
      }
    }
    return this.#askHub(url, known)
  }

  async #askHub(url: string, known: Entry<Value> | undefined): Promise<Answer<Value>> {
    const { now, requests, onStale } = this.#settings
    try {
      const reply = await ask(url, known?.kept.etag, requests)
      if (reply.kind === 'unchanged' && !known)
        throw new PromptHubError('unavailable', `${url} says that nothing changed, though nothing was known.`)
      const kept: Kept =
        reply.kind === 'new'
          ? { text: reply.text, etag: reply.etag, checkedAt: now() }
          : { ...known!.kept, checkedAt: now() }
      const value = reply.kind === 'new' ? await this.#parse(reply.text, url) : known!.value
      this.#remember(url, { value, kept })
      await this.#writeStore(url, kept)
      return { value, source: 'network', ageMs: 0 }
    } catch (error) {
      if (!(error instanceof PromptHubError) || error.code !== 'unavailable' || error.status === 429 || !known) {
        // When the hub itself says that there is nothing, what was kept goes too: it may have been withdrawn on purpose.
        if (error instanceof PromptHubError && (error.code === 'not_found' || error.code === 'refused'))
          await this.#forget(url)
        throw error
      }
      const ageMs = Math.max(0, now() - known.kept.checkedAt)
      onStale(url, ageMs, error)
      return { value: known.value, source: 'stale', ageMs }
    }
  }

  #touch(url: string): Entry<Value> | undefined {
    const entry = this.#entries.get(url)
    if (entry && this.#entries.size >= MAX_KEPT) this.#remember(url, entry)
    return entry
  }

  #remember(url: string, entry: Entry<Value>): void {
    this.#entries.delete(url)
    this.#entries.set(url, entry)
    if (this.#entries.size > MAX_KEPT) this.#entries.delete(this.#entries.keys().next().value!)
  }

  async #forget(url: string): Promise<void> {
    this.#entries.delete(url)
    await this.#settings.store?.remove(url).catch(() => {
      // The store may give it once more later; the caller gets the hub's refusal now all the same.
    })
  }

  /** Reads what the store has. What cannot be read or parsed counts as not there, so that the hub is asked. */
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
      // An answer that a full disk does not take is only asked for again later.
    })
  }
}
