// Owns the library's front door: a hub, and getting a prompt from it.
import { HUB_URL } from './address.ts'
import { AnswerCache, type CacheSettings, type Store } from './cache.ts'
import type { Values } from './filling.ts'
import { isHubAddress, type Lock, type LockedPrompt } from './lock.ts'
import { factsOf, fallbackFacts, makePrompt, type Prompt, type PromptFacts, type Standing, slower } from './prompt.ts'
import { type GetOptions, readQuestion, requireLocked } from './question.ts'
import { highestIn, satisfies, type Wish } from './ranges.ts'
import {
  type RepositoryRecord,
  readRepositoryRecord,
  readVersionList,
  readVersionRecord,
  type VersionRecord,
  type VersionRow,
} from './records.ts'
import { PromptHubError } from './trouble.ts'
import { findVariables, requireDigest } from './verify.ts'

export type { Kept, Store } from './cache.ts'
export { fillContent, type Values } from './filling.ts'
export { formatLock, type Lock, type LockedPrompt, parseLock } from './lock.ts'
export type { Prompt, PromptFacts, Source, Standing } from './prompt.ts'
export type { GetOptions } from './question.ts'
export { highestIn, isRange, isVersion, readWish, satisfies, type Wish } from './ranges.ts'
export type { Advisory, Variable, VersionRow } from './records.ts'
export { PromptHubError, type TroubleCode, type ValueProblem } from './trouble.ts'

/** The values of each prompt by its full name; `prompt-hub types` adds the prompts of a lock to it. */
// biome-ignore lint/suspicious/noEmptyInterface: it is empty so that a project's own types can be merged into it
export interface PromptValues {}

/** What a prompt of some name is filled with. */
export type ValuesOf<Name extends string> = Name extends keyof PromptValues ? PromptValues[Name] & object : Values

/** Something that a program may want to log: an answer is never anything but fresh without a word. */
export type HubEvent =
  | { type: 'stale'; url: string; ageMs: number; cause: unknown }
  | { type: 'fallback'; name: string; cause: unknown }
  | { type: 'deprecated'; name: string; message: string }
  | { type: 'yanked'; name: string; version: string; reason: string }
  | { type: 'advisory'; name: string; version: string; severity: string; message: string }
  | { type: 'variables_unknown'; name: string; cause: unknown }

/** A lock that is in force, with a way to its vendored files. */
export interface LockInForce {
  lock: Lock
  /** @returns the bytes at a path of the lock, or undefined when there is no file */
  readFile(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>
}

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
  readonly #lock: LockInForce | undefined
  readonly #versions: AnswerCache<VersionRecord>
  readonly #repositories: AnswerCache<RepositoryRecord>
  readonly #lists: AnswerCache<VersionRow[]>
  readonly #onEvent: (event: HubEvent) => void
  readonly #said = new Set<string>()
  readonly #vendored = new Map<string, string>()

  /** @throws PromptHubError `invalid_request` when the address cannot be one */
  constructor(options: HubOptions = {}) {
    this.url = (options.url ?? options.lock?.lock.hub ?? HUB_URL).replace(/\/$/, '')
    if (!isHubAddress(this.url))
      throw new PromptHubError('invalid_request', `url: expected the address of a hub, got ${JSON.stringify(this.url)}`)
    this.#lock = options.lock
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
    this.#versions = new AnswerCache(async (text, url) => {
      const record = readVersionRecord(text, url)
      await requireDigest(
        new TextEncoder().encode(record.content),
        record.content_sha256,
        `${record.full_name}@${record.version}`,
      )
      return record
    }, settings)
    this.#repositories = new AnswerCache(readRepositoryRecord, settings)
    this.#lists = new AnswerCache(readVersionList, settings)
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
      const facts = await (this.#lock ? this.#getLocked(this.#lock, fullName, wish) : this.#getFrom(fullName, wish))
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
    const { fullName } = readQuestion(name, {})
    return (
      await this.#readEither(this.#lists, `repos/${fullName}/versions.json`, `repos/${fullName}/versions`, () => true)
    ).value
  }

  async #getFrom(name: string, wish: Wish | undefined): Promise<PromptFacts> {
    if (wish?.kind === 'version') return this.#readVersion(name, wish.version, undefined)
    if (wish?.kind === 'range') {
      const list = await this.#readEither(
        this.#lists,
        `repos/${name}/versions.json`,
        `repos/${name}/versions`,
        (rows) => highestIn(activeOf(rows), wish.range) !== undefined,
      )
      const version = highestIn(activeOf(list.value), wish.range)
      if (version === undefined) throw notThere(`${name} has no active version in ${wish.range}.`)
      return this.#readVersion(name, version, list)
    }
    const record = await this.#readEither(
      this.#repositories,
      `repos/${name}.json`,
      `repos/${name}`,
      ({ labels }) => wish === undefined || labelled(labels, wish.label) !== undefined,
    )
    const { labels, latest_version } = record.value
    const version = wish ? labelled(labels, wish.label) : latest_version
    if (!version) throw notThere(wish ? noLabel(name, wish.label, labels) : `${name} has no active version.`)
    return this.#readVersion(name, version, record)
  }

  /** @param found where the version's number came from; undefined when the caller gave it, and then it cannot change */
  async #readVersion(
    name: string,
    version: string,
    found: { source: PromptFacts['source']; ageMs: number } | undefined,
  ): Promise<PromptFacts> {
    const { value, source } = await this.#readEither(
      this.#versions,
      `repos/${name}/versions/${version}.json`,
      `repos/${name}/versions/${version}`,
      () => true,
      false,
    )
    if (value.full_name !== name || value.version !== version)
      throw new PromptHubError('integrity', `${name}@${version}: the hub answered ${value.full_name}@${value.version}.`)
    this.#askStanding(name, version, found === undefined)
    return {
      ...factsOf(value),
      source: found?.source === 'stale' ? 'stale' : (found && slower(found.source, source)) || source,
      ageMs: found?.ageMs ?? 0,
      standing: this.#standingOf(name, version),
    }
  }

  /** The plain file, which no limit counts and every mirror has; the API where it knows more: a publish is there before the next build. */
  async #readEither<Value>(
    cache: AnswerCache<Value>,
    file: string,
    address: string,
    isEnough: (value: Value) => boolean,
    changes = true,
  ) {
    const fileUrl = `${this.url}/data/v1/${file}`
    let answer: Awaited<ReturnType<AnswerCache<Value>['get']>> | undefined
    let refusal: unknown
    try {
      answer = await cache.get(fileUrl, changes)
      if (isEnough(answer.value)) return answer
    } catch (error) {
      if (!(error instanceof PromptHubError) || error.code !== 'not_found') throw error
      refusal = error
    }
    try {
      return await cache.get(`${this.url}/api/v1/${address}`, changes)
    } catch (error) {
      // A mirror has no API: what its file said, or that it is missing, is the answer.
      if (answer) return answer
      throw error instanceof PromptHubError && error.code === 'not_found' ? error : (refusal ?? error)
    }
  }

  async #getLocked({ lock, readFile }: LockInForce, name: string, wish: Wish | undefined): Promise<PromptFacts> {
    const locked = Object.hasOwn(lock.prompts, name) ? lock.prompts[name] : undefined
    if (!locked) throw new PromptHubError('not_locked', `${name} is not in prompts.lock. Add it: hubcli add ${name}`)
    requireLocked(name, wish, locked)
    const content = await this.#readVendored(name, locked, readFile)
    let record: VersionRecord | undefined
    let cause: unknown
    try {
      const answer = await this.#versions.get(
        `${this.url}/data/v1/repos/${name}/versions/${locked.version}.json`,
        false,
      )
      if (answer.value.content_sha256 !== locked.sha256)
        throw new PromptHubError('integrity', `${name}@${locked.version}: the hub has other bytes than prompts.lock.`)
      record = answer.value
      if (content === undefined) return { ...factsOf(record), source: answer.source, ageMs: 0, standing: undefined }
    } catch (error) {
      if (content === undefined || (error instanceof PromptHubError && error.code === 'integrity')) throw error
      cause = error
    }
    if (!record) this.#onEvent({ type: 'variables_unknown', name, cause })
    return {
      name,
      version: locked.version,
      content,
      sha256: locked.sha256,
      variables: record?.variables ?? findVariables(content),
      parameters: record?.parameters ?? {},
      source: 'lock',
      ageMs: 0,
      standing: undefined,
    }
  }

  /** @returns the text of a vendored file, checked once a process; undefined when there is no file */
  async #readVendored(
    name: string,
    { path, sha256 }: LockedPrompt,
    readFile: LockInForce['readFile'],
  ): Promise<string | undefined> {
    const known = this.#vendored.get(sha256)
    if (known !== undefined) return known
    const bytes = await readFile(path)
    if (!bytes) return undefined
    await requireDigest(bytes, sha256, `${path}, the vendored ${name}`)
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    this.#vendored.set(sha256, text)
    return text
  }

  /** Asks in the background what the owner says of a prompt; nobody waits for it, and its failure is nobody's. */
  #askStanding(name: string, version: string, isPinned: boolean): void {
    const asked: Promise<unknown>[] = [this.#repositories.get(`${this.url}/data/v1/repos/${name}.json`, true)]
    if (isPinned) asked.push(this.#lists.get(`${this.url}/data/v1/repos/${name}/versions.json`, true))
    Promise.all(asked)
      .then(() => {
        const standing = this.#standingOf(name, version)
        if (standing) this.#sayStanding(name, version, standing)
      })
      .catch(() => {
        // What was got is right either way; the next call asks again.
      })
  }

  #standingOf(name: string, version: string): Standing | undefined {
    const record = this.#repositories.peek(`${this.url}/data/v1/repos/${name}.json`)
    const rows = this.#lists.peek(`${this.url}/data/v1/repos/${name}/versions.json`)
    if (!record && !rows) return undefined
    const row = rows?.find((each) => each.version === version)
    return {
      deprecated: record && record.status !== 'active' ? (record.status_message ?? record.status) : null,
      yanked: row?.yanked ? (row.yank_reason ?? 'yanked') : null,
      advisories: record?.advisories?.filter(({ range }) => satisfies(version, range)) ?? [],
    }
  }

  #sayStanding(name: string, version: string, { deprecated, yanked, advisories }: Standing): void {
    if (deprecated !== null) this.#sayOnce({ type: 'deprecated', name, message: deprecated })
    if (yanked !== null) this.#sayOnce({ type: 'yanked', name, version, reason: yanked })
    for (const { severity, message } of advisories)
      this.#sayOnce({ type: 'advisory', name, version, severity, message })
  }

  #sayOnce(event: HubEvent): void {
    const key = JSON.stringify(event)
    if (this.#said.has(key) || this.#said.size >= 10_000) return
    this.#said.add(key)
    this.#onEvent(event)
  }
}

function activeOf(rows: readonly VersionRow[]): string[] {
  return rows.filter(({ yanked }) => !yanked).map(({ version }) => version)
}

/** Labels are other people's words: `constructor` is none unless somebody gave it. */
function labelled(labels: Record<string, string>, label: string): string | undefined {
  return Object.hasOwn(labels, label) ? labels[label] : undefined
}

function noLabel(name: string, label: string, labels: Record<string, string>): string {
  const names = Object.keys(labels)
  return `${name} has no label ${label}. ${names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`}`
}

function notThere(message: string): PromptHubError {
  return new PromptHubError('not_found', message)
}
