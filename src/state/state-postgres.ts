// Stores state in one table of a PostgreSQL database, for a hub on several machines.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig, DatabaseError, Pool } from 'pg'
import { HubError } from '../domain/api/errors.ts'
import { logProblem, traceNow, traceparentOf } from '../log.ts'
import { checkStore, type OpenStateStore, StateProblem, stateUnavailable } from './state-entries.ts'
import { openSqlState } from './state-sqlite.ts'

/** Maximum number of connections per process, because PostgreSQL allows 100 in total by default. */
const MAX_CONNECTIONS = 10
/** How long a call waits for a connection, and then for its result. */
const CONNECT_MS = 3_000
const STATEMENT_MS = 3_000
/** Time limit of the statement that creates the table while other machines do the same. */
const CREATE_MS = 30_000
/** Maximum number of retries of a statement that lost a race. */
const MAX_TRIES = 10
/** Errors from races between machines, which a retry resolves: serialization failure, deadlock. */
const RACES = ['40001', '40P01']
/** Errors from races while tables are created; these include errors about objects that another machine created at the same moment, some of which PostgreSQL reports as "internal error". */
const CREATION_RACES = [...RACES, '23505', '42P07', '42710', 'XX000']

/** Creates the table and its index as one transaction, on several machines at once. Keys are bytes, so that every engine sorts them in the same way, regardless of its collation. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS prompt_hub_state (key BYTEA PRIMARY KEY, value TEXT NOT NULL, version TEXT NOT NULL, expires_at BIGINT);
  CREATE INDEX IF NOT EXISTS prompt_hub_state_expires_at ON prompt_hub_state (expires_at);
`

/**
 * Opens the store. If the table is missing, it is created before the first call. If the database cannot be reached at that time, each call tries to do so again.
 *
 * @param url `postgresql://user:password@host/database`
 * @param now a clock in milliseconds since 1970
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
  let creation: Promise<void> | undefined
  const prepare = () => {
    creation ??= createTable(settings).catch((error: unknown) => {
      creation = undefined
      throw error
    })
    return creation
  }
  const query = async (sql: string, values: unknown[]) => {
    const mine = prepare()
    await mine
    try {
      return (await settleRaces(RACES, () => pool.query(traced(sql), values))).rows
    } catch (error) {
      if (!isMissingTable(error)) throw error
      // Only the first of several calls that find no table starts to create it.
      if (creation === mine) {
        creation = undefined
        logProblem('error', 'state_lost', 'The database has lost its table, which is created again, empty.', {
          table: 'prompt_hub_state',
          fix: 'Restore it from a backup. Without a backup, users sign in again and create new tokens.',
        })
      }
      await prepare()
      return (await settleRaces(RACES, () => pool.query(sql, values))).rows
    }
  }
  const run = (sql: string, values: unknown[]) =>
    query(sql, values).catch((error: unknown) => {
      throw error instanceof HubError ? error : stateUnavailable(explain(error))
    })
  await prepare().catch(({ cause }: HubError) => {
    logProblem('warning', 'database_down', 'The database does not respond. The hub is starting without it.', { cause })
  })
  const state = openSqlState({ table: 'prompt_hub_state', toKey: (key) => Buffer.from(key), run }, now)
  return {
    ...state,
    check: () => checkStore(state, now()),
    async readClock() {
      const [row] = await run('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms', [])
      return Number((row as { ms: unknown } | undefined)?.ms)
    },
    close: () => pool.end(),
  }
}

/** Adds the trace of the request as a comment, as sqlcommenter does, so that the database's log names it. Its characters are those of hex numbers. */
function traced(sql: string): string {
  const trace = traceNow()
  return trace ? `${sql} /*traceparent='${traceparentOf(trace)}'*/` : sql
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const isMissingTable = (error: unknown): boolean => error instanceof DatabaseError && error.code === '42P01'

/** The fix for each class of errors; an error's code begins with its class. */
const FIXES: readonly (readonly [codes: RegExp, fix: string])[] = [
  [
    /^(?:28|3D)/,
    'rejects the user, the password or the database name (CODE). Correct DATABASE_URL, and start the hub again.',
  ],
  [/^42501/, 'does not allow the hub’s user to use its tables (CODE). Make this user their owner.'],
  [/^53100/, 'has a full disk (CODE). Free some space there. The hub continues by itself.'],
  [/^53/, 'has too many connections or too little memory (CODE). Raise its limits. The hub continues by itself.'],
  [/^25006/, 'is read-only (CODE). Use the address of the primary server in DATABASE_URL.'],
  [/^(?!08|57P)\d/, 'reports an error (CODE). The log has the details.'],
]

/** Describes an error without the server's address, which may be private. */
function explain(error: unknown): StateProblem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no response'
  const fix =
    FIXES.find(([codes]) => codes.test(code))?.[1] ??
    'does not respond (CODE). Check that it runs and that this machine may connect to it. The hub reconnects by itself.'
  return new StateProblem(`The database in DATABASE_URL ${fix.replace('CODE', code)}`, { cause: error })
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

/** Creates the table if it is missing. A user that may not create tables can use one that somebody else has created. @throws HubError `unavailable` */
async function createTable(settings: ClientConfig): Promise<void> {
  const client = new Client({ ...settings, query_timeout: CREATE_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query("SELECT to_regclass('prompt_hub_state') IS NOT NULL AS is_there")
    if (rows[0]?.is_there !== true) await settleRaces(CREATION_RACES, () => client.query(TABLE))
  } catch (error) {
    throw stateUnavailable(explain(error))
  } finally {
    await client.end().catch(() => {})
  }
}
