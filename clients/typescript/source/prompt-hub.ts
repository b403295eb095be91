// The main module: a hub with its options, getting a prompt from it, and every other export of the package.
import { HUB_URL } from './address.ts'
import { type CallOptions, type GetOptions, parseArguments } from './arguments.ts'
import { Breaker } from './breaker.ts'
import type { CacheSettings, Call, Store } from './cache.ts'
import type { Values } from './filling.ts'
import { HubReader } from './hub-reader.ts'
import { requireHubUrl } from './lock.ts'
import { type LockInForce, LockReader } from './locked.ts'
import { noteChange } from './own-changes.ts'
import { makeFallback, makePrompt, type Prompt, type PromptFacts } from './prompt.ts'
import { readTokenFor } from './read-token.ts'
import { isObject, type VersionRow } from './records.ts'
import { type RequestOptions, type RequestSettings, requestSettings } from './requests.ts'
import { readResults } from './results.ts'
import { readSkillFile } from './skill-reader.ts'
import type { SkillFile } from './skills.ts'
import type { HubEvent } from './standing.ts'
import { PromptHubError } from './trouble.ts'
import { readWebhook, type WebhookEvent, type WebhookHeaders } from './webhooks.ts'

export type { CallOptions, GetOptions } from './arguments.ts'
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
export type { Guarded } from './guard.ts'
export {
  formatLock,
  type Lock,
  type LockedDetails,
  type LockedPrompt,
  type LockedSplit,
  type Place,
  parseLock,
} from './lock.ts'
export type { LockInForce } from './locked.ts'
export {
  type ChangeResult,
  HubManager,
  type LabelOptions,
  type ManageOptions,
  type ReportedOutcome,
  type RepositoryChanges,
  type Target,
} from './manage.ts'
export type {
  AiSdkCall,
  AnthropicCall,
  GeminiCall,
  JsonSchema,
  ModelCalls,
  OpenAIChatCall,
  OpenAIResponsesCall,
} from './model-call.ts'
export type {
  FillOptions,
  MessagesOptions,
  ModelCallOptions,
  Prompt,
  PromptFacts,
  Source,
  Standing,
} from './prompt.ts'
export { highestIn, isRange, isVersion, readWish, satisfies, type Wish } from './ranges.ts'
export type { Advisory, Variable, VersionRow } from './records.ts'
export type { SuiteResult } from './results.ts'
export type { SkillFile } from './skills.ts'
export type { HubEvent } from './standing.ts'
export { PromptHubError, type TroubleCode, type ValueProblem } from './trouble.ts'
export type { WebhookEvent, WebhookHeaders } from './webhooks.ts'

/** The types of each prompt's values, by full name. The file written by `prompt-hub types` adds the prompts of a lock to it. */
// biome-ignore lint/suspicious/noEmptyInterface: empty so that a project's own types can be merged into it
export interface PromptValues {}

/** The values of one prompt, also with a version, range or label after `@`: those in `PromptValues` if it is listed there, else any. */
export type ValuesOf<Name extends string> = Name extends `${infer FullName}@${string}`
  ? ValuesOf<FullName>
  : Name extends keyof PromptValues
    ? PromptValues[Name] & object
    : Values

/** Options of a hub. */
export interface HubOptions extends RequestOptions {
  /** The hub's URL. Default: the one in the lock or, without a lock, that of the hub from which this library was downloaded. */
  url?: string
  /** A token for a private hub; default: HUB_TOKEN. Sent only once the hub asks for one, only over https or to this machine, and only to the hub in `url`, in HUB_URL, or from which this library was downloaded. */
  token?: string
  /** A lock from `openLock` of `prompt-hub-client/files`: `get` then returns only its prompts, with exactly the locked bytes. */
  lock?: LockInForce
  /** Stores responses beyond this process, such as `diskStore(dir)` from `prompt-hub-client/files`. By default they are only in memory. */
  store?: Store
  /** How long a changing response is reused without a request; default 60,000 ms. */
  freshMs?: number
  /** How long after that it is used at once and revalidated in the background; default 600,000 ms, `Infinity` for always. For an older one, a call waits for one attempt, and not at all while the hub does not respond. */
  revalidateMs?: number
  /** Keeps the runtime from ending a request in the background, for every call that gives none of its own. */
  waitUntil?: (promise: Promise<unknown>) => void
  /** Called with events that a program may want to log. Exceptions in it are ignored. */
  onEvent?: (event: HubEvent) => void
}

/** A hub to get prompts from. */
export class PromptHub {
  /** The hub's URL, without a trailing slash. */
  readonly url: string
  readonly #hub: HubReader
  readonly #locked: LockReader | undefined
  readonly #options: HubOptions
  readonly #onEvent: (event: HubEvent) => void
  /** The options of its requests, for this library's own functions. */
  readonly requests: RequestSettings

  /** @throws PromptHubError `invalid_request` for an invalid option, such as a path instead of an open lock */
  constructor(options: HubOptions = {}) {
    requireOptions(options)
    requireTimes(options)
    this.#options = options
    this.url = requireHubUrl(options.url ?? options.lock?.lock.hub ?? HUB_URL)
    this.#onEvent = (event) => {
      try {
        options.onEvent?.(event)
      } catch {
        // An error in the program's own function must not make a read fail.
      }
    }
    this.requests = requestSettings(options, readTokenFor(this.url, options))
    const settings: CacheSettings = {
      store: options.store,
      breaker: new Breaker(Date.now, (url, forMs, cause) => this.#onEvent({ type: 'unreachable', url, forMs, cause })),
      now: Date.now,
      onStale: (url, ageMs, cause) => this.#onEvent({ type: 'stale', url, ageMs, cause }),
      requests: this.requests,
    }
    this.#hub = new HubReader(this.url, settings, this.#callOf({}, false), this.#onEvent)
    this.#locked = options.lock && new LockReader(this.url, options.lock, settings)
  }

  /**
   * Gets a prompt.
   *
   * @param name `owner/name`, optionally with a version, range or label: `owner/name@^1.2`, `owner/name@production`
   * @throws PromptHubError `invalid_request` for an invalid name or version, `not_found`, `refused` or `unavailable` according to the hub's response, `integrity` for a checksum mismatch; under a lock also `not_locked`
   */
  async get<Name extends string>(name: Name, options: GetOptions = {}): Promise<Prompt<ValuesOf<Name>>> {
    const { fullName, wish } = parseArguments(name, options)
    requireTimes(options)
    const deadlineMs = options.deadlineMs ?? this.requests.deadlineMs
    const call = this.#callOf({ ...options, deadlineMs }, options.fallback !== undefined)
    try {
      const facts = await (this.#locked?.get(fullName, wish, call, options.key) ??
        this.#hub.get(fullName, wish, call, options.key))
      return this.#promptOf(facts, (file) => this.#locked?.readFile(fullName, facts.version!, file))
    } catch (error) {
      if (options.fallback === undefined || !(error instanceof PromptHubError) || error.code !== 'unavailable')
        throw error
      this.#onEvent({ type: 'fallback', name: fullName, cause: error })
      const onUnused = (values: string[]) => this.#onEvent({ type: 'unused_values', name: fullName, values })
      return makeFallback(fullName, options.fallback, onUnused)
    }
  }

  /**
   * Gets all listed prompts of an owner that have a label, by name, each at that label. Not affected by a lock.
   *
   * @throws PromptHubError `invalid_request` for an invalid owner or label, and like `get`; `not_found` also from a static mirror, if no prompt has the label
   */
  async all(owner: string, label: string): Promise<Prompt[]> {
    parseArguments(`${owner}/all`, { label })
    const found = await this.#hub.getAll(owner, label)
    return found.map((facts) => this.#promptOf(facts))
  }

  /**
   * Verifies a message of a webhook, and drops what this process keeps of its prompt: the next `get` asks the hub.
   *
   * @param body the body of the request, as it came
   * @param secret that of the webhook, `whsec_…`
   * @throws PromptHubError `invalid_request` for a message that was not signed with the secret, or more than five minutes ago; answer it with 400
   */
  async handleWebhook(body: string, headers: WebhookHeaders, secret: string): Promise<WebhookEvent> {
    const event = await readWebhook(body, headers, secret)
    noteChange(this.url, event.data.full_name)
    return event
  }

  /** What a call accepts. Without a deadline, only each request has a time limit. */
  #callOf({ freshMs, revalidateMs, deadlineMs, waitUntil }: CallOptions, hasFallback: boolean): Call {
    return {
      freshMs: freshMs ?? this.#options.freshMs ?? 60_000,
      revalidateMs: revalidateMs ?? this.#options.revalidateMs ?? 600_000,
      endsAt: deadlineMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + deadlineMs,
      hasFallback,
      waitUntil: waitUntil ?? this.#options.waitUntil,
    }
  }

  /** @param readLocked reads a file under a lock; without it, the hub is asked */
  #promptOf<Given extends object>(
    facts: PromptFacts,
    readLocked: (file: SkillFile) => Promise<Uint8Array<ArrayBuffer>> | undefined = () => undefined,
  ): Prompt<Given> {
    return makePrompt(
      facts,
      (file) => readLocked(file) ?? readSkillFile(this.url, this.requests, facts, file),
      () => readResults(this.url, this.requests, facts),
    )
  }

  /**
   * Lists the versions of a prompt, highest first, including yanked ones, which are marked. Not affected by a lock.
   *
   * @param name `owner/name`
   * @throws PromptHubError like `get`
   */
  async listVersions(name: string): Promise<readonly VersionRow[]> {
    return this.#hub.listVersions(parseArguments(name, {}).fullName)
  }

  /** The record of a prompt and its list of versions, for this library's own functions. */
  readState(...place: Parameters<HubReader['readState']>): ReturnType<HubReader['readState']> {
    return this.#hub.readState(...place)
  }
}

/** Checks the times: a timer takes what is not a number for 0. */
function requireTimes(options: { [Key in keyof (HubOptions & CallOptions)]: unknown }): void {
  for (const key of ['freshMs', 'revalidateMs', 'timeoutMs', 'deadlineMs'] as const) {
    const value = options[key]
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw invalid(`${key}: expected a number of milliseconds, got ${JSON.stringify(value) ?? typeof value}`)
  }
}

/** Checks what a program without types easily confuses: the path of a lock or a folder instead of the opened one. */
function requireOptions({ url, lock, store }: { [Key in keyof HubOptions]: unknown }): void {
  const shown = (value: unknown) =>
    value instanceof Promise ? 'a promise; add await' : (JSON.stringify(value) ?? typeof value)
  if (url !== undefined && typeof url !== 'string') throw invalid(`url: expected a string, got ${shown(url)}`)
  if (lock !== undefined && !(isObject(lock) && isObject(lock.lock) && typeof lock.readFile === 'function'))
    throw invalid(
      `lock: expected an open lock: await openLock('prompts.lock'), with openLock from prompt-hub-client/files; got ${shown(lock)}`,
    )
  if (
    store !== undefined &&
    !(isObject(store) && ['read', 'write', 'remove'].every((key) => typeof store[key] === 'function'))
  )
    throw invalid(
      `store: expected a store: diskStore('.cache/prompts'), with diskStore from prompt-hub-client/files; got ${shown(store)}`,
    )
}

function invalid(message: string): PromptHubError {
  return new PromptHubError('invalid_request', message)
}
