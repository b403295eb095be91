// Stores state in one SQLite file, for a hub on one machine. Several processes may open it at the same time.
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fchownSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Lifetime, type OpenStateStore, stateUnavailable } from '../../ports/state-store.ts'
import { openSqlState } from './state-sql.ts'

/** The format of the file, in SQLite's `user_version`. */
const FORMAT = 1
/** How long a call waits for another process that is writing. */
const MAX_WAIT_MS = 3_000
const RETRY_MS = 5
/** SQLITE_BUSY. https://www.sqlite.org/rescode.html */
const BUSY = 5

const TABLE = `
  CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL, version TEXT NOT NULL, expires_at INTEGER);
  CREATE INDEX state_expires_at ON state (expires_at) WHERE expires_at IS NOT NULL;
`

/** One key with its value. */
export interface StateEntry extends Lifetime {
  key: string
  value: string
}

/**
 * Opens the file, or creates it if it is missing.
 *
 * @param seed initial entries of a new file, written in the same transaction as its table; called only for a new file
 * @param now a clock in milliseconds since 1970
 * @throws Error if the file is not a database, or if a newer version of the hub wrote it
 */
export async function openSqliteState(
  path: string,
  now: () => number = Date.now,
  seed: () => Iterable<StateEntry> = () => [],
): Promise<OpenStateStore> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  createFile(path)
  // SQLite's own timeout is disabled, because it would block the thread that serves reads.
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    await untilFree(() => prepareFile(database, path, seed))
  } catch (error) {
    database.close()
    throw error
  }
  const statements = new Map<string, StatementSync>()
  const statementOf = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql.replaceAll('$', '?'))
    statements.set(sql, known)
    return known
  }
  const run: Parameters<typeof openSqlState>[0]['run'] = async (sql, values) => {
    try {
      return await untilFree(() => statementOf(sql).all(...values))
    } catch (error) {
      throw stateUnavailable(error)
    }
  }
  return {
    ...openSqlState({ table: 'state', toKey: (key) => key, run }, now),
    close: async () => database.close(),
  }
}

/** Creates the file if it is missing. SQLite creates its other files with the mode and the owner of this file. */
function createFile(path: string): void {
  const isNew = !existsSync(path)
  const file = openSync(path, 'a', 0o600)
  try {
    const { uid, gid } = statSync(dirname(path))
    // If root creates the file, for example with `npm run token`, the user who runs the hub must still be able to open it.
    if (isNew && process.geteuid?.() === 0) fchownSync(file, uid, gid)
  } finally {
    closeSync(file)
  }
}

/**
 * Checks that a hub of this version can use the file, without opening it for writing or creating SQLite's other files. It does not read changes that are still in `-wal`.
 *
 * @throws Error if the file is not a database, or if a newer version of the hub wrote it
 */
export function inspectSqliteState(path: string): void {
  const url = pathToFileURL(path)
  url.search = '?immutable=1'
  const database = new DatabaseSync(url, { readOnly: true })
  try {
    checkFormat(database, path)
  } finally {
    database.close()
  }
}

const readFormat = (database: DatabaseSync) => Number(database.prepare('PRAGMA user_version').get()?.user_version)

function checkFormat(database: DatabaseSync, path: string): void {
  if (readFormat(database) > FORMAT)
    throw new Error(`${path} was written by a newer version of the hub. Run that version, or restore a backup.`)
}

/** Deleted data is overwritten, because it may be personal. FULL, because an acknowledged write must survive a power loss: https://www.sqlite.org/pragma.html#pragma_synchronous */
function prepareFile(database: DatabaseSync, path: string, seed: () => Iterable<StateEntry>): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON')
  if (readFormat(database) === 0) {
    database.exec('BEGIN IMMEDIATE')
    try {
      // Another process may have created the table in the meantime.
      if (readFormat(database) === 0) {
        database.exec(`${TABLE} PRAGMA user_version = ${FORMAT}`)
        const insert = database.prepare('INSERT INTO state VALUES (?, ?, ?, ?)')
        for (const { key, value, expiresAt } of seed()) insert.run(key, value, randomUUID(), expiresAt ?? null)
      }
      database.exec('COMMIT')
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
  checkFormat(database, path)
}

/** Retries while another process has the file locked, without blocking this thread. */
async function untilFree<Value>(work: () => Value): Promise<Value> {
  for (const deadline = performance.now() + MAX_WAIT_MS; ; ) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await sleep(RETRY_MS * (1 + Math.random()))
  }
}

/** The low byte of an extended result code is the primary code. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY
}
