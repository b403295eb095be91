// Stores state in one table of a PostgreSQL database, for a hub on several machines.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig, DatabaseError, Pool } from 'pg'
import { HubError } from '../../domain/api/errors.ts'
import { logProblem } from '../../ports/log.ts'
import { type OpenStateStore, stateUnavailable } from '../../ports/state-store.ts'
import { openSqlState } from './state-sql.ts'

/** Maximum number of connections per process, because PostgreSQL allows 100 in total by default. */
const MAX_CONNECTIONS = 10
/** How long a call waits for a connection, and then for its result. */
const CONNECT_MS = 3_000
const STATEMENT_MS = 3_000
/** Time limit of a statement that creates or migrates a table while other machines may do the same. */
const MIGRATE_MS = 30_000
/** Maximum number of retries of a statement that lost a race. */
const MAX_TRIES = 10
/** Errors from races between machines, which a retry resolves: serialization failure, deadlock. */
const RACES = ['40001', '40P01']
/** Errors from races while tables are created; these include errors about objects that another machine created at the same moment, some of which PostgreSQL reports as "internal error". */
const MIGRATION_RACES = [...RACES, '23505', '42P07', '42710', 'XX000']

/**
 * The migrations. Each statement may run again, and on several machines at once. Keys are bytes, so that every engine sorts them in the same way, regardless of its collation.
 */
const MIGRATIONS = [
  [
    'CREATE TABLE IF NOT EXISTS prompt_hub_state (key BYTEA PRIMARY KEY, value TEXT NOT NULL, version TEXT NOT NULL, expires_at BIGINT)',
    'CREATE INDEX IF NOT EXISTS prompt_hub_state_expires_at ON prompt_hub_state (expires_at)',
  ],
]

/**
 * Opens the store. The table is created or migrated before the first call. If the database cannot be reached at that time, each call tries to do so again.
 *
 * @param url `postgresql://user:password@host/database`
 * @param now a clock in milliseconds since 1970
 * @throws Error if a newer version of the hub has migrated the table
 */
export async function openPostgresState(url: string, now: () => number = Date.now): Promise<OpenStateStore> {
  const settings: ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'prompt-hub',
    keepAlive: true,
  }
  const pool = new Pool({
    ...settings,
    max: MAX_CONNECTIONS,
    // Stops waiting if the connection is lost; the setting below stops the query on the server. This is not a start-up parameter, because poolers reject those.
    query_timeout: STATEMENT_MS + 1_000,
    onConnect: (client) => client.query(`SET statement_timeout = ${STATEMENT_MS}`).then(() => {}),
  })
  // An idle connection that breaks is replaced by the next call, which reports the problem.
  pool.on('error', () => {})
  let migration: Promise<void> | undefined
  const prepare = () => {
    migration ??= migrate(settings).catch((error: unknown) => {
      migration = undefined
      throw error
    })
    return migration
  }
  const run = async (sql: string, values: unknown[]) => {
    try {
      await prepare()
      return (await settleRaces(RACES, () => pool.query(sql, values))).rows
    } catch (error) {
      throw stateUnavailable(error)
    }
  }
  try {
    await prepare()
  } catch (error) {
    if (!(error instanceof HubError)) {
      await pool.end()
      throw error
    }
    logProblem('warning', 'The database does not respond. The hub is starting without it.', { cause: error.cause })
  }
  return {
    ...openSqlState({ table: 'prompt_hub_state', toKey: (key) => Buffer.from(key), run }, now),
    close: () => pool.end(),
  }
}

/**
 * Reads the database's time, and whether its user may write to the table, or create it. Changes nothing.
 *
 * @throws HubError `unavailable` if the database does not respond; its cause says why
 */
export async function inspectDatabase(url: string): Promise<{ time: Date; canStore: boolean }> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(`SELECT now() AS now,
      current_setting('transaction_read_only') = 'off' AND COALESCE(
        has_table_privilege(to_regclass('prompt_hub_state'), 'INSERT')
          AND has_table_privilege(to_regclass('prompt_hub_state'), 'UPDATE')
          AND has_table_privilege(to_regclass('prompt_hub_state'), 'DELETE'),
        has_schema_privilege(current_schema(), 'CREATE')) AS can_store`)
    return { time: new Date(rows[0]?.now), canStore: rows[0]?.can_store === true }
  } catch (error) {
    throw stateUnavailable(error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Repeats a statement that lost a race. Its effects were rolled back, so it may run again. */
async function settleRaces<Value>(races: readonly string[], work: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DatabaseError && races.includes(error.code ?? '')) || tries === MAX_TRIES) throw error
    }
    await sleep(Math.random() * 20 * tries)
  }
}

/** Migrates the table to the newest format. Several machines may do this at the same time. */
async function migrate(settings: ClientConfig): Promise<void> {
  const client = new Client({ ...settings, query_timeout: MIGRATE_MS })
  client.on('error', () => {})
  const query = (sql: string, values: unknown[] = []) => settleRaces(MIGRATION_RACES, () => client.query(sql, values))
  let format = 0
  try {
    await client.connect()
    await query('CREATE TABLE IF NOT EXISTS prompt_hub_format (id INT PRIMARY KEY, format INT NOT NULL)')
    await query('INSERT INTO prompt_hub_format (id, format) VALUES (1, 0) ON CONFLICT (id) DO NOTHING')
    const { rows } = await query('SELECT format FROM prompt_hub_format WHERE id = 1')
    format = Number(rows[0]?.format)
    for (const statement of MIGRATIONS.slice(format).flat()) await query(statement)
    await query('UPDATE prompt_hub_format SET format = $1 WHERE format < $1', [MIGRATIONS.length])
  } catch (error) {
    throw stateUnavailable(error)
  } finally {
    await client.end().catch(() => {})
  }
  if (format > MIGRATIONS.length)
    throw new Error('A newer version of the hub has migrated the database. Run that version, or restore a backup.')
}
