// Owns what a prompt's owner says of it now (deprecated, yanked, advisories): asked in the background, and told to the program once.
import type { AnswerCache } from './cache.ts'
import type { Standing } from './prompt.ts'
import { satisfies } from './ranges.ts'
import type { RepositoryRecord, VersionRow } from './records.ts'

/**
 * Something that a program may want to log:
 * - `stale`: an answer from before was used; `cause` is why the hub could not be asked, or undefined while it is being asked.
 * - `fallback`: the hub could not be reached, so the text that the caller gave was used.
 * - `deprecated`, `yanked`, `advisory`: what the prompt's owner or a maintainer says of it now; each is told once.
 * - `variables_unknown`: the record of a vendored prompt could not be had, so its variables are those that its text shows.
 */
export type HubEvent =
  | { type: 'stale'; url: string; ageMs: number; cause: unknown }
  | { type: 'fallback'; name: string; cause: unknown }
  | { type: 'deprecated'; name: string; message: string }
  | { type: 'yanked'; name: string; version: string; reason: string }
  | { type: 'advisory'; name: string; version: string; severity: string; message: string }
  | { type: 'variables_unknown'; name: string; cause: unknown }

/** So many events are remembered as told. Beyond that no more are told, for any of them might have been told before. */
const MAX_WARNED = 10_000

/** Knows the standing of prompts from the records that the cache holds, and tells the program what is wrong with those that it uses. */
export class StandingWatch {
  readonly #url: string
  readonly #repositories: AnswerCache<RepositoryRecord>
  readonly #lists: AnswerCache<VersionRow[]>
  readonly #onEvent: (event: HubEvent) => void
  readonly #said = new Set<string>()

  constructor(
    url: string,
    repositories: AnswerCache<RepositoryRecord>,
    lists: AnswerCache<VersionRow[]>,
    onEvent: (event: HubEvent) => void,
  ) {
    this.#url = url
    this.#repositories = repositories
    this.#lists = lists
    this.#onEvent = onEvent
  }

  /** Tells what is wrong with a version, once the records that the caller has not read are there. It does not wait for them, and when they cannot be had nothing is told. */
  ask(name: string, version: string, unasked: readonly ('record' | 'list')[]): void {
    if (unasked.length === 0) {
      this.#say(name, version)
      return
    }
    const asked: Promise<unknown>[] = unasked.map((each) =>
      each === 'record'
        ? this.#repositories.get(this.#recordUrl(name), true)
        : this.#lists.get(this.#listUrl(name), true),
    )
    Promise.all(asked).then(
      () => this.#say(name, version),
      () => {
        // The prompt was got all the same, and the next call asks again.
      },
    )
  }

  /** The standing of a version. @returns undefined while no record of its prompt is held */
  of(name: string, version: string): Standing | undefined {
    const record = this.#repositories.peek(this.#recordUrl(name))
    const rows = this.#lists.peek(this.#listUrl(name))
    if (!record && !rows) return undefined
    const row = rows?.find((each) => each.version === version)
    return {
      deprecated: record && record.status !== 'active' ? (record.status_message ?? record.status) : null,
      yanked: row?.yanked ? (row.yank_reason ?? 'yanked') : null,
      advisories: record?.advisories?.filter(({ range }) => satisfies(version, range)) ?? [],
    }
  }

  #recordUrl(name: string): string {
    return `${this.#url}/data/v1/repos/${name}.json`
  }

  #listUrl(name: string): string {
    return `${this.#url}/data/v1/repos/${name}/versions.json`
  }

  #say(name: string, version: string): void {
    const standing = this.of(name, version)
    if (!standing) return
    const { deprecated, yanked, advisories } = standing
    if (deprecated !== null) this.#sayOnce({ type: 'deprecated', name, message: deprecated })
    if (yanked !== null) this.#sayOnce({ type: 'yanked', name, version, reason: yanked })
    for (const { severity, message } of advisories)
      this.#sayOnce({ type: 'advisory', name, version, severity, message })
  }

  #sayOnce(event: HubEvent): void {
    const key = JSON.stringify(event)
    if (this.#said.has(key) || this.#said.size >= MAX_WARNED) return
    this.#said.add(key)
    this.#onEvent(event)
  }
}
