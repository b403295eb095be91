// Owns what a program imports: a hub with its settings, getting a prompt from it, and every other name that the package exports.
import { HUB_URL } from './address.ts'
import type { CacheSettings, Store } from './cache.ts'
import type { Values } from './filling.ts'
import { HubReader } from './hub-reader.ts'
import { isHubAddress } from './lock.ts'
import { type LockInForce, LockReader } from './locked.ts'
import { fallbackFacts, makePrompt, type Prompt } from './prompt.ts'
import { type GetOptions, readQuestion } from './question.ts'
import { readVersionRecord, type VersionRow } from './records.ts'
import type { HubEvent } from './standing.ts'
import { PromptHubError } from './trouble.ts'
import { requireRecord } from './verify.ts'

export type { Kept, Store } from './cache.ts'
export { fillContent, type Values } from './filling.ts'
export { formatLock, type Lock, type LockedPrompt, parseLock } from './lock.ts'
export type { LockInForce } from './locked.ts'
export type { Prompt, PromptFacts, Source, Standing } from './prompt.ts'
export type { GetOptions } from './question.ts'
export { highestIn, isRange, isVersion, readWish, satisfies, type Wish } from './ranges.ts'
export type { Advisory, Variable, VersionRow } from './records.ts'
export type { HubEvent } from './standing.ts'
export { PromptHubError, type TroubleCode, type ValueProblem } from './trouble.ts'

/** The values of each prompt by its full name; `prompt-hub types` adds the prompts of a lock to it. */
// biome-ignore lint/suspicious/noEmptyInterface: it is empty so that a project's own types can be merged into it
export interface PromptValues {}

/** What a prompt of some name is filled with. */
export type ValuesOf<Name extends string> = Name extends keyof PromptValues ? PromptValues[Name] & object : Values

/** How a hub is used. */
export interface HubOptions {
  /** Its address; the hub that this library came from unless given, or that of the lock. */
  url?: string
  /** Nothing is got that this lock does not name. */
  lock?: LockInForce
  /** Keeps answers beyond this process, such as `diskStore(dir)` from `prompt-hub-client/files`. */
  store?: Store
  /** One try, 5,000 ms unless given. */
  timeoutMs?: number
  /** Tries after the first, 2 unless given. */
  retries?: number
  /** All tries with their pauses, 15,000 ms unless given. */
  deadlineMs?: number
  /** So long an answer that may change counts as fresh, 60,000 ms unless given. */
  freshMs?: number
  /** So long after that it is given at once while it is asked for again, 600,000 ms unless given. */
  revalidateMs?: number
  /** Told of everything that a program may want to log. */
  onEvent?: (event: HubEvent) => void
  /** Another fetch. */
  fetch?: typeof fetch
}

/** A hub that prompts come from. */
export class PromptHub {
  /** The hub's address, without a final slash. */
  readonly url: string
  readonly #hub: HubReader
  readonly #locked: LockReader | undefined
  readonly #onEvent: (event: HubEvent) => void

  /** @throws PromptHubError `invalid_request` when the address cannot be one */
  constructor(options: HubOptions = {}) {
    this.url = (options.url ?? options.lock?.lock.hub ?? HUB_URL).replace(/\/$/, '')
    if (!isHubAddress(this.url))
      throw new PromptHubError('invalid_request', `url: expected the address of a hub, got ${JSON.stringify(this.url)}`)
    this.#onEvent = (event) => {
      try {
        options.onEvent?.(event)
      } catch {
        // Whoever is told may fail; that is no reason to fail a read.
      }
    }
    const settings: CacheSettings = {
      freshMs: options.freshMs ?? 60_000,
      revalidateMs: options.revalidateMs ?? 600_000,
      store: options.store,
      now: Date.now,
      onStale: (url, ageMs, cause) => this.#onEvent({ type: 'stale', url, ageMs, cause }),
      requests: {
        fetch: options.fetch ?? ((...given) => fetch(...given)),
        timeoutMs: options.timeoutMs ?? 5_000,
        retries: options.retries ?? 2,
        deadlineMs: options.deadlineMs ?? 15_000,
      },
    }
    const readVersion = (text: string, url: string) => requireRecord(readVersionRecord(text, url))
    this.#hub = new HubReader(this.url, readVersion, settings, this.#onEvent)
    this.#locked = options.lock && new LockReader(this.url, options.lock, readVersion, settings, this.#onEvent)
  }

  /**
   * Gets a prompt.
   *
   * @param name `owner/name`, or with a wish behind it: `owner/name@^1.2`, `owner/name@production`
   * @throws PromptHubError
   */
  async get<Name extends string>(name: Name, options: GetOptions = {}): Promise<Prompt<ValuesOf<Name>>> {
    const { fullName, wish } = readQuestion(name, options)
    try {
      const facts = await (this.#locked?.get(fullName, wish) ?? this.#hub.get(fullName, wish))
      return makePrompt(facts)
    } catch (error) {
      if (options.fallback === undefined || !(error instanceof PromptHubError) || error.code !== 'unavailable')
        throw error
      this.#onEvent({ type: 'fallback', name: fullName, cause: error })
      return makePrompt(fallbackFacts(fullName, options.fallback))
    }
  }

  /**
   * The versions of a prompt, highest first, yanked ones included and marked.
   *
   * @param name `owner/name`
   */
  async listVersions(name: string): Promise<readonly VersionRow[]> {
    return this.#hub.listVersions(readQuestion(name, {}).fullName)
  }
}
