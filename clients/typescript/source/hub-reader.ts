// Reads prompts from a hub without a lock: resolves the requested version, chooses the URLs to read, and reports notices about the prompts in use.
import {
  type Answer,
  AnswerCache,
  type AnswerSource,
  type CacheSettings,
  type Call,
  readEither,
  runInBackground,
} from './cache.ts'
import { factsOf, type PromptFacts, slower } from './prompt.ts'
import { highestIn, isRange, satisfies, type Wish } from './ranges.ts'
import {
  type LabelledPrompt,
  type RepositoryRecord,
  readChanges,
  readLabelList,
  readRepositoryRecord,
  readVersionList,
  readVersionRecord,
  type VersionChange,
  type VersionRecord,
  type VersionRow,
} from './records.ts'
import { mapRequests } from './requests.ts'
import { chooseVersion, type LabelTarget } from './split.ts'
import { eventsOf, type HubEvent, standingOf } from './standing.ts'
import { PromptHubError } from './trouble.ts'

/** Maximum number of reported events that are remembered. Beyond that no more are reported, because any of them might be a repetition. */
const MAX_REPORTED = 10_000
/** Versions per page of the API's list. */
const VERSIONS_PER_PAGE = 100
/** A prompt has at most 1,000 versions. */
const MAX_PAGES = 10

/** The records that may contain notices about a version: the repository's has its status and advisories, the list says which versions were yanked. */
type NoticeSource = 'record' | 'list'

/** The prompts of a hub. */
export class HubReader {
  readonly #url: string
  readonly #onEvent: (event: HubEvent) => void
  readonly #call: Call
  readonly #versions: AnswerCache<VersionRecord>
  readonly #repositories: AnswerCache<RepositoryRecord>
  readonly #lists: AnswerCache<VersionRow[]>
  readonly #labels: AnswerCache<LabelledPrompt[]>
  readonly #changes: AnswerCache<VersionChange[]>
  readonly #reported = new Set<string>()

  /** @param url the hub's URL, without a trailing slash @param call what a caller accepts that does not say */
  constructor(url: string, settings: CacheSettings, call: Call, onEvent: (event: HubEvent) => void) {
    this.#url = url
    this.#call = call
    this.#onEvent = onEvent
    this.#versions = new AnswerCache(readVersionRecord, settings)
    this.#repositories = new AnswerCache(readRepositoryRecord, settings)
    this.#lists = new AnswerCache(readVersionList, settings)
    this.#labels = new AnswerCache(readLabelList, settings)
    this.#changes = new AnswerCache(readChanges, settings)
  }

  /**
   * Gets the requested version.
   *
   * @param name `owner/name`
   * @param wish the latest version when undefined
   * @param key who gets which version of a label
   * @throws PromptHubError `not_found` when there is no such prompt, version or label; `integrity` when the response does not match; or the error of the request
   */
  async get(name: string, wish: Wish | undefined, call: Call, key?: string): Promise<PromptFacts> {
    if (wish?.kind === 'version') return this.#readVersion(name, wish.version, undefined, ['record', 'list'], call)
    if (wish?.kind === 'range') {
      const list = await this.#readRows(name, (rows) => highestIn(activeOf(rows), wish.range) !== undefined, call)
      const version = highestIn(activeOf(list.value), wish.range)
      if (version === undefined) throw notFound(explainNone(name, wish.range, {}, list.value))
      return this.#readVersion(name, version, list, ['record'], call)
    }
    const record = await this.#readEither(
      this.#repositories,
      `repos/${name}`,
      true,
      call,
      // The API knows where a prompt is that was renamed, and redirects there.
      ({ labels, moved_to }) => !moved_to && (wish === undefined || labelled(labels, wish.label) !== undefined),
    )
    const { full_name, labels, latest, latest_version } = record.value
    // If the file says nothing of a move, a record with another name is not that of this prompt.
    const file = this.#repositories.peek(this.#fileUrl(`repos/${name}`))
    const now = record.value !== file && (!file || file.moved_to) ? full_name : name
    const unread = now === name ? [] : (['record'] as const)
    const target = wish && labelled(labels, wish.label)
    const version = wish ? target && (await chooseVersion(target, key)) : latest_version
    if (now !== name) this.#report(name, '', { deprecated: `moved to ${now}`, yanked: null, advisories: [] })
    // The record contains the full latest version, so the most common call takes one request.
    if (!wish && latest) return this.#factsFrom(now, latest, record, unread, call)
    if (!version) throw notFound(explainNone(now, wish?.label ?? '*', labels, []))
    const facts = await this.#readVersion(now, version, record, unread, call)
    return wish ? { ...facts, label: wish.label } : facts
  }

  /** Gets the prompts of an owner at a label, by name. @throws PromptHubError like `get` */
  async getAll(owner: string, label: string, call: Call = this.#call): Promise<PromptFacts[]> {
    const list = await this.#readEither(this.#labels, `users/${owner}/labels/${label}`, true, call)
    const read = async ({ full_name, version, content_sha256 }: LabelledPrompt) => {
      const facts = await this.#readVersion(full_name, version, list, ['record'], call)
      if (facts.sha256 === content_sha256) return { ...facts, label }
      const what = `${full_name}@${version}`
      throw new PromptHubError('integrity', `${what} has other bytes than the list of ${label} says.`)
    }
    return mapRequests(list.value, read)
  }

  /** The versions of a prompt, highest first, including yanked ones, which are marked. @throws PromptHubError the error of the request */
  async listVersions(name: string, call: Call = this.#call): Promise<readonly VersionRow[]> {
    return (await this.#readRows(name, () => true, call)).value
  }

  /**
   * The record of a prompt and its list of versions.
   *
   * @param version if the static files lack it, the API is asked, which also has what was published since the last build
   * @throws PromptHubError the error of the request
   */
  async readState(
    name: string,
    version: string,
    call: Call = this.#call,
  ): Promise<{ record: RepositoryRecord; rows: readonly VersionRow[] }> {
    const [record, rows] = await Promise.all([
      this.#readEither(this.#repositories, `repos/${name}`, true, call),
      this.#readRows(name, (rows) => rows.some((row) => row.version === version), call),
    ])
    return { record: record.value, rows: rows.value }
  }

  /** What the versions of a prompt change for callers, the newest first; empty if the hub does not say, because this is only advice. */
  async readChanges(name: string, call: Call = this.#call): Promise<readonly VersionChange[]> {
    try {
      return (await this.#changes.get(this.#fileUrl(`repos/${name}/changes`), true, call)).value
    } catch (error) {
      if (error instanceof PromptHubError) return []
      throw error
    }
  }

  /** The versions that a version includes. @throws PromptHubError the error of the request */
  async readIncluded(name: string, version: string, call: Call = this.#call): Promise<string[]> {
    return (await this.#readEither(this.#versions, `repos/${name}/versions/${version}`, false, call)).value.included
  }

  /**
   * @param found where the version's number was read; undefined when the caller gave it, because then it cannot change
   * @param unread the records that may contain notices and were not read for this call
   */
  async #readVersion(
    name: string,
    version: string,
    found: { source: AnswerSource; ageMs: number } | undefined,
    unread: readonly NoticeSource[],
    call: Call,
  ): Promise<PromptFacts> {
    const answer = await this.#readEither(this.#versions, `repos/${name}/versions/${version}`, false, call)
    if (answer.value.version !== version)
      throw new PromptHubError('integrity', `${name}@${version}: the hub returned ${answer.value.version}.`)
    const source = found ? slower(found.source, answer.source) : answer.source
    return this.#factsFrom(name, answer.value, { source, ageMs: found?.ageMs ?? 0 }, unread, call)
  }

  #factsFrom(
    name: string,
    record: VersionRecord,
    { source, ageMs }: { source: AnswerSource; ageMs: number },
    unread: readonly NoticeSource[],
    call: Call,
  ): PromptFacts {
    if (record.full_name !== name)
      throw new PromptHubError('integrity', `${name}: the hub returned ${record.full_name}.`)
    this.#watch(name, record.version, unread, call)
    return { ...factsOf(record), label: null, source, ageMs, standing: this.#standingOf(name, record.version) }
  }

  /** Reports the notices about a version once the unread records have arrived. Does not wait for them, and reports nothing if they are unavailable. */
  #watch(name: string, version: string, unread: readonly NoticeSource[], call: Call): void {
    if (unread.length === 0) {
      this.#report(name, version)
      return
    }
    // The prompt has been returned, so a hub that has just failed is not asked.
    const later = { ...call, endsAt: Number.POSITIVE_INFINITY, hasFallback: true }
    const reads: Promise<unknown>[] = unread.map((each) =>
      each === 'record'
        ? this.#repositories.get(this.#fileUrl(`repos/${name}`), true, later)
        : this.#lists.get(this.#fileUrl(`repos/${name}/versions`), true, later),
    )
    runInBackground(
      Promise.all(reads).then(() => this.#report(name, version)),
      call,
    )
  }

  /** Reports each notice about a version once. */
  #report(name: string, version: string, standing = this.#standingOf(name, version)): void {
    for (const event of eventsOf(name, version, standing)) {
      const key = JSON.stringify(event)
      if (this.#reported.has(key) || this.#reported.size >= MAX_REPORTED) continue
      this.#reported.add(key)
      this.#onEvent(event)
    }
  }

  #standingOf(name: string, version: string) {
    const record = this.#repositories.peek(this.#fileUrl(`repos/${name}`))
    return standingOf(version, record, this.#lists.peek(this.#fileUrl(`repos/${name}/versions`)))
  }

  #fileUrl(path: string): string {
    return `${this.#url}/data/v1/${path}.json`
  }

  /** Reads the list of versions: the static file has all, the API has pages, which are read until they are enough. */
  #readRows(name: string, isEnough: (rows: VersionRow[]) => boolean, call: Call): Promise<Answer<VersionRow[]>> {
    const get = async (place: string): Promise<Answer<VersionRow[]>> => {
      const first = await this.#lists.get(this.#url + place, true, call)
      if (!place.startsWith('/api/')) return first
      let [rows, page] = [first.value, 1]
      while (rows.length === page * VERSIONS_PER_PAGE && page < MAX_PAGES && !isEnough(rows)) {
        page++
        rows = [...rows, ...(await this.#lists.get(`${this.#url}${place}?page=${page}`, true, call)).value]
      }
      return { ...first, value: rows }
    }
    return readEither(get, `repos/${name}/versions`, ({ value }) => isEnough(value))
  }

  /** Reads the static file or, if it is missing or insufficient, asks the API. @param changes whether the response can change */
  async #readEither<Value>(
    cache: AnswerCache<Value>,
    path: string,
    changes: boolean,
    call: Call,
    isEnough: (value: Value) => boolean = () => true,
  ): Promise<Answer<Value>> {
    return readEither(
      (place) => cache.get(this.#url + place, changes, call),
      path,
      ({ value }) => isEnough(value),
    )
  }
}

/** The versions that were not yanked. */
export function activeOf(rows: readonly VersionRow[]): string[] {
  return rows.filter(({ yanked }) => !yanked).map(({ version }) => version)
}

/** The target of a label. Only an own property is a label: every object inherits `constructor`, which may be requested like any other name. */
export function labelled(labels: Record<string, LabelTarget>, label: string): LabelTarget | undefined {
  return Object.hasOwn(labels, label) ? labels[label] : undefined
}

/** Explains why a range or a label selects no version. */
export function explainNone(
  name: string,
  written: string,
  labels: Record<string, unknown>,
  rows: readonly VersionRow[],
): string {
  if (!isRange(written)) {
    const names = Object.keys(labels).sort().slice(0, 20)
    return `${name} has no label ${written}${names.length > 0 ? `; it has: ${names.join(', ')}` : ' and no other'}`
  }
  const active = activeOf(rows)
  if (active.length === 0 && written === '*') return `${name} has no version that is not yanked`
  const more = active.length > 10 ? ', ...' : ''
  const there =
    active.length > 0 ? `it has: ${active.slice(0, 10).join(', ')}${more}` : 'it has none that is not yanked'
  const yanked = rows.find((row) => row.yanked && satisfies(row.version, written))
  if (!yanked || written === '*') return `${name} has no version that ${written} allows; ${there}`
  return `${name} ${yanked.version} was yanked${yanked.yank_reason ? `: ${yanked.yank_reason}` : ''}; ${there}`
}

function notFound(message: string): PromptHubError {
  return new PromptHubError('not_found', message)
}
