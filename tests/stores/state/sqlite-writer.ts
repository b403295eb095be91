// A process that writes to a SQLite state store: it prints each key and the start of its value once the write is
// confirmed, until it is killed or a write fails.
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { HubError } from '../../../src/domain/api/errors.ts'
import { openSqliteState } from '../../../src/state/state-sqlite.ts'

const [path = '', name = ''] = process.argv.slice(2)
const state = await openSqliteState(path)
try {
  for (let number = 0; ; number++) {
    const key = `w/${name}/${number % 50}-${number}`
    const value = randomUUID() + 'x'.repeat(Math.random() * 8_000)
    await state.set(key, value)
    writeSync(1, `${key} ${value.slice(0, 40)}.\n`)
  }
} catch (error) {
  console.log(`refused: ${error instanceof HubError ? error.code : error}`)
}
