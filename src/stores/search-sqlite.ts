// Opens search.db read-only, and completes names. Writing it stands in search-index.ts, answering questions in search-find.ts.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { HubError } from '../domain/api/errors.ts'
import type { Completions, MenuEntry, Search } from '../ports/search.ts'
import { openFinder } from './search-find.ts'
import { INDEX_SHAPE } from './search-index.ts'

/** So many completions are counted; clients show a hundred. */
const MOST_COUNTED = 1_000

/**
 * Opens an index for asking.
 *
 * @throws HubError `unavailable` when the file is missing or is none
 */
export function openSearchIndex(path: string): Search & { close(): void } {
  const database = orUnavailable(() => {
    const address = pathToFileURL(path)
    // An index is replaced and never edited in place, so it is opened without locks, which would cost more than reading. https://www.sqlite.org/uri.html#uriimmutable
    address.searchParams.set('immutable', '1')
    const opened = new DatabaseSync(address, { readOnly: true })
    const shape = opened.prepare(`SELECT value FROM state WHERE key = 'shape'`).get()?.value
    if (shape !== INDEX_SHAPE) throw new Error(`expected an index of shape ${INDEX_SHAPE}, got ${shape}`)
    return opened
  })
  let find: ReturnType<typeof openFinder> | undefined
  return {
    find: async (question) =>
      orUnavailable(() => {
        find ??= openFinder(database)
        return find(question)
      }),
    listMenu: async () =>
      orUnavailable(() =>
        database
          .prepare('SELECT entry FROM menu ORDER BY id')
          .all()
          .map(({ entry }): MenuEntry => JSON.parse(String(entry))),
      ),
    completeOwner: async (prefix, limit) =>
      orUnavailable(() => {
        const next = database.prepare('SELECT min(owner) AS value FROM prompts WHERE owner >= ? AND owner < ?')
        return complete(prefix, limit, (from, end) => next.get(from, end))
      }),
    completeName: async (prefix, owner, limit) =>
      orUnavailable(() => {
        if (owner === undefined) {
          const next = database.prepare('SELECT min(name) AS value FROM prompts WHERE name >= ? AND name < ?')
          return complete(prefix, limit, (from, end) => next.get(from, end))
        }
        const next = database.prepare(
          'SELECT min(name) AS value FROM prompts WHERE owner = ? AND name >= ? AND name < ?',
        )
        return complete(prefix, limit, (from, end) => next.get(owner, from, end))
      }),
    close: () => database.close(),
  }
}

function orUnavailable<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    throw new HubError('unavailable', 'The search cannot be read just now. Try again in a few seconds.', {
      cause,
      retryAfterSeconds: 5,
    })
  }
}

/** Steps from one value to the next that differs: however many prompts share one, each step is one look-up. */
function complete(
  prefix: string,
  limit: number,
  next: (from: string, end: string) => ReturnType<StatementSync['get']>,
): Completions {
  // Names hold letters, digits and hyphens, which all come before `{`.
  const end = `${prefix}{`
  const values: string[] = []
  let value = next(prefix, end)?.value
  while (typeof value === 'string' && values.length < MOST_COUNTED) {
    values.push(value)
    // The lowest text above a value is the value with the lowest character behind it.
    value = next(`${value}\0`, end)?.value
  }
  return { values: values.slice(0, limit), total: values.length }
}
