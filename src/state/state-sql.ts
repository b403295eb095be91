// Stores state in a table of a SQL database. The drivers for SQLite and PostgreSQL open the database and run the statements.
import { randomUUID } from 'node:crypto'
import { checkEntry } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

const PAGE_KEYS = 1_000

/** A database with a table that has the columns `key`, `value`, `version` and `expires_at`. */
interface SqlDatabase {
  table: string
  /** Converts a key to its type in the table, which must sort by bytes. */
  toKey: (key: string) => string | Uint8Array
  /** Runs a statement atomically. @param values for `$1`, `$2`, … @throws HubError `unavailable` */
  run: (sql: string, values: (string | number | Uint8Array | null)[]) => Promise<Record<string, unknown>[]>
}

/** Returns the store on a database; uses only SQL that SQLite, PostgreSQL, CockroachDB and YugabyteDB support. @param now a clock in milliseconds since 1970 */
export function openSqlState({ table, toKey, run }: SqlDatabase, now: () => number): StateStore {
  const upsert = `INSERT INTO ${table} (key, value, version, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at`
  return {
    async get(key) {
      checkEntry(key)
      const sql = `SELECT value, version FROM ${table} WHERE key = $1 AND (expires_at IS NULL OR expires_at > $2)`
      const [row] = await run(sql, [toKey(key), now()])
      return row && { value: String(row.value), version: String(row.version) }
    },
    async set(key, value, { expiresAt = null } = {}) {
      checkEntry(key, value)
      await run(upsert, [toKey(key), value, randomUUID(), expiresAt])
    },
    async add(key, value, { expiresAt = null } = {}) {
      checkEntry(key, value)
      const sql = `${upsert} WHERE ${table}.expires_at <= $5 RETURNING key`
      return (await run(sql, [toKey(key), value, randomUUID(), expiresAt, now()])).length > 0
    },
    async replace(key, value, version, { expiresAt = null } = {}) {
      checkEntry(key, value)
      const sql = `UPDATE ${table} SET value = $2, version = $3, expires_at = $4
        WHERE key = $1 AND version = $5 AND (expires_at IS NULL OR expires_at > $6) RETURNING key`
      return (await run(sql, [toKey(key), value, randomUUID(), expiresAt, version, now()])).length > 0
    },
    async delete(key) {
      checkEntry(key)
      await run(`DELETE FROM ${table} WHERE key = $1`, [toKey(key)])
    },
    async list(prefix, after = '') {
      const sql = `SELECT key FROM ${table} WHERE key >= $1 AND key > $2 AND key < $3 ORDER BY key LIMIT ${PAGE_KEYS}`
      // Every character of a key is below DEL.
      const rows = await run(sql, [prefix, after, `${prefix}\x7f`].map(toKey))
      const keys = rows.map(({ key }) => String(key))
      return { keys, next: keys.length === PAGE_KEYS ? keys.at(-1) : undefined }
    },
    removeExpired: async () => (await run(`DELETE FROM ${table} WHERE expires_at <= $1 RETURNING key`, [now()])).length,
  }
}
