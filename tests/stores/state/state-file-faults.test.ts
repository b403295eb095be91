// Tests that the state file can be deleted, restored, emptied or damaged while a hub runs, or lose its table. The driver
// reports the file and the fix, and continues as soon as it can: with writes in the same thread, and in one of their own.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openStateWriter } from '../../../src/hosts/node/open-state.ts'
import { describeStateProblem, type OpenStateStore } from '../../../src/state/state-entries.ts'
import { openSqliteState } from '../../../src/state/state-sqlite.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const dir = temporaryFolder('hub-state-faults-')
/** Opens the state as the tests of a group do. */
let open: (path: string) => Promise<OpenStateStore>
let path = ''
let state: OpenStateStore
let made = 0
let logged: string[] = []
beforeEach(async () => {
  path = join(dir, `${made++}`, '.hub/state.db')
  state = await open(path)
  await state.set('a', 'first')
  logged = []
  vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(String(line)))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await state.close()
})

const read = async (key: string) => (await state.get(key))?.value
/** Returns the sentence for operators. */
const problemOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ code: 'unavailable', message: expect.not.stringContaining('state.db') })
  return describeStateProblem(error)
}
const sql = (text: string) => {
  const database = new DatabaseSync(path)
  database.exec(text)
  database.close()
}

describe.each([
  ['this thread', () => undefined],
  ['a thread of its own', openStateWriter],
])('with writes in %s', (_, openWriter) => {
  beforeAll(() => {
    open = (path) => openSqliteState(path, Date.now, openWriter())
  })

  test('a deleted file is noticed: a new one is created, and the old data is no longer accepted', async () => {
    rmSync(path)
    expect(await read('a')).toBe(undefined)
    await state.set('b', 'second')
    await state.check()
    expect(existsSync(path)).toBe(true)
    await state.close()
    state = await open(path)
    expect([await read('a'), await read('b')]).toEqual([undefined, 'second'])
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 'error',
        message: 'The state file was deleted or replaced while the hub was running.',
        file: path,
        fix: 'Restore it from a backup: stop the hub, put the file back, and start the hub again. Without a backup, users sign in again and create new tokens.',
      },
    ])
    expect(statSync(path).mode & 0o077).toBe(0)
  })

  test('a whole deleted folder is noticed', async () => {
    rmSync(join(path, '..'), { recursive: true })
    await state.check()
    expect(await read('a')).toBe(undefined)
  })

  test('a restored backup is used at once, without changes that were made after it', async () => {
    const backup = join(dir, `${made}-backup.db`)
    sql(`VACUUM INTO '${backup}'`)
    await state.set('a', 'second')
    await state.set('b', 'second')
    renameSync(backup, path)
    expect([await read('a'), await read('b')]).toEqual(['first', undefined])
    await state.set('c', 'third')
    await state.check()
    sql('PRAGMA integrity_check')
    expect(await read('c')).toBe('third')
  })

  test('a dropped table is created again', async () => {
    sql('DROP TABLE state')
    await state.set('b', 'second')
    expect([await read('a'), await read('b')]).toEqual([undefined, 'second'])
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      {
        message: 'The state file had lost its table, which was created again, empty.',
        file: path,
        fix: expect.stringContaining('Restore it from a backup'),
      },
    ])
    await state.close()
    sql('DROP TABLE state')
    state = await open(path)
    await state.check()
  })

  test('an emptied file is noticed by the check, and can be used again', async () => {
    truncateSync(path)
    await state.check()
    await state.set('b', 'second')
    await state.close()
    state = await open(path)
    expect(await read('b')).toBe('second')
  })

  test('a damaged file denies every access and names the file and the fix', async () => {
    sql('PRAGMA wal_checkpoint(TRUNCATE)')
    writeFileSync(path, Buffer.alloc(statSync(path).size, 'damaged'))
    const problem = await problemOf(state.check())
    expect(problem).toContain(`${path} is damaged`)
    expect(problem).toContain('restore')
    expect(await problemOf(state.get('a'))).toBe(problem)
    expect(await problemOf(state.set('a', 'x'))).toBe(problem)
    // A good file in its place is used at once.
    const other = await open(join(dir, `${made}-other.db`))
    await other.set('a', 'restored')
    await other.close()
    renameSync(join(dir, `${made}-other.db`), path)
    await state.check()
    expect(await read('a')).toBe('restored')
  })

  test('a file in whose place there is a folder is reported', async () => {
    rmSync(path)
    mkdirSync(path)
    expect(await problemOf(state.check())).toContain(`${path} cannot be opened`)
    rmSync(path, { recursive: true })
    await state.check()
  })

  test('a start with a damaged file fails with the file and the fix', async () => {
    const other = join(dir, `${made}-damaged.db`)
    cpSync(path, other)
    writeFileSync(other, 'this is no database, '.repeat(100))
    await expect(open(other)).rejects.toThrow(`${other} is damaged (file is not a database). Stop the hub`)
  })
})

test('a write that waits for the disk delays no read', async () => {
  const disk = Promise.withResolvers<void>()
  const writer = openStateWriter()
  const slow = await openSqliteState(path, Date.now, {
    ...writer,
    run: async (write, options) => {
      await disk.promise
      return writer.run(write, options)
    },
  })
  const written = slow.set('a', 'second')
  expect((await slow.get('a'))?.value).toBe('first')
  disk.resolve()
  await written
  expect((await slow.get('a'))?.value).toBe('second')
  await slow.close()
})
