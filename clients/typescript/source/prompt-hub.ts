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
export {
  type AnthropicChat,
  type ChatMessage,
  type ChatPart,
  fillChat,
  forAnthropic,
  forGemini,
  type GeminiChat,
  splitChat,
} from './chat.ts'
export { fillContent, type Values } from './filling.ts'
export { formatLock, type Lock, type LockedDetails, type LockedPrompt, parseLock } from './lock.ts'
export type { LockInForce } from './locked.ts'
export { type ChangeResult, HubManager, type ManageOptions, type RepositoryChanges } from './manage.ts'
export type { Prompt, PromptFacts, Source, Standing } from './prompt.ts'
export type { GetOptions } from './question.ts'
export { highestIn, isRange, isVersion, readWish, satisfies, type Wish } from './ranges.ts'
export type { Advisory, Variable, VersionRow } from './records.ts'
export type { HubEvent } from './standing.ts'
export { PromptHubError, type TroubleCode, type ValueProblem } from './trouble.ts'

/** The values that each prompt is filled with, by its full name. The file that `prompt-hub types` writes adds the prompts of a lock to it. */
// biome-ignore lint/suspicious/noEmptyInterface: it is empty so that a project's own types can be merged into it
export interface PromptValues {}

/** The values of one prompt: those of `PromptValues` where it is named there, else any. */
export type ValuesOf<Name extends string> = Name extends keyof PromptValues ? PromptValues[Name] & object : Values

/** How a hub is used. */
export interface HubOptions {
  /** The hub's address. Unless given: that of the lock, or without a lock that of the hub which this library was downloaded from. */
  url?: string
  /** A lock to read prompts under, from `openLock` of `prompt-hub-client/files`: `get` then answers only what it names, with exactly the bytes that it names. */
  lock?: LockInForce
  /** Keeps answers beyond this process, such as `diskStore(dir)` from `prompt-hub-client/files`. Unless given they are kept in memory alone. */
  store?: Store
  /** How long one try of a request may take; 5,000 ms unless given. */
  timeoutMs?: number
  /** How often a request that failed is tried again; 2 unless given. */
  retries?: number
  /** How long all tries of a request may take, with the pauses between them; 15,000 ms unless given. */
  deadlineMs?: number
  /** For so long an answer that may change is used again without asking the hub; 60,000 ms unless given. */
  freshMs?: number
  /** For so long after that, it is used at once while the hub is asked in the background; 600,000 ms unless given. A still older one is used only when the hub cannot be reached. */
  revalidateMs?: number
  /** Called with everything that a program may want to log. What it throws is ignored. */
  onEvent?: (event: HubEvent) => void
  /** Used in the place of the global `fetch`. */
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
        // An error in the program's own function is no reason to fail a read.
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
   * @throws PromptHubError `invalid_request` when name or wish cannot be one, `not_found`, `refused` or `unavailable` as the hub answered, `integrity` when
   * bytes are not what they should be; under a lock also `not_locked`
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
   * Lists the versions of a prompt, highest first, yanked ones included and marked. A lock changes nothing about it.
   *
   * @param name `owner/name`
   * @throws PromptHubError as `get`
   */
  async listVersions(name: string): Promise<readonly VersionRow[]> {
    return this.#hub.listVersions(readQuestion(name, {}).fullName)
  }
}
