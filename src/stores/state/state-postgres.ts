// Keeps state in one table of a PostgreSQL database, for a hub on several machines. Uses only SQL that CockroachDB and YugabyteDB also support.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig, DatabaseError, Pool, type QueryResult } from 'pg'
import { HubError } from '../../domain/api/errors.ts'
import { logProblem } from '../../ports/log.ts'
import { checkEntry, type OpenStateStore, stateUnavailable } from '../../ports/state-store.ts'

/** Maximum number of connections per process, because PostgreSQL allows 100 in total by default. */
const MAX_CONNECTIONS = 10
/** How long a call waits for a connection, and then for its result. */
const CONNECT_MS = 3_000
const STATEMENT_MS = 3_000
/** Time limit for creating the table while other machines may be starting at the same moment. */
const MIGRATE_MS = 30_000
/** Maximum number of times that a statement that lost a race is repeated. */
const MAX_TRIES = 10
const PAGE_KEYS = 1_000
/** Errors from races between machines, which a retry resolves: serialization failure, deadlock. */
const RACES = ['40001', '40P01']
/** Errors from races while tables are created; these include objects that another machine created at the same moment, some of which PostgreSQL reports as "internal error". */
const MIGRATION_RACES = [...RACES, '23505', '42P07', '42710', 'XX000']

/**
 * The migrations. Each part may run again, because CockroachDB commits before it changes a table. Keys are bytes, so that every engine sorts them in the same way, whatever its collation is.
 */
const MIGRATIONS = [
  [
    'CREATE TABLE IF NOT EXISTS prompt_hub_state (key BYTEA PRIMARY KEY, value TEXT NOT NULL, version TEXT NOT NULL, expires_at BIGINT)',
    'CREATE INDEX IF NOT EXISTS prompt_hub_state_expires_at ON prompt_hub_state (expires_at)',
  ],
]

const UPSERT = `INSERT INTO prompt_hub_state (key, value, version, expires_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at`

/**
 * Opens the store. The table is created or migrated before the first call. If the database cannot be reached at that time, each call tries again.
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
  const run = async (sql: string, values: unknown[] = []): Promise<QueryResult> => {
    try {
      await prepare()
      return await settleRaces(RACES, () => pool.query(sql, values))
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
    async get(key) {
      checkEntry(key)
      const sql =
        'SELECT value, version FROM prompt_hub_state WHERE key = $1 AND (expires_at IS NULL OR expires_at > $2)'
      const [row] = (await run(sql, [Buffer.from(key), now()])).rows
      return row && { value: String(row.value), version: String(row.version) }
    },
    async set(key, value, { expiresAt } = {}) {
      checkEntry(key, value)
      await run(UPSERT, [Buffer.from(key), value, randomUUID(), expiresAt ?? null])
    },
    async add(key, value, { expiresAt } = {}) {
      checkEntry(key, value)
      const given = [Buffer.from(key), value, randomUUID(), expiresAt ?? null, now()]
      return (await run(`${UPSERT} WHERE prompt_hub_state.expires_at <= $5`, given)).rowCount === 1
    },
    async replace(key, value, version, { expiresAt } = {}) {
      checkEntry(key, value)
      const sql = `UPDATE prompt_hub_state SET value = $2, version = $3, expires_at = $4
        WHERE key = $1 AND version = $5 AND (expires_at IS NULL OR expires_at > $6)`
      const given = [Buffer.from(key), value, randomUUID(), expiresAt ?? null, version, now()]
      return (await run(sql, given)).rowCount === 1
    },
    async delete(key) {
      checkEntry(key)
      await run('DELETE FROM prompt_hub_state WHERE key = $1', [Buffer.from(key)])
    },
    async list(prefix, after = '') {
      const sql = 'SELECT key FROM prompt_hub_state WHERE key >= $1 AND key > $2 AND key < $3 ORDER BY key LIMIT $4'
      // Every character of a key is below DEL.
      const range = [prefix, after, `${prefix}\x7f`].map((text) => Buffer.from(text))
      const { rows } = await run(sql, [...range, PAGE_KEYS])
      const keys = rows.map(({ key }) => String(key))
      return { keys, next: keys.length === PAGE_KEYS ? keys.at(-1) : undefined }
    },
    removeExpired: async () =>
      (await run('DELETE FROM prompt_hub_state WHERE expires_at <= $1', [now()])).rowCount ?? 0,
    close: () => pool.end(),
  }
}

/** Reads the database's time. @throws Error if the database does not respond */
export async function readDatabaseTime(url: string): Promise<Date> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('SELECT now() AS now')
    return new Date(rows[0]?.now)
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

/** Migrates the table to the newest format. Only one machine does this at a time, because it locks the row with the table's format. */
async function migrate(settings: ClientConfig): Promise<void> {
  const client = new Client({ ...settings, query_timeout: MIGRATE_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    await settleRaces(MIGRATION_RACES, () =>
      client.query('CREATE TABLE IF NOT EXISTS prompt_hub_format (id INT PRIMARY KEY, format INT NOT NULL)'),
    )
    await settleRaces(MIGRATION_RACES, () =>
      client.query('INSERT INTO prompt_hub_format (id, format) VALUES (1, 0) ON CONFLICT (id) DO NOTHING'),
    )
    const format = await settleRaces(MIGRATION_RACES, () => migrateLocked(client))
    if (format <= MIGRATIONS.length) return
  } catch (error) {
    throw stateUnavailable(error)
  } finally {
    await client.end().catch(() => {})
  }
  throw new Error('A newer version of the hub has migrated the database. Run that version, or restore a backup.')
}

/** @returns the previous format of the table */
async function migrateLocked(client: Client): Promise<number> {
  await client.query('BEGIN')
  try {
    const { rows } = await client.query('SELECT format FROM prompt_hub_format WHERE id = 1 FOR UPDATE')
    const format = Number(rows[0]?.format)
    for (const statement of MIGRATIONS.slice(format).flat()) await client.query(statement)
    if (format < MIGRATIONS.length)
      await client.query('UPDATE prompt_hub_format SET format = $1 WHERE id = 1', [MIGRATIONS.length])
    await client.query('COMMIT')
    return format
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
