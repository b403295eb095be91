// Checks that the PostgreSQL driver passes the contract tests on a real server, and tests its specifics: concurrent
// table creation and lost connections.
import { Client } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { joinTrace, requestNow } from '../../../src/log.ts'
import { describeStateProblem } from '../../../src/state/state-entries.ts'
import { openPostgresState } from '../../../src/state/state-postgres.ts'
import { startPostgres } from '../../hubs/postgres.ts'
import { stateStoreContract } from './state-store-contract.ts'

const server = await startPostgres()
afterAll(() => server.close())

stateStoreContract('PostgreSQL', async () => {
  const url = await server.createDatabase()
  return { open: (now) => openPostgresState(url, now), hasOneWinner: true }
})

async function query(url: string, sql: string) {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('many instances that start at once create a single table', async () => {
  const url = await server.createDatabase()
  const stores = await Promise.all(Array.from({ length: 12 }, () => openPostgresState(url)))
  await Promise.all(stores.map((store, number) => store.set(`k/${number}`, 'x')))
  expect((await stores[0]!.list('k/')).keys).toHaveLength(12)
  await Promise.all(stores.map((store) => store.close()))
})

test('a user who may not create tables uses the one that another user has created', async () => {
  const url = await server.createDatabase()
  await (await openPostgresState(url)).close()
  await query(url, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC')
  await query(url, "CREATE USER guest PASSWORD 'guest'")
  await query(url, 'GRANT SELECT, INSERT, UPDATE, DELETE ON prompt_hub_state TO guest')
  const guest = Object.assign(new URL(url), { username: 'guest', password: 'guest' }).href
  const state = await openPostgresState(guest)
  await state.set('a', '1')
  expect((await state.get('a'))?.value).toBe('1')
  await state.close()
})

test('a statement that waits too long for a lock fails; the connection stays usable', async () => {
  const url = await server.createDatabase()
  const state = await openPostgresState(url)
  await state.set('a', '1')
  const holder = new Client(url)
  await holder.connect()
  await holder.query("BEGIN; UPDATE prompt_hub_state SET value = '2'")
  const trace = joinTrace('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', undefined)
  const setting = requestNow.run({ request_id: 'a', path: '/', sender: {}, trace }, () => state.set('a', '3'))
  setting.catch(() => {})
  const SHOWN = "SELECT query FROM pg_stat_activity WHERE query LIKE '%/*traceparent=''00-4bf92f35%''*/'"
  await expect.poll(() => query(url, SHOWN)).toHaveLength(1)
  await expect(setting).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  expect((await state.get('a'))?.value).toBe('1')
  await holder.query('ROLLBACK')
  await holder.end()
  await state.set('a', '4')
  expect((await state.get('a'))?.value).toBe('4')
  await state.close()
})

test('calls fail while the server is stopped; the data is available afterwards', async () => {
  const url = await server.createDatabase()
  const other = await server.createDatabase()
  const state = await openPostgresState(url)
  await state.set('a', '1')
  await server.stop()
  await expect(state.get('a')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  await expect(state.add('b', '1')).rejects.toMatchObject({ code: 'unavailable' })
  const openedMeanwhile = await openPostgresState(other)
  await expect(openedMeanwhile.set('c', '1')).rejects.toMatchObject({ code: 'unavailable' })
  await server.start()
  await openedMeanwhile.set('c', '1')
  expect((await openedMeanwhile.get('c'))?.value).toBe('1')
  await openedMeanwhile.close()
  expect((await state.get('a'))?.value).toBe('1')
  expect(await state.get('b')).toBeUndefined()
  await state.close()
})

test('a dropped table is created again, also by many calls at once', async () => {
  const url = await server.createDatabase()
  const state = await openPostgresState(url)
  await state.set('a', '1')
  await query(url, 'DROP TABLE prompt_hub_state')
  await Promise.all(Array.from({ length: 20 }, (_, number) => state.set(`k/${number}`, 'x')))
  expect(await state.get('a')).toBeUndefined()
  expect((await state.list('k/')).keys).toHaveLength(20)
  await query(url, 'DROP TABLE prompt_hub_state')
  await state.check()
  await state.close()
})

test('a check says what to do when the database cannot be used, without its address or password', async () => {
  const url = await server.createDatabase()
  const problemOf = async (wrong: URL) => {
    const state = await openPostgresState(wrong.href)
    const problem = await state.check().then(() => 'none', describeStateProblem)
    await state.close()
    return problem
  }
  const password = new URL(url)
  password.password = 'wrong'
  expect(await problemOf(password)).toBe(
    'The database in DATABASE_URL rejects the user, the password or the database name (28P01). Correct DATABASE_URL, and start the hub again.',
  )
  const port = new URL(url)
  port.port = '9'
  expect(await problemOf(port)).toBe(
    'The database in DATABASE_URL does not respond (ECONNREFUSED). Check that it runs and that this machine may connect to it. The hub reconnects by itself.',
  )
})
