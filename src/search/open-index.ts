// Opens search.db read-only: finds prompts, and completes owners and names. write-index.ts writes it.
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { HubError } from '../domain/api/errors.ts'
import { neighboursOf, skeletonOf } from '../domain/search/near-names.ts'
import type { RepositoryPlace } from '../domain/values/names.ts'
import { openFinder } from './find.ts'
import type { Completions, Search } from './search.ts'
import { INDEX_SHAPE } from './write-index.ts'

/** Maximum number of completions that are counted; clients show a hundred. */
const MAX_COUNTED = 1_000
/** Maximum number of prompts with a name, and with names near it, that are compared: those that stand first in `top`. */
const MAX_NEAR = 500
/** Size of the page cache, which is large enough for the index of 10,000 prompts. A median query takes a fifth less time than with SQLite's default of 2 MB. */
const CACHE_KIB = 32_768

/**
 * Opens an index for queries.
 *
 * @param isEdited whether it is edited meanwhile: then, each query sees its newest state
 * @throws HubError `unavailable` if the file is missing or invalid
 */
export function openSearchIndex(path: string, { isEdited } = { isEdited: false }): Search & { close(): void } {
  const database = orUnavailable(() => {
    const address = pathToFileURL(path)
    // An index that is never edited is opened without locks. https://www.sqlite.org/uri.html#uriimmutable
    if (!isEdited) address.searchParams.set('immutable', '1')
    const opened = new DatabaseSync(address, { readOnly: true })
    opened.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
    const shape = opened.prepare(`SELECT value FROM state WHERE key = 'shape'`).get()?.value
    if (shape !== INDEX_SHAPE) throw new Error(`expected an index with format ${INDEX_SHAPE}, got ${shape}`)
    return opened
  })
  let find: ReturnType<typeof openFinder> | undefined
  let edition: unknown
  const readEdition = database.prepare(`SELECT value FROM state WHERE key = 'edition'`)
  /** Runs a query on one state of the index. */
  const query = <Value>(work: () => Value): Value =>
    orUnavailable(() => {
      if (!isEdited) return work()
      database.exec('BEGIN')
      try {
        const now = readEdition.get()?.value
        if (now !== edition) find = undefined
        edition = now
        return work()
      } finally {
        database.exec('ROLLBACK')
      }
    })
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
  const findNear = (name: string): RepositoryPlace[] => {
    const [order, select] = [`ORDER BY id LIMIT ${MAX_NEAR}`, 'SELECT id, owner, name FROM prompts WHERE']
    const rows = [
      ...database.prepare(`${select} name = ? ${order}`).all(name),
      ...database.prepare(`${select} skeleton = ? AND name <> ? ${order}`).all(skeletonOf(name), name),
      ...database
        .prepare(`${select} name IN (SELECT value FROM json_each(?)) ${order}`)
        .all(JSON.stringify(neighboursOf(name))),
    ]
    return [...new Map(rows.map((row) => [row.id, row])).values()]
      .sort((a, b) => Number(a.id) - Number(b.id))
      .map(({ owner, name }) => ({ owner: String(owner), name: String(name) }))
  }
  return {
    findNear: async (name) => query(() => findNear(name)),
    find: async (question) =>
      query(() => {
        find ??= openFinder(database)
        return find(question)
      }),
    listMenu: async () =>
      query(() => JSON.parse(String(database.prepare(`SELECT value FROM state WHERE key = 'menu'`).get()?.value))),
    completeOwner: async (prefix, limit) => query(() => complete('owner', prefix, null, limit)),
    completeName: async (prefix, owner, limit) => query(() => complete('name', prefix, owner ?? null, limit)),
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
