// Checks that the SQLite driver passes the contract tests, and tests its specifics: kills, a full disk, other
// processes, and files that it must reject.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listKeys } from '../../../src/state/state-entries.ts'
import { openSqliteState } from '../../../src/state/state-sqlite.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { stateStoreContract } from './state-store-contract.ts'

const dir = temporaryFolder('hub-state-')
let made = 0
const newFile = () => join(dir, `${made++}`, '.hub/state.db')

stateStoreContract('SQLite', async () => {
  const path = newFile()
  return { open: (now) => openSqliteState(path, now), hasOneWinner: true }
})

const WRITER = resolve('tests/stores/state/sqlite-writer.ts')
const startWriter = (path: string, name: string) =>
  spawn(process.execPath, [WRITER, path, name], { stdio: ['ignore', 'pipe', 'inherit'] })

/** Collects the writes that a writer process reports. */
function collect(writer: ChildProcess): { lines: string[]; ended: Promise<unknown> } {
  const lines: string[] = []
  createInterface(writer.stdout!).on('line', (line) => lines.push(line))
  return { lines, ended: once(writer, 'close') }
}

/** How many times a writer process is killed; set by the environment variable KILLS. */
const KILLS = Number(process.env.KILLS ?? 4)

test(`keeps every acknowledged write after ${KILLS} kills of a writing process`, { timeout: 600_000 }, async () => {
  const path = newFile()
  let acknowledged = 0
  for (let life = 0; life < KILLS; life++) {
    const writer = startWriter(path, `life-${life}`)
    const { lines, ended } = collect(writer)
    await once(writer.stdout!, 'data')
    await new Promise((done) => setTimeout(done, Math.random() * 60))
    writer.kill('SIGKILL')
    await ended
    const state = await openSqliteState(path)
    // The last line may be incomplete.
    const written = lines.filter((line) => line.endsWith('.'))
    for (const line of written) {
      const [key = '', value] = line.slice(0, -1).split(' ')
      expect((await state.get(key))?.value.slice(0, 40)).toBe(value)
    }
    acknowledged += written.length
    await state.close()
  }
  expect(acknowledged).toBeGreaterThan(KILLS)
  const database = new DatabaseSync(path)
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  database.close()
})

test('concurrent processes lose no writes', async () => {
  const path = newFile()
  const writers = ['one', 'two'].map((name) => startWriter(path, name))
  const collected = writers.map(collect)
  await Promise.all(writers.map((writer) => once(writer.stdout!, 'data')))
  const state = await openSqliteState(path)
  do {
    await state.set('of-this-process', 'x')
    // A write that never waits would leave no time to hear the others.
    await setImmediate()
  } while (collected.some(({ lines }) => lines.length <= 10))
  for (const writer of writers) writer.kill('SIGTERM')
  await Promise.all(collected.map(({ ended }) => ended))
  const written = collected.flatMap(({ lines }) => lines).filter((line) => line.endsWith('.'))
  const keys = new Set(await Array.fromAsync(listKeys(state, 'w/')))
  expect(written.map((line) => line.split(' ')[0]).filter((key) => !keys.has(key!))).toEqual([])
  expect((await state.get('of-this-process'))?.value).toBe('x')
  await state.close()
})

test('waits for a lock of another process without blocking the thread, then fails', async () => {
  const path = newFile()
  const state = await openSqliteState(path)
  await state.set('a', '1')
  const holder = new DatabaseSync(path)
  holder.exec('BEGIN IMMEDIATE')
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let ticks = 0
  const ticking = setInterval(() => ticks++, 20)
  const write = state.set('a', '2')
  // A read does not need a lock.
  expect((await state.get('a'))?.value).toBe('1')
  await expect.poll(() => ticks).toBeGreaterThan(20)
  clearInterval(ticking)
  vi.advanceTimersByTime(3_001)
  await expect(write).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  const late = state.set('a', '3')
  holder.exec('COMMIT')
  holder.close()
  await late
  expect((await state.get('a'))?.value).toBe('3')
  await state.close()
})

test('a full disk rejects the write and keeps all earlier writes', async () => {
  const path = newFile()
  await (await openSqliteState(path)).close()
  // The shell's block size is 512 bytes (POSIX) or 1 KiB.
  const output = execFileSync('sh', ['-c', `ulimit -f 1024; exec "${process.execPath}" "${WRITER}" "${path}" full`], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  const lines = output.trim().split('\n')
  expect(lines.at(-1)).toBe('refused: unavailable')
  expect(lines.length).toBeGreaterThan(3)
  const state = await openSqliteState(path)
  for (const line of lines.slice(0, -1)) expect(await state.get(line.split(' ')[0]!)).toBeDefined()
  await state.set('after', 'x')
  await state.close()
})

test('only the owner can read the database and its -wal and -shm files', async () => {
  const path = newFile()
  const state = await openSqliteState(path)
  await state.set('a', '1')
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o077).toBe(0)
  await state.close()
})

test('rejects a file that is not a database or is from a newer version, and leaves it unchanged', async () => {
  const path = newFile()
  const state = await openSqliteState(path)
  await state.close()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA user_version = 99')
  database.close()
  await expect(openSqliteState(path)).rejects.toThrow('newer version of the hub')
  const other = join(dir, 'text.db')
  writeFileSync(other, 'this is no database, '.repeat(100))
  await expect(openSqliteState(other)).rejects.toThrow('not a database')
  chmodSync(other, 0o600)
  expect(statSync(other).size).toBe(2_100)
})

test('removes 20,000 sign-ins completely after they expire', async () => {
  let time = Date.parse('2026-11-20T10:00:00Z')
  const path = newFile()
  const state = await openSqliteState(path, () => time)
  await state.add('sign-ins/0', 'x', { expiresAt: time + 600_000 })
  // These writes are one transaction, because each separate write waits for the disk.
  const database = new DatabaseSync(path)
  database.exec(`
    WITH RECURSIVE count (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM count WHERE number < 19999)
    INSERT INTO state SELECT 'sign-ins/' || number, value, version || number, expires_at FROM state, count;
  `)
  database.close()
  expect(await Array.fromAsync(listKeys(state, 'sign-ins/'))).toHaveLength(20_000)
  time += 600_000
  expect(await state.removeExpired()).toBe(20_000)
  expect(await Array.fromAsync(listKeys(state, ''))).toEqual([])
  await state.close()
})

test.skipIf(process.getuid?.() !== 0)('root creates the files for the owner of their folder (needs root)', async () => {
  const folder = join(dir, 'of-nobody')
  mkdirSync(folder)
  // Debian's user for processes that own no files.
  chownSync(folder, 65534, 65534)
  const state = await openSqliteState(join(folder, 'state.db'))
  await state.set('a/b', 'c')
  const owners = ['state.db', 'state.db-wal', 'state.db-shm'].map((name) => statSync(join(folder, name)).uid)
  await state.close()
  expect(owners).toEqual([65534, 65534, 65534])
})
