// Stores state in a table of a SQL database: of one SQLite file, for a hub on one machine. Several processes may open it at the same time. state-postgres.ts has the table in PostgreSQL.
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fchownSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { shareRunning } from '../concurrency/promises.ts'
import { logProblem } from '../log.ts'
import { BUSY, codeOf, explainSqlite, isDamage, isMissingTable } from './sqlite-errors.ts'
import { checkEntry, checkStore, type OpenStateStore, StateProblem, stateUnavailable } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** The format of the file, in SQLite's `user_version`. */
const FORMAT = 1
/** How long a call waits for another process that is writing. */
const MAX_WAIT_MS = 3_000
const RETRY_MS = 5
const AFTER_LOSS =
  'Restore it from a backup: stop the hub, put the file back, and start the hub again. Without a backup, users sign in again and create new tokens.'

const TABLE = `
  CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL, version TEXT NOT NULL, expires_at INTEGER);
  CREATE INDEX state_expires_at ON state (expires_at) WHERE expires_at IS NOT NULL;
`

/** A statement that writes. */
export interface StateWrite {
  path: string
  /** The file that the hub has open. */
  identity: string | undefined
  sql: string
  values: (string | number | Uint8Array | null)[]
}

/** The rows that a write returned, or the error of SQLite: a clone of an error loses its code. */
export type Written =
  | { rows: Record<string, unknown>[]; failure?: never }
  | { rows?: never; failure: { message: string; errcode?: number } }

/** A thread that writes, one statement at a time. */
export interface StateWriter {
  /** Runs a function of `openWrites` there: `write` returns `Written`, and `close` closes the file, which the next write opens again. */
  run(write: StateWrite | undefined, options: { name: 'write' | 'close' }): Promise<unknown>
  /** Ends the thread. */
  close(): void
}

/** Deleted data is overwritten, because it may be personal. FULL, because an acknowledged write must survive a power loss: https://www.sqlite.org/pragma.html#pragma_synchronous */
export const WRITE_SETTINGS = 'PRAGMA synchronous = FULL; PRAGMA secure_delete = ON'

/** An open file. */
export interface OpenFile {
  database: DatabaseSync
  statements: Map<string, StatementSync>
  /** Identifies the file at the path when it was opened; another program may replace or delete it. */
  identity: string | undefined
  /** Identifies SQLite's log next to it. */
  logIdentity: string | undefined
}

/**
 * Opens the file, or creates it if it is missing. If it is deleted, replaced, or loses its table later, the next call opens it again.
 *
 * @param now a clock in milliseconds since 1970
 * @param writer carries out the writes; without one, they block this thread until they are on the disk
 * @throws Error if the file is not a database, or if a newer version of the hub wrote it
 */
export async function openSqliteState(
  path: string,
  now: () => number = Date.now,
  writer?: StateWriter,
): Promise<OpenStateStore> {
  const share = shareRunning<OpenFile>()
  let file: OpenFile | undefined
  let closing: Promise<unknown> = Promise.resolve()
  /** The writer closes the file first, because what closes it last removes its log. */
  const close = async () => {
    const mine = file
    file = undefined
    if (!mine) return
    const closed = closing.then(async () => {
      await writer?.run(undefined, { name: 'close' })
      closeFile(mine, path)
    })
    closing = closed.catch(() => {})
    await closed
  }
  const reopen = () =>
    share('', async () => {
      if (file) {
        logProblem('error', 'state_lost', 'The state file was deleted or replaced while the hub was running.', {
          file: nameOf(path),
          fix: AFTER_LOSS,
        })
        await close()
      }
      await closing
      file = await openFile(path)
      return file
    })
  /** Runs work on the open file: until no other process has it locked, and once more if the file lost its table, or if another call has closed it. */
  const callStore = async <Value>(work: (file: OpenFile) => Value | Promise<Value>): Promise<Value> => {
    const deadline = performance.now() + MAX_WAIT_MS
    for (let isRetry = false; ; ) {
      let opened: OpenFile | undefined
      try {
        opened = file && file.identity === identify(path) ? file : await reopen()
        return await work(opened)
      } catch (error) {
        if (opened && isBusy(error) && performance.now() < deadline) {
          await sleep(RETRY_MS * (1 + Math.random()))
          continue
        }
        if (opened === file && (isMissingTable(error) || isDamage(error))) await close()
        if (isRetry || opened?.database.isOpen !== false) throw stateUnavailable(explainSqlite(error, nameOf(path)))
        isRetry = true
      }
    }
  }
  const run: Parameters<typeof openSqlState>[0]['run'] = (sql, values) =>
    callStore(async (opened) => {
      if (!writer || sql.startsWith('SELECT')) return statementOf(opened, sql).all(...values)
      const { identity } = opened
      const { rows, failure } = (await writer.run({ path, identity, sql, values }, { name: 'write' })) as Written
      if (failure) throw Object.assign(new Error(failure.message), failure)
      return rows
    })
  try {
    file = await openFile(path)
  } catch (error) {
    throw explainSqlite(error, nameOf(path))
  }
  const state = openSqlState({ table: 'state', toKey: String, run }, now)
  return {
    ...state,
    async check() {
      await callStore(() => readAsNewcomer(path))
      await checkStore(state, now())
    },
    async close() {
      await close()
      writer?.close()
    },
  }
}

/** Returns the file's path as operators know it: relative to the folder in which the hub runs, if it is there. */
function nameOf(path: string): string {
  const name = relative('.', path)
  return name.startsWith('..') ? path : name
}

/** Prepares a statement once for each open file. */
export function statementOf(
  { database, statements }: Pick<OpenFile, 'database' | 'statements'>,
  sql: string,
): StatementSync {
  const known = statements.get(sql) ?? database.prepare(sql.replaceAll('$', '?'))
  statements.set(sql, known)
  return known
}

/** Reads the file like a process that has just started, because an open database keeps reading pages from its memory after the file was damaged. */
function readAsNewcomer(path: string): void {
  const database = new DatabaseSync(path, { timeout: 0, readOnly: true })
  try {
    for (const order of ['ASC', 'DESC']) database.prepare(`SELECT * FROM state ORDER BY key ${order} LIMIT 1`).all()
  } finally {
    database.close()
  }
}

async function openFile(path: string): Promise<OpenFile> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  createFile(path)
  // SQLite's own timeout is disabled, because it would block the thread that serves reads.
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    await untilFree(() => prepareFile(database, path))
  } catch (error) {
    database.close()
    throw error
  }
  return { database, statements: new Map(), identity: identify(path), logIdentity: identify(`${path}-wal`) }
}

/** Closes the file. If it is no longer at its path, its log is removed, because SQLite would apply it to the file that is there now. */
function closeFile({ database, identity, logIdentity }: OpenFile, path: string): void {
  const isElsewhere = identity !== identify(path)
  database.close()
  if (!isElsewhere || logIdentity === undefined || logIdentity !== identify(`${path}-wal`)) return
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Identifies the file at a path: another program may replace or delete it. */
export function identify(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && `${stats.dev} ${stats.ino}`
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

const readFormat = (database: DatabaseSync) => Number(database.prepare('PRAGMA user_version').get()?.user_version)

function checkFormat(database: DatabaseSync, path: string): void {
  if (readFormat(database) > FORMAT)
    throw new StateProblem(
      `${nameOf(path)} was written by a newer version of the hub. Run that version, or restore a backup.`,
    )
}

function prepareFile(database: DatabaseSync, path: string): void {
  database.exec(`PRAGMA journal_mode = WAL; ${WRITE_SETTINGS}`)
  const hasTable = () => database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'state'").get() !== undefined
  checkFormat(database, path)
  if (readFormat(database) === FORMAT && hasTable()) return
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have created the table in the meantime.
    if (!hasTable()) {
      const isNew = readFormat(database) === 0
      database.exec(`${TABLE} PRAGMA user_version = ${FORMAT}`)
      if (!isNew)
        logProblem('error', 'state_lost', 'The state file had lost its table, which was created again, empty.', {
          file: nameOf(path),
          fix: AFTER_LOSS,
        })
    }
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Retries while another process has the file locked, without blocking this thread. */
async function untilFree(work: () => void): Promise<void> {
  for (const deadline = performance.now() + MAX_WAIT_MS; ; ) {
    try {
      work()
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await sleep(RETRY_MS * (1 + Math.random()))
  }
}

function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY
}

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
