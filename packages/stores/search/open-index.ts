// Opens search.db read-only: finds prompts, and completes owners and names. write-index.ts writes it.
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { HubError } from '../../../src/domain/api/errors.ts'
import type { Completions, Search } from '../../../src/ports/search.ts'
import { openFinder } from './find.ts'
import { INDEX_SHAPE } from './write-index.ts'

/** Maximum number of completions that are counted; clients show a hundred. */
const MAX_COUNTED = 1_000
/** Size of the page cache, which is large enough for the index of 10,000 prompts. A median query takes a fifth less time than with SQLite's default of 2 MB. */
const CACHE_KIB = 32_768

/**
 * Opens an index for queries.
 *
 * @throws HubError `unavailable` if the file is missing or invalid
 */
export function openSearchIndex(path: string): Search & { close(): void } {
  const database = orUnavailable(() => {
    const address = pathToFileURL(path)
    // An index is replaced and never edited in place, so it is opened without locks, which would cost more than reading. https://www.sqlite.org/uri.html#uriimmutable
    address.searchParams.set('immutable', '1')
    const opened = new DatabaseSync(address, { readOnly: true })
    opened.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
    const shape = opened.prepare(`SELECT value FROM state WHERE key = 'shape'`).get()?.value
    if (shape !== INDEX_SHAPE) throw new Error(`expected an index with format ${INDEX_SHAPE}, got ${shape}`)
    return opened
  })
  let find: ReturnType<typeof openFinder> | undefined
  const complete = (column: 'owner' | 'name', prefix: string, owner: string | null, limit: number): Completions => {
    // Names contain letters, digits and hyphens, which all sort before `{`.
    const rows = database
      .prepare(
        `SELECT DISTINCT ${column} AS value FROM prompts WHERE ${column} >= ?1 AND ${column} < ?1 || '{'
          AND (?2 IS NULL OR owner = ?2) ORDER BY value LIMIT ${MAX_COUNTED}`,
      )
      .all(prefix, owner)
    return { values: rows.slice(0, limit).map(({ value }) => String(value)), total: rows.length }
  }
  return {
    find: async (question) =>
      orUnavailable(() => {
        find ??= openFinder(database)
        return find(question)
      }),
    listMenu: async () =>
      orUnavailable(() =>
        JSON.parse(String(database.prepare(`SELECT value FROM state WHERE key = 'menu'`).get()?.value)),
      ),
    completeOwner: async (prefix, limit) => orUnavailable(() => complete('owner', prefix, null, limit)),
    completeName: async (prefix, owner, limit) => orUnavailable(() => complete('name', prefix, owner ?? null, limit)),
    close: () => database.close(),
  }
}

function orUnavailable<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    const message = 'Search is not available right now. Try again in a few seconds.'
    throw new HubError('unavailable', message, { cause, retryAfterSeconds: 5 })
  }
}
