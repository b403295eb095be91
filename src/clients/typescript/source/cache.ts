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

/** A place that outlives the process, such as a folder. Its trouble is never the program's: what it cannot give is asked for again. */
export interface Store {
  /** @returns what is kept under an address, or undefined */
  read(url: string): Promise<Kept | undefined>
  write(url: string, kept: Kept): Promise<void>
  remove(url: string): Promise<void>
}

/** Where an answer came from. */
export type AnswerSource = 'memory' | 'disk' | 'network' | 'stale'

/** An answer with where it came from. */
export interface Answer<Value> {
  value: Value
  source: AnswerSource
  /** How long ago the hub vouched for it, in milliseconds. */
  ageMs: number
}

/** How long answers count. */
export interface CacheSettings {
  /** So long an answer that may change is given without asking. */
  freshMs: number
  /** So long after that it is given at once while it is asked for again; later it stands in for trouble alone. */
  revalidateMs: number
  store: Store | undefined
  requests: RequestSettings
  now: () => number
  /** Told when an answer was not fresh. */
  onStale: (url: string, ageMs: number, cause: unknown) => void
}

/** Most answers held in memory; the one that was not asked for longest goes first. */
const MOST_KEPT = 1_000

interface Entry<Value> {
  value: Value
  kept: Kept
}

/** Answers of one shape, each asked for once however many callers want it. */
export class AnswerCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #underWay = new Map<string, Promise<Answer<Value>>>()
  readonly #parse: (text: string, url: string) => Value | Promise<Value>
  readonly #settings: CacheSettings

  /** @param parse reads an answer; what it throws is the caller's, and nothing is kept */
  constructor(parse: (text: string, url: string) => Value | Promise<Value>, settings: CacheSettings) {
    this.#parse = parse
    this.#settings = settings
  }

  /**
   * What stands at an address.
   *
   * @param changes whether it may ever change; what does not is never asked for twice
   * @throws PromptHubError what the hub answered, or `unavailable` when nothing is kept that could stand in
   */
  async get(url: string, changes: boolean): Promise<Answer<Value>> {
    const entry = this.#touch(url)
    if (entry) {
      const ageMs = this.#settings.now() - entry.kept.checkedAt
      if (!changes || ageMs < this.#settings.freshMs) return { value: entry.value, source: 'memory', ageMs }
      if (ageMs < this.#settings.freshMs + this.#settings.revalidateMs) {
        this.#settings.onStale(url, ageMs, undefined)
        this.#share(url, changes).catch(() => {
          // Whoever asks next, after the time is up, is told.
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
        // The hub's own word, such as 404, ends what was known: it may have been withdrawn on purpose.
        if (error instanceof PromptHubError && (error.code === 'not_found' || error.code === 'refused'))
          await this.#forget(url)
        throw error
      }
      const ageMs = now() - known.kept.checkedAt
      onStale(url, ageMs, error)
      return { value: known.value, source: 'stale', ageMs }
    }
  }

  #touch(url: string): Entry<Value> | undefined {
    const entry = this.#entries.get(url)
    if (entry && this.#entries.size >= MOST_KEPT) this.#remember(url, entry)
    return entry
  }

  #remember(url: string, entry: Entry<Value>): void {
    this.#entries.delete(url)
    this.#entries.set(url, entry)
    if (this.#entries.size > MOST_KEPT) this.#entries.delete(this.#entries.keys().next().value!)
  }

  async #forget(url: string): Promise<void> {
    this.#entries.delete(url)
    await this.#settings.store?.remove(url).catch(() => {
      // What a store cannot forget is checked again before it is ever given as fresh.
    })
  }

  /** What cannot be read, or is not what it says, is as good as not there. */
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
      // A full disk costs a request later, nothing now.
    })
  }
}
