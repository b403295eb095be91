// Notices about a prompt (deprecated, yanked, advisories): fetched in the background, and reported to the program once.
import type { AnswerCache } from './cache.ts'
import type { Standing } from './prompt.ts'
import { satisfies } from './ranges.ts'
import type { RepositoryRecord, VersionRow } from './records.ts'

/**
 * Something that a program may want to log: - `stale`: an older response was used; `cause` is why the hub could not be reached, or undefined while it is being asked. - `fallback`: the hub could not be reached, so the caller's fallback text was used. - `deprecated`, `yanked`, `advisory`: a current notice; each is reported once. - `variables_unknown`: the record of a vendored prompt was unavailable, so its variables are the placeholders in its text.
 */
export type HubEvent =
  | { type: 'stale'; url: string; ageMs: number; cause: unknown }
  | { type: 'fallback'; name: string; cause: unknown }
  | { type: 'deprecated'; name: string; message: string }
  | { type: 'yanked'; name: string; version: string; reason: string }
  | { type: 'advisory'; name: string; version: string; severity: string; message: string }
  | { type: 'variables_unknown'; name: string; cause: unknown }

/** Maximum number of reported events that are remembered. Beyond that no more are reported, because any of them might be a repetition. */
const MAX_WARNED = 10_000

/** Derives notices from the cached records, and reports those about the prompts in use. */
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

  /** Reports notices about a version once the unread records have arrived. Does not wait for them, and reports nothing if they are unavailable. */
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
        // The prompt was returned anyway, and the next call tries again.
      },
    )
  }

  /** The notices about a version. @returns undefined while no record of its prompt is cached */
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
