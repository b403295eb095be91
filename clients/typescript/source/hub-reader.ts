// Reads prompts from a hub without a lock: resolves the requested version, and chooses the addresses to read.
import { type Answer, AnswerCache, type AnswerSource, type CacheSettings } from './cache.ts'
import { factsOf, type PromptFacts, slower } from './prompt.ts'
import { highestIn, type Wish } from './ranges.ts'
import {
  latestOf,
  type RepositoryRecord,
  readRepositoryRecord,
  readVersionList,
  type VersionRecord,
  type VersionRow,
} from './records.ts'
import { type HubEvent, StandingWatch } from './standing.ts'
import { PromptHubError } from './trouble.ts'
import { requireRecord } from './verify.ts'

/** The prompts of a hub. */
export class HubReader {
  readonly #url: string
  readonly #versions: AnswerCache<VersionRecord>
  readonly #repositories: AnswerCache<RepositoryRecord>
  readonly #lists: AnswerCache<VersionRow[]>
  readonly #standing: StandingWatch

  /**
   * @param url the hub's address, without a final slash
   * @param readVersion reads and verifies a version's record
   */
  constructor(
    url: string,
    readVersion: (text: string, url: string) => Promise<VersionRecord>,
    settings: CacheSettings,
    onEvent: (event: HubEvent) => void,
  ) {
    this.#url = url
    this.#versions = new AnswerCache(readVersion, settings)
    this.#repositories = new AnswerCache(async (text, address) => {
      const record = readRepositoryRecord(text, address)
      const latest = latestOf(record)
      if (latest) await requireRecord(latest)
      return record
    }, settings)
    this.#lists = new AnswerCache(readVersionList, settings)
    this.#standing = new StandingWatch(url, this.#repositories, this.#lists, onEvent)
  }

  /**
   * Gets the requested version.
   *
   * @param name `owner/name`
   * @param wish the latest version when undefined
   * @throws PromptHubError `not_found` when there is no such prompt, version or label; `integrity` when the response does not match; or the error of the request
   */
  async get(name: string, wish: Wish | undefined): Promise<PromptFacts> {
    if (wish?.kind === 'version') return this.#readVersion(name, wish.version, undefined, ['record', 'list'])
    if (wish?.kind === 'range') {
      const list = await this.#readEither(
        this.#lists,
        `repos/${name}/versions.json`,
        `repos/${name}/versions`,
        (rows) => highestIn(activeOf(rows), wish.range) !== undefined,
      )
      const version = highestIn(activeOf(list.value), wish.range)
      if (version === undefined) throw notThere(`${name} has no active version in ${wish.range}.`)
      return this.#readVersion(name, version, list, ['record'])
    }
    const record = await this.#readEither(
      this.#repositories,
      `repos/${name}.json`,
      `repos/${name}`,
      ({ labels }) => wish === undefined || labelled(labels, wish.label) !== undefined,
    )
    const { labels, latest_version } = record.value
    // The record contains the full latest version, so the most common call takes one request.
    const latest = wish ? undefined : latestOf(record.value)
    if (latest) return this.#factsFrom(name, latest, record, [])
    const version = wish ? labelled(labels, wish.label) : latest_version
    if (!version) throw notThere(wish ? noLabel(name, wish.label, labels) : `${name} has no active version.`)
    return this.#readVersion(name, version, record, [])
  }

  /** The versions of a prompt, highest first, including yanked ones, which are marked. @throws PromptHubError the error of the request */
  async listVersions(name: string): Promise<readonly VersionRow[]> {
    return (await this.#readEither(this.#lists, `repos/${name}/versions.json`, `repos/${name}/versions`, () => true))
      .value
  }

  /**
   * @param found where the version's number was read; undefined when the caller gave it, because then it cannot change
   * @param unasked the unread records that may contain notices about the version: whether it was yanked, or an advisory
   */
  async #readVersion(
    name: string,
    version: string,
    found: { source: AnswerSource; ageMs: number } | undefined,
    unasked: readonly ('record' | 'list')[],
  ): Promise<PromptFacts> {
    const answer = await this.#readEither(
      this.#versions,
      `repos/${name}/versions/${version}.json`,
      `repos/${name}/versions/${version}`,
      () => true,
      false,
    )
    if (answer.value.version !== version)
      throw new PromptHubError('integrity', `${name}@${version}: the hub answered ${answer.value.version}.`)
    const source = found ? slower(found.source, answer.source) : answer.source
    return this.#factsFrom(name, answer.value, { source, ageMs: found?.ageMs ?? 0 }, unasked)
  }

  #factsFrom(
    name: string,
    record: VersionRecord,
    { source, ageMs }: { source: AnswerSource; ageMs: number },
    unasked: readonly ('record' | 'list')[],
  ): PromptFacts {
    if (record.full_name !== name)
      throw new PromptHubError('integrity', `${name}: the hub answered with ${record.full_name}.`)
    this.#standing.ask(name, record.version, unasked)
    return { ...factsOf(record), source, ageMs, standing: this.#standing.of(name, record.version) }
  }

  /**
   * Reads the static file first, because every mirror has it and it has no rate limit. If the file is missing or insufficient, the API is asked: it also knows publishes since the last build.
   *
   * @param isEnough whether the file is sufficient
   * @param changes whether the response can change
   */
  async #readEither<Value>(
    cache: AnswerCache<Value>,
    file: string,
    address: string,
    isEnough: (value: Value) => boolean,
    changes = true,
  ): Promise<Answer<Value>> {
    let answer: Answer<Value> | undefined
    let refusal: unknown
    try {
      answer = await cache.get(`${this.#url}/data/v1/${file}`, changes)
      if (isEnough(answer.value)) return answer
    } catch (error) {
      if (!(error instanceof PromptHubError) || error.code !== 'not_found') throw error
      refusal = error
    }
    try {
      return await cache.get(`${this.#url}/api/v1/${address}`, changes)
    } catch (error) {
      // A mirror has no API, so there the file, or its absence, is the answer.
      if (answer) return answer
      throw error instanceof PromptHubError && error.code === 'not_found' ? error : (refusal ?? error)
    }
  }
}

function activeOf(rows: readonly VersionRow[]): string[] {
  return rows.filter(({ yanked }) => !yanked).map(({ version }) => version)
}

/** Only an own property is a label: every object inherits `constructor`, which may be requested like any other name. */
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
